// SPDX-License-Identifier: MIT

// A list of transfers with a bar for each, and one for all.
import AFNetworking

class TransferList {
    let manager = AFURLSessionManager(sessionConfiguration: URLSessionConfiguration.default)
    let total: Progress
    private(set) var bars: [Progress] = []

    init(count: Int) {
        total = Progress(totalUnitCount: Int64(count))
        manager.responseSerializer = AFHTTPResponseSerializer()
    }

    func upload(_ data: Data, to url: URL, completion: @escaping (Error?) -> Void) {
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        total.becomeCurrent(withPendingUnitCount: 1)
        let task = manager.uploadTask(with: request, from: data, progress: nil) { response, object, error in
            completion(error)
        }
        total.resignCurrent()
        if let progress = manager.uploadProgress(for: task) { bars.append(progress) }
        task.resume()
    }

    func download(_ url: URL, to file: URL, completion: @escaping (Error?) -> Void) {
        total.becomeCurrent(withPendingUnitCount: 1)
        let task = manager.downloadTask(
            with: URLRequest(url: url), progress: nil,
            destination: { _, _ in
                return file
            },
            completionHandler: { _, _, error in
                completion(error)
            })
        total.resignCurrent()
        if let progress = manager.downloadProgress(for: task) { bars.append(progress) }
        task.resume()
    }

    var running: Int { return manager.uploadTasks.count + manager.downloadTasks.count }
}
