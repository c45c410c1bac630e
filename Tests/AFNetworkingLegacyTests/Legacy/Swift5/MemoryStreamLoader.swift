// SPDX-License-Identifier: MIT

// A response through a stream of one's own, and its bytes out of it again.
import AFNetworking

class MemoryStreamLoader {
    private(set) var totals: [Int64] = []

    func load(_ url: URL, completion: @escaping (Data?, Error?) -> Void) {
        let stream = OutputStream.toMemory()
        let operation = AFHTTPRequestOperation(request: URLRequest(url: url))
        operation.outputStream = stream
        operation.setDownloadProgressBlock { _, totalBytesRead, _ in
            self.totals.append(totalBytesRead)
        }
        operation.setCompletionBlockWithSuccess(
            { operation, _ in
                completion(stream.property(forKey: .dataWrittenToMemoryStreamKey) as? Data, nil)
            },
            failure: { _, error in
                completion(nil, error)
            })
        operation.start()
    }
}
