// SPDX-License-Identifier: MIT

// Each letter that is typed cancels the search before it.
import AFNetworking

class SearchField {
    private let manager: AFHTTPRequestOperationManager
    private weak var current: AFHTTPRequestOperation?
    private(set) var cancelledCount = 0
    private(set) var results: [String] = []

    init(baseURL: URL) {
        manager = AFHTTPRequestOperationManager(baseURL: baseURL)
    }

    func textDidChange(_ text: String, completion: (() -> Void)? = nil) {
        current?.cancel()
        current = manager.get(
            "search", parameters: ["q": text],
            success: { [weak self] _, responseObject in
                self?.results = responseObject as? [String] ?? []
                completion?()
            },
            failure: { [weak self] operation, error in
                let error = error as NSError
                if error.domain == NSURLErrorDomain && error.code == NSURLErrorCancelled {
                    self?.cancelledCount += 1
                }
            })
    }
}
