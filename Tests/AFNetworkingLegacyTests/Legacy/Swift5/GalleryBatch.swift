// SPDX-License-Identifier: MIT

// Pictures in one batch, with one look at what failed.
import AFNetworking

class GalleryBatch {
    private(set) var failed: [String] = []
    private(set) var progress: [String] = []

    func load(_ urls: [URL], completion: @escaping (Int) -> Void) {
        let mutableOperations = NSMutableArray()
        for url in urls {
            let operation = AFHTTPRequestOperation(request: URLRequest(url: url))
            operation.userInfo = ["path": url.path]
            mutableOperations.add(operation)
        }
        let operations = AFURLConnectionOperation.batch(
            ofRequestOperations: mutableOperations as? [Any],
            progressBlock: { numberOfFinishedOperations, totalNumberOfOperations in
                self.progress.append("\(numberOfFinishedOperations)/\(totalNumberOfOperations)")
            },
            completionBlock: { operations in
                var bytes = 0
                for case let operation as AFHTTPRequestOperation in operations {
                    if operation.error != nil, let path = operation.userInfo["path"] as? String {
                        self.failed.append(path)
                    } else {
                        bytes += operation.responseData?.count ?? 0
                    }
                }
                completion(bytes)
            })
        OperationQueue.main.addOperations(operations as! [Operation], waitUntilFinished: false)
    }
}
