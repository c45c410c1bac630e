// SPDX-License-Identifier: MIT

// Counts the requests under way, by notifications, as a status bar's indicator does.
import AFNetworking

class ActivityCounter: NSObject {
    private(set) var activityCount = 0
    private(set) var maximum = 0
    private(set) var seenPaths: [String] = []
    var host: String?
    private var tokens: [NSObjectProtocol] = []

    var isNetworkActivityIndicatorVisible: Bool {
        return activityCount > 0
    }

    override init() {
        super.init()
        let center = NotificationCenter.default
        tokens.append(
            center.addObserver(
                forName: NSNotification.Name.AFNetworkingOperationDidStart, object: nil, queue: nil
            ) { [weak self] notification in
                self?.change(by: 1, notification)
            })
        tokens.append(
            center.addObserver(
                forName: NSNotification.Name(rawValue: AFNetworkingOperationDidFinishNotification), object: nil,
                queue: nil,
                using: { [weak self] notification in self?.change(by: -1, notification) }))
    }

    deinit {
        tokens.forEach { NotificationCenter.default.removeObserver($0) }
    }

    private func change(by difference: Int, _ notification: Notification) {
        guard let operation = notification.object as? AFURLConnectionOperation,
            let url = operation.request.url, host == nil || url.host == host
        else { return }
        activityCount += difference
        maximum = max(maximum, activityCount)
        if difference > 0 {
            seenPaths.append(url.path)
        }
    }
}
