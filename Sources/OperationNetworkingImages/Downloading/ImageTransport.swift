internal import Foundation
internal import FoundationNetworking

/// How an image comes over the network: the seam between an `ImageDownloader` and the half of the library it uses.
protocol ImageTransport: Sendable {
    /// Whether it may have an answer without asking over the network.
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
