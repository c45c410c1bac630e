// SPDX-License-Identifier: MIT

// Downloads to a file through an output stream, with progress, without a manager and without a queue.
import AFNetworking

class FileDownloader {
    var onProgress: ((Double) -> Void)?
    private(set) var operation: AFHTTPRequestOperation?

    func download(_ url: URL, to path: String, completion: @escaping (Int64, Error?) -> Void) {
        let request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 30)
        let operation = AFHTTPRequestOperation(request: request)
        operation.outputStream = OutputStream(toFileAtPath: path, append: false)
        operation.setDownloadProgressBlock { bytesRead, totalBytesRead, totalBytesExpectedToRead in
            if totalBytesExpectedToRead > 0 {
                self.onProgress?(Double(totalBytesRead) / Double(totalBytesExpectedToRead))
            }
        }
        operation.setCompletionBlockWithSuccess(
            { operation, responseObject in
                let attributes = try? FileManager.default.attributesOfItem(atPath: path)
                completion((attributes?[.size] as? NSNumber)?.int64Value ?? 0, nil)
            },
            failure: { operation, error in
                try? FileManager.default.removeItem(atPath: path)
                completion(0, error)
            })
        operation.start()
        self.operation = operation
    }

    func cancel() {
        operation?.cancel()
        operation = nil
    }
}
