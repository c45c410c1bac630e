// SPDX-License-Identifier: MIT

// Requests wait in a suspended queue until there is a network.
import AFNetworking

class OfflineQueue {
    let manager: AFHTTPRequestOperationManager
    private(set) var sent: [String] = []

    init(baseURL: URL) {
        manager = AFHTTPRequestOperationManager(baseURL: baseURL)
        manager.operationQueue.isSuspended = true
        manager.reachabilityManager = AFNetworkReachabilityManager(forDomain: "localhost")
    }

    func networkDidChange(_ status: AFNetworkReachabilityStatus) {
        switch status {
        case .reachableViaWiFi, .reachableViaWWAN:
            manager.operationQueue.isSuspended = false
        default:
            manager.operationQueue.isSuspended = true
        }
    }

    func send(_ text: String, completion: @escaping () -> Void) {
        manager.post(
            "messages", parameters: ["text": text],
            success: { _, _ in
                self.sent.append(text)
                completion()
            },
            failure: { _, _ in
                completion()
            })
    }
}
