// SPDX-License-Identifier: MIT

// A model of a screen, on the main actor: blocks come on the main queue, and say so to the compiler.
import AFNetworking

@MainActor
final class GalleryModel {
    private(set) var names: [String] = []
    private(set) var progress: Double = 0
    private(set) var message: String?
    private let queue = OperationQueue()

    func load(_ urls: [URL], completion: @escaping @MainActor () -> Void) {
        let operations = urls.map { url in
            let operation = AFHTTPRequestOperation(request: URLRequest(url: url))
            operation.setCompletionBlockWithSuccess(
                { operation, _ in
                    MainActor.assumeIsolated { self.names.append(operation.request.url?.lastPathComponent ?? "") }
                },
                failure: { operation, error in
                    let code = operation.response?.statusCode ?? (error as NSError).code
                    MainActor.assumeIsolated { self.message = "failed with \(code)" }
                })
            return operation
        }
        let batch = AFURLConnectionOperation.batchOfRequestOperations(
            operations,
            progressBlock: { finished, total in
                MainActor.assumeIsolated { self.progress = Double(finished) / Double(total) }
            },
            completionBlock: { _ in
                MainActor.assumeIsolated { completion() }
            })
        queue.addOperations(batch, waitUntilFinished: false)
    }

    func cancel() {
        queue.cancelAllOperations()
    }
}
