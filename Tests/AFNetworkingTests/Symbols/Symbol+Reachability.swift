// SPDX-License-Identifier: MIT
import AFNetworking

extension Symbol {
    static var reachability: [Symbol] {
        typealias Manager = AFNetworkReachabilityManager
        return [
            available("AFHTTPRequestOperationManager.reachabilityManager", "reachabilityManager") {
                (manager: AFHTTPRequestOperationManager) in
                manager.reachabilityManager = typed(Manager.self, manager.reachabilityManager)
            },
            available("AFNetworkReachabilityStatus", "AFNetworkReachabilityStatus") {
                (_: AFNetworkReachabilityStatus) in
            },
            available("AFNetworkReachabilityStatusUnknown", "Unknown", "unknown") { (_: Void) in
                _ = [AFNetworkReachabilityStatus.Unknown, .unknown]
            },
            available("AFNetworkReachabilityStatusNotReachable", "NotReachable", "notReachable") { (_: Void) in
                _ = [AFNetworkReachabilityStatus.NotReachable, .notReachable]
            },
            available("AFNetworkReachabilityStatusReachableViaWWAN", "ReachableViaWWAN", "reachableViaWWAN") {
                (_: Void) in _ = [AFNetworkReachabilityStatus.ReachableViaWWAN, .reachableViaWWAN]
            },
            available("AFNetworkReachabilityStatusReachableViaWiFi", "ReachableViaWiFi", "reachableViaWiFi") {
                (_: Void) in _ = [AFNetworkReachabilityStatus.ReachableViaWiFi, .reachableViaWiFi]
            },
            available("AFNetworkReachabilityManager", "AFNetworkReachabilityManager") { (_: Manager) in },
            available("AFNetworkReachabilityManager.networkReachabilityStatus", "networkReachabilityStatus") {
                (manager: Manager) in _ = typed(AFNetworkReachabilityStatus.self, manager.networkReachabilityStatus)
            },
            available("AFNetworkReachabilityManager.reachable", "reachable", "isReachable") { (manager: Manager) in
                _ = [manager.reachable, manager.isReachable]
            },
            available("AFNetworkReachabilityManager.reachableViaWWAN", "reachableViaWWAN", "isReachableViaWWAN") {
                (manager: Manager) in _ = [manager.reachableViaWWAN, manager.isReachableViaWWAN]
            },
            available("AFNetworkReachabilityManager.reachableViaWiFi", "reachableViaWiFi", "isReachableViaWiFi") {
                (manager: Manager) in _ = [manager.reachableViaWiFi, manager.isReachableViaWiFi]
            },
            available("+[AFNetworkReachabilityManager sharedManager]", "sharedManager()", "shared()") { (_: Void) in
                _ = [Manager.sharedManager(), Manager.shared(), Manager.shared]
            },
            available("+[AFNetworkReachabilityManager managerForDomain:]", "init(forDomain:)") { (_: Void) in
                _ = Manager(forDomain: "example.com")
            },
            available("+[AFNetworkReachabilityManager managerForAddress:]", "init(forAddress:)") {
                (address: UnsafeRawPointer) in _ = Manager(forAddress: address)
            },
            available("-[AFNetworkReachabilityManager startMonitoring]", "startMonitoring()") { (manager: Manager) in
                manager.startMonitoring()
            },
            available("-[AFNetworkReachabilityManager stopMonitoring]", "stopMonitoring()") { (manager: Manager) in
                manager.stopMonitoring()
            },
            available(
                "-[AFNetworkReachabilityManager localizedNetworkReachabilityStatusString]",
                "localizedNetworkReachabilityStatusString()"
            ) { (manager: Manager) in
                let text: String = manager.localizedNetworkReachabilityStatusString()
                _ = [text, manager.localizedNetworkReachabilityStatusString]
            },
            available(
                "-[AFNetworkReachabilityManager setReachabilityStatusChangeBlock:]",
                "setReachabilityStatusChangeBlock(_:)", "setReachabilityStatusChange(_:)"
            ) { (manager: Manager) in
                manager.setReachabilityStatusChangeBlock { (status: AFNetworkReachabilityStatus) in _ = status }
                manager.setReachabilityStatusChange(nil)
            },
            available(
                "AFNetworkingReachabilityDidChangeNotification", "AFNetworkingReachabilityDidChangeNotification",
                "AFNetworkingReachabilityDidChange"
            ) { (_: Void) in
                _ =
                    Notification.Name(rawValue: AFNetworkingReachabilityDidChangeNotification)
                    == Notification.Name.AFNetworkingReachabilityDidChange
            },
            available(
                "AFNetworkingReachabilityNotificationStatusItem", "AFNetworkingReachabilityNotificationStatusItem"
            ) {
                (notification: Notification) in
                _ = notification.userInfo?[AFNetworkingReachabilityNotificationStatusItem] as? NSNumber
            },
            available("AFStringFromNetworkReachabilityStatus", "AFStringFromNetworkReachabilityStatus(_:)") {
                (status: AFNetworkReachabilityStatus) in
                _ = typed(String.self, AFStringFromNetworkReachabilityStatus(status))
            },
        ]
    }

    static var activity: [Symbol] {
        typealias Manager = AFNetworkActivityIndicatorManager
        return [
            available(
                "AFNetworkActivityIndicatorManager", "AFNetworkActivityIndicatorManager",
                note: "What shows activity is up to setNetworkingActivityAction(_:)."
            ) { (manager: Manager) in
                manager.setNetworkingActivityAction { (isVisible: Bool) in _ = isVisible }
            },
            available("AFNetworkActivityIndicatorManager.enabled", "enabled", "isEnabled") { (manager: Manager) in
                manager.enabled = true
                manager.isEnabled = true
            },
            available(
                "AFNetworkActivityIndicatorManager.isNetworkActivityIndicatorVisible",
                "isNetworkActivityIndicatorVisible"
            ) { (manager: Manager) in _ = typed(Bool.self, manager.isNetworkActivityIndicatorVisible) },
            available("+[AFNetworkActivityIndicatorManager sharedManager]", "sharedManager()", "shared()") {
                (_: Void) in _ = [Manager.sharedManager(), Manager.shared(), Manager.shared]
            },
            available("-[AFNetworkActivityIndicatorManager incrementActivityCount]", "incrementActivityCount()") {
                (manager: Manager) in manager.incrementActivityCount()
            },
            available("-[AFNetworkActivityIndicatorManager decrementActivityCount]", "decrementActivityCount()") {
                (manager: Manager) in manager.decrementActivityCount()
            },
        ]
    }
}
