// SPDX-License-Identifier: MIT
public import Foundation

/// An image file in memory whose header was checked, and whose pixels are not decoded yet.
///
/// What an ``ImageResponseSerializer`` makes when `automaticallyInflatesResponseImage` is false.
public struct EncodedImage: Sendable {
    /// The file.
    public let data: Data
    /// Its format, by its first bytes.
    public let fileType: ImageFileType
    /// Columns of pixels in the file, before an orientation noted in it is applied.
    public let width: Int
    /// Rows of pixels in the file, before an orientation noted in it is applied.
    public let height: Int
    /// The scale of the decoded image.
    public let scale: Double

    private let header: ImageHeader
    private let maximumPixelCount: Int

    /// Reads the header, and looks whether the file is whole.
    ///
    /// - Parameters:
    ///   - data: a whole file in one of the formats of ``ImageFileType``.
    ///   - scale: pixels for each point; 1 by default.
    ///   - maximumPixelCount: how many pixels, width times height, the file may have; 100 million by default.
    /// - Throws: ``ImageError`` for what is no image, ends too early, or has too many pixels.
    public init(data: Data, scale: Double = 1, maximumPixelCount: Int = Image.defaultMaximumPixelCount)
        throws(ImageError)
    {
        header = try ImageHeader.read(data)
        guard header.pixelCount <= maximumPixelCount else {
            throw ImageError(
                code: .tooManyPixels,
                reason: "The \(header.fileType.name) file has \(header.width) × \(header.height) pixels, and "
                    + "\(maximumPixelCount) altogether are allowed: see maximumPixelCount.")
        }
        self.data = data
        fileType = header.fileType
        width = header.width
        height = header.height
        self.scale = scale
        self.maximumPixelCount = maximumPixelCount
    }

    /// Decodes the pixels.
    ///
    /// - Parameter thumbnailSize: pixels that the longer side is to have at most; nil by default: as large as it is.
    /// - Throws: ``ImageError``.
    public func decoded(thumbnailSize: Int? = nil) throws(ImageError) -> Image {
        let limits = PixbufDecoder.Limits(
            maximumPixelCount: maximumPixelCount, thumbnailSize: thumbnailSize.map { max($0, 1) })
        let (content, contentType) = header.content ?? (data, fileType)
        let pixbuf = try PixbufDecoder.decode(content, as: contentType, limits: limits)
        // libtiff's readers multiply, whatever the file has.
        let pixels = pixbuf.makePixels(isPremultiplied: contentType == .tiff)
        return Image(
            width: pixbuf.width, height: pixbuf.height, scale: scale, pixels: pixels, fileType: fileType)
    }
}
