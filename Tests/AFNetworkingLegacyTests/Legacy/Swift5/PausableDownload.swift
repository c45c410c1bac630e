// SPDX-License-Identifier: MIT

// A download that its user may hold.
import AFNetworking

class PausableDownload {
    let operation: AFHTTPRequestOperation
    private(set) var fraction: Float = 0
    private(set) var received: Int64 = 0
    var onProgress: (() -> Void)?

    init(url: URL, path: String?) {
        operation = AFHTTPRequestOperation(request: URLRequest(url: url))
        if let path = path {
            operation.outputStream = OutputStream(toFileAtPath: path, append: false)
        }
        operation.setDownloadProgressBlock { [weak self] (bytesRead: UInt, total: Int64, expected: Int64) -> Void in
            self?.received = total
            self?.fraction = Float(total) / Float(expected)
            self?.onProgress?()
        }
    }

    func start(completion: @escaping (Data?, Error?) -> Void) {
        operation.setCompletionBlockWithSuccess(
            { operation, _ in
                completion(operation.responseData, nil)
            },
            failure: { _, error in
                completion(nil, error)
            })
        operation.start()
    }

    func toggle() {
        if operation.isPaused {
            operation.resume()
        } else {
            operation.pause()
        }
    }
}
