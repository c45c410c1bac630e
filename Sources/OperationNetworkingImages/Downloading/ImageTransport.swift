// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworking

/// The transport that fetches images: the seam between an `ImageDownloader` and the half of the library it uses.
protocol ImageTransport: Sendable {
    /// True if it may have an answer without asking over the network.
    var hasCache: Bool { get }

    /// Makes a transfer, which does nothing until `start()`.
    ///
    /// - Parameter completion: called once after the start, also when the transfer is cancelled, on any thread.
    func makeTransfer(
        for request: URLRequest, thumbnailSize: Int?,
        completion: @escaping @Sendable (Result<ImageTransferResult, any Error>) -> Void
    ) -> any ImageTransfer
}

/// One transfer of an ``ImageTransport``.
protocol ImageTransfer: AnyObject, Sendable {
    func start()
    /// At any time, also before the start.
    func cancel()
}

struct ImageTransferResult: Sendable {
    let image: Image
    let response: HTTPURLResponse?
}

extension ImageTransferResult {
    /// The result that a serializer of images has made of a response.
    ///
    /// - Parameter thumbnailSize: the serializer's, for what it has not decoded itself.
    /// - Throws: an `ImageError`, or a `URLError` when it has made nothing.
    init(_ object: Any?, response: HTTPURLResponse?, thumbnailSize: Int?) throws {
        image =
            switch object {
            case let image as Image: image
            case let file as EncodedImage: try file.decoded(thumbnailSize: thumbnailSize)
            default:
                throw URLError(.zeroByteResource, url: response?.url, reason: "the response has no image: it is empty")
            }
        self.response = response
    }
}

extension ImageResponseSerializer {
    /// A manager's serializer if it makes images, or else a new one; for images of that size.
    static func of(_ serializer: HTTPResponseSerializer, thumbnailSize: Int?) -> ImageResponseSerializer {
        let own = serializer as? ImageResponseSerializer ?? ImageResponseSerializer()
        guard let thumbnailSize, let copy = own.copy() as? ImageResponseSerializer else { return own }
        copy.thumbnailSize = thumbnailSize
        return copy
    }
}
