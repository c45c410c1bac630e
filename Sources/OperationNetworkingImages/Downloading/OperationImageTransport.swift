internal import Dispatch
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworking

/// Transfers by operations of a manager, in its queue and with its settings, but with a serializer of images.
struct OperationImageTransport: ImageTransport {
    var hasCache: Bool { false }
    let manager: HTTPRequestOperationManager
    /// The manager's, when that makes images.
    let serializer: ImageResponseSerializer
    /// Not the main queue, which perhaps nobody runs.
    private let queue = DispatchQueue(label: "OperationNetworking.images", attributes: .concurrent)

    init(manager: HTTPRequestOperationManager) {
        self.manager = manager
        serializer = manager.responseSerializer as? ImageResponseSerializer ?? ImageResponseSerializer()
    }

    func makeTransfer(
        for request: URLRequest, thumbnailSize: Int?,
        completion: @escaping @Sendable (Result<ImageTransferResult, any Error>) -> Void
    ) -> any ImageTransfer {
        let operation = manager.httpRequestOperation(
            with: request,
            success: { operation, object in
                do {
                    let image =
                        switch object {
                        case let image as Image: image
                        case let file as EncodedImage: try file.decoded(thumbnailSize: thumbnailSize)
                        default: throw URLError(.zeroByteResource)
                        }
                    completion(.success(ImageTransferResult(image: image, response: operation.response)))
                } catch {
                    completion(.failure(error))
                }
            },
            failure: { completion(.failure($1)) })
        operation.responseSerializer = serializer(thumbnailSize: thumbnailSize)
        operation.completionQueue = queue
        return Transfer(operation: operation, manager: manager)
    }

    private func serializer(thumbnailSize: Int?) -> ImageResponseSerializer {
        guard let thumbnailSize, let copy = serializer.copy() as? ImageResponseSerializer else { return serializer }
        copy.thumbnailSize = thumbnailSize
        return copy
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
