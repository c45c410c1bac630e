// SPDX-License-Identifier: MIT
internal import Foundation
public import FoundationNetworking
internal import OperationNetworking
internal import NetworkingSupport

extension ImageDownloader {
    /// An image, downloaded or from ``imageCache``. Cancelling the task cancels this request. Needs no running main queue.
    ///
    /// - Parameters:
    ///   - request: what to ask for.
    ///   - thumbnailSize: pixels that the longer side is to have at most; nil by default: as large as it is.
    /// - Throws: the transfer's error, the serializer's, or `URLError.cancelled`.
    public func image(for request: URLRequest, thumbnailSize: Int? = nil) async throws -> Image {
        let cancellation = Cancellation()
        return try await withCancellation {
            try await withCheckedThrowingContinuation { continuation in
                let caller = Caller(
                    request: request, receiptID: UUID(), queue: nil,
                    success: { continuation.resumeUnlocked(with: .success($2)) },
                    failure: { continuation.resumeUnlocked(with: .failure($2)) })
                let receipt = download(for: caller, thumbnailSize: thumbnailSize)
                if let receipt, cancellation.set(receipt) { cancelTask(for: receipt) }
            }
        } by: {
            if let receipt = cancellation.cancel() { self.cancelTask(for: receipt) }
        }
    }

    /// Brings a receipt and a cancel together, whichever comes first.
    private final class Cancellation: Sendable {
        private let state = Locked<(receipt: ImageDownloadReceipt?, isCancelled: Bool)>((nil, false))

        /// True: it was cancelled before.
        func set(_ receipt: ImageDownloadReceipt) -> Bool {
            state.withLock { state in
                state.receipt = receipt
                return state.isCancelled
            }
        }

        func cancel() -> ImageDownloadReceipt? {
            state.withLock { state in
                state.isCancelled = true
                return state.receipt
            }
        }
    }
}
