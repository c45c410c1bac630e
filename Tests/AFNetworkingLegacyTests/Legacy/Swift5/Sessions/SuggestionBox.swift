// SPDX-License-Identifier: MIT

// Search as you type: the last request counts, those before are cancelled.
import AFNetworking

class SuggestionBox {
    let manager: AFHTTPSessionManager
    private var task: URLSessionDataTask?
    private(set) var cancelled = 0

    init(baseURL: URL) {
        manager = AFHTTPSessionManager(baseURL: baseURL)
    }

    func type(_ text: String, completion: @escaping ([String]) -> Void) {
        task?.cancel()
        task = manager.get(
            "suggest", parameters: ["q": text], headers: nil, progress: nil,
            success: { _, object in
                completion((object as? [String]) ?? [])
            },
            failure: { _, error in
                if (error as NSError).code == NSURLErrorCancelled {
                    self.cancelled += 1
                    return
                }
                completion([])
            })
    }
}
