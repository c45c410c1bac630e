// SPDX-License-Identifier: MIT

// A batch with progress, in both spellings.
import AFNetworking

class ThumbnailLoader: NSObject {
    let queue = OperationQueue()
    var thumbnails: [String: Data] = [:]
    var failedURLs: [URL] = []
    var progressText = ""

    func load(_ urls: [URL], progress: ((Float) -> Void)?, completion: @escaping () -> Void) {
        var operations: [AFHTTPRequestOperation] = []
        for url in urls {
            let operation = AFHTTPRequestOperation(request: URLRequest(url: url))
            operation.responseSerializer = AFHTTPResponseSerializer()
            operation.setCompletionBlockWithSuccess(
                { [weak self] operation, responseObject in
                    self?.thumbnails[url.lastPathComponent] = responseObject as? Data
                },
                failure: { [weak self] operation, error in
                    self?.failedURLs.append(url)
                })
            operations.append(operation)
        }
        let batch = AFURLConnectionOperation.batch(
            ofRequestOperations: operations,
            progressBlock: {
                (numberOfFinishedOperations, totalNumberOfOperations) in
                self.progressText = "\(numberOfFinishedOperations) of \(totalNumberOfOperations)"
                progress?(Float(numberOfFinishedOperations) / Float(totalNumberOfOperations))
            },
            completionBlock: { operations in
                completion()
            })
        queue.addOperations(batch as! [Operation], waitUntilFinished: false)
    }

    func loadTheOldWay(_ urls: [NSURL], completion: @escaping (Int) -> Void) {
        let operations = NSMutableArray()
        for url in urls {
            operations.add(AFHTTPRequestOperation(request: NSURLRequest(url: url as URL)))
        }
        let batch = AFURLConnectionOperation.batchOfRequestOperations(
            operations as [AnyObject],
            progressBlock: {
                (finished: UInt, total: UInt) -> Void in
                self.progressText = String(format: "%lu/%lu", finished, total)
            },
            completionBlock: { (operations: [AnyObject]!) -> Void in
                let good = operations.filter { ($0 as! AFHTTPRequestOperation).error == nil }
                completion(good.count)
            })
        for operation in batch {
            OperationQueue.main.addOperation(operation as! Operation)
        }
    }
}
