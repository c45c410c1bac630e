// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworking

/// Transfers by data tasks of a session manager, but with a serializer of images.
struct SessionImageTransport: ImageTransport {
    let manager: HTTPSessionManager

    var hasCache: Bool { manager.session.configuration.urlCache != nil }

    func makeTransfer(
        for request: URLRequest, thumbnailSize: Int?,
        completion: @escaping @Sendable (Result<ImageTransferResult, any Error>) -> Void
    ) -> any ImageTransfer {
        let serializer = ImageResponseSerializer.of(manager.responseSerializer, thumbnailSize: thumbnailSize)
        let task = manager.dataTask(with: request, uploadProgress: nil, downloadProgress: nil) {
            response, object, error in
            completion(
                Result {
                    if let error { throw error }
                    return try ImageTransferResult(
                        object, response: response as? HTTPURLResponse, thumbnailSize: serializer.thumbnailSize)
                })
        }
        manager.detach(task, serializer: serializer)
        return Transfer(task)
    }

    private final class Transfer: ImageTransfer {
        private let task: URLSessionDataTask

        init(_ task: URLSessionDataTask) { self.task = task }

        func start() { task.resume() }
        func cancel() { task.cancel() }
    }
}
