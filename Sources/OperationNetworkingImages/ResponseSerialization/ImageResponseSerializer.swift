// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking
internal import NetworkingSupport
public import OperationNetworking

/// Validates as `HTTPResponseSerializer` does and decodes an ``Image``. AF: `AFImageResponseSerializer`.
///
/// Accepts AFNetworking's content types by default, and `image/webp` and `image/vnd.microsoft.icon`. What the content
/// is its first bytes say, not its content type.
// Sendable because its only stored state is behind `Locked`.
open class ImageResponseSerializer: HTTPResponseSerializer, @unchecked Sendable {
    /// Guarded by itself.
    private let settings = Locked(Settings())

    /// A serializer that decodes images of up to 100 million pixels, as large as they are.
    public override init() {
        super.init()
        acceptableContentTypes = Self.mediaTypes
    }

    /// A serializer from an archive. `nil` if the archive holds none or is damaged.
    public required init?(coder: NSCoder) {
        guard let stored = Settings(from: coder) else { return nil }
        super.init(coder: coder)
        settings.withLock { $0 = stored }
    }

    /// The types that are accepted by default, which are AFNetworking's, and those of WebP and of icons.
    public static let mediaTypes: Set<String> = [
        "image/tiff", "image/jpeg", "image/gif", "image/png", "image/ico", "image/x-icon", "image/bmp", "image/x-bmp",
        "image/x-xbitmap", "image/x-win-bitmap", "image/webp", "image/vnd.microsoft.icon",
    ]

    /// The scale of the images, pixels for each point. 1 by default. AF: `imageScale`, by default the screen's.
    public var imageScale: Double {
        get { settings.withLock { $0.imageScale } }
        set { settings.withLock { $0.imageScale = newValue } }
    }

    /// True if pixels are decoded, off the network thread and the main thread. True by default. If not, the header is
    /// checked, and the response object is an ``EncodedImage``. AF: `automaticallyInflatesResponseImage`.
    public var automaticallyInflatesResponseImage: Bool {
        get { settings.withLock { $0.inflates } }
        set { settings.withLock { $0.inflates = newValue } }
    }

    /// The number of pixels, width times height, that an image may have. 100 million by default. An image with more is
    /// an error before anything of it is decoded.
    public var maximumPixelCount: Int {
        get { settings.withLock { $0.maximumPixelCount } }
        set { settings.withLock { $0.maximumPixelCount = newValue } }
    }

    /// The number of pixels that the longer side is to have at most. Larger images are made smaller while they are
    /// decoded. Nil by default: as large as they are.
    public var thumbnailSize: Int? {
        get { settings.withLock { $0.thumbnailSize } }
        set { settings.withLock { $0.thumbnailSize = newValue } }
    }

    /// The ``Image``. `nil` if there is no body, or an empty one.
    ///
    /// - Throws: `ResponseSerializationError`. One with code `cannotParseResponse` has an ``ImageError`` beneath. With
    ///   a status that is not acceptable the body is decoded all the same, and the image is on the error.
    open override func responseObject(for response: URLResponse?, data: Data?) throws -> Any? {
        try object(of: SerializedResponse(response), data: data)
    }

    /// A serializer of the same class with the same settings.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = super.copy(with: zone)
        let settings = settings.withLock { $0 }
        (copy as? ImageResponseSerializer)?.settings.withLock { $0 = settings }
        return copy
    }

    /// Writes every setting into an archive.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        settings.withLock { $0 }.encode(to: coder)
    }

    private struct Settings: ArchivedSettings {
        static var archiveKey: String { "ImageResponseSerializer.settings" }

        var imageScale = 1.0
        var inflates = true
        var maximumPixelCount = Image.defaultMaximumPixelCount
        var thumbnailSize: Int?
    }
}

extension ImageResponseSerializer: OwnResponseSerializer {
    package static var ownClass: HTTPResponseSerializer.Type { ImageResponseSerializer.self }

    package final func object(of response: SerializedResponse, data: Data?) throws -> Any? {
        let settings = settings.withLock { $0 }
        return try parsedObject(of: response, data: data, isEmpty: \.isEmpty) { data in
            let file = try EncodedImage(
                data: data, scale: settings.imageScale, maximumPixelCount: settings.maximumPixelCount)
            return settings.inflates ? try file.decoded(thumbnailSize: settings.thumbnailSize) : file
        }
    }
}
