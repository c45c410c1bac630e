// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworking

/// Transfers by operations of a manager, in its queue and with its settings, but with a serializer of images.
struct OperationImageTransport: ImageTransport {
    let manager: HTTPRequestOperationManager
    /// Not the main queue, which the program may not run.
    private let queue = DispatchQueue(label: "OperationNetworking.images", attributes: .concurrent)

    init(manager: HTTPRequestOperationManager) {
        self.manager = manager
    }

    var hasCache: Bool { manager.urlCache != nil }

    func makeTransfer(
        for request: URLRequest, thumbnailSize: Int?,
        completion: @escaping @Sendable (Result<ImageTransferResult, any Error>) -> Void
    ) -> any ImageTransfer {
        let serializer = ImageResponseSerializer.of(manager.responseSerializer, thumbnailSize: thumbnailSize)
        let operation = manager.httpRequestOperation(
            with: request,
            success: { operation, object in
                completion(
                    Result {
                        try ImageTransferResult(
                            object, response: operation.response, thumbnailSize: serializer.thumbnailSize)
                    })
            },
            failure: { completion(.failure($1)) })
        operation.responseSerializer = serializer
        operation.completionQueue = queue
        return Transfer(operation: operation, manager: manager)
    }

    private final class Transfer: ImageTransfer {
        private let operation: HTTPRequestOperation
        private let manager: HTTPRequestOperationManager

        init(operation: HTTPRequestOperation, manager: HTTPRequestOperationManager) {
            self.operation = operation
            self.manager = manager
        }

        func start() { manager.enqueue(operation) }
        func cancel() { operation.cancel() }
    }
}
