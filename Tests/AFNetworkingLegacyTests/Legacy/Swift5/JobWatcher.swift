// SPDX-License-Identifier: MIT

// Asks until the server is done.
import AFNetworking

class JobWatcher: NSObject {
    private let manager: AFHTTPRequestOperationManager
    private(set) var states: [String] = []

    init(baseURL: URL) {
        manager = AFHTTPRequestOperationManager(baseURL: baseURL)
        super.init()
    }

    func watch(_ id: Int, completion: @escaping (Bool) -> Void) {
        manager.GET(
            "jobs/\(id)", parameters: nil,
            success: { [weak self] operation, responseObject in
                guard let state = (responseObject as? [String: AnyObject])?["state"] as? String else {
                    return completion(false)
                }
                self?.states.append(state)
                if state == "done" {
                    completion(true)
                } else {
                    self?.watch(id, completion: completion)
                }
            },
            failure: { operation, error in
                completion(false)
            })
    }
}
