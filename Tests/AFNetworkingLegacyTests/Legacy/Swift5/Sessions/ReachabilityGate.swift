// SPDX-License-Identifier: MIT

// Sends nothing before the network is there.
import AFNetworking

class ReachabilityGate {
    let manager: AFHTTPSessionManager
    private(set) var waiting: [() -> Void] = []
    private(set) var isOpen = false

    init(baseURL: URL, address: String) {
        manager = AFHTTPSessionManager(baseURL: baseURL)
        if let reachability = AFNetworkReachabilityManager(address: address) {
            manager.reachabilityManager = reachability
        }
        manager.reachabilityManager.setReachabilityStatusChange { status in
            switch status {
            case .reachableViaWiFi, .reachableViaWWAN:
                self.isOpen = true
                let actions = self.waiting
                self.waiting = []
                actions.forEach { $0() }
            default:
                self.isOpen = false
            }
        }
    }

    func send(_ path: String, completion: @escaping (Any?) -> Void) {
        let action = {
            _ = self.manager.get(
                path, parameters: nil, headers: nil, progress: nil,
                success: { _, object in
                    completion(object)
                }, failure: { _, _ in completion(nil) })
        }
        if isOpen { action() } else { waiting.append(action) }
    }

    func start() {
        manager.reachabilityManager.startMonitoring()
    }

    deinit { manager.reachabilityManager.stopMonitoring() }
}
