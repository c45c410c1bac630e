// SPDX-License-Identifier: MIT

// Writes down what the tasks of a manager do, from their notifications.
import AFNetworking

class TaskLogger {
    private(set) var lines: [String] = []
    private var tokens: [NSObjectProtocol] = []

    func observe(_ path: String) {
        let center = NotificationCenter.default
        tokens.append(
            center.addObserver(forName: .AFNetworkingTaskDidResume, object: nil, queue: nil) { note in
                guard self.isMine(note, path) else { return }
                self.lines.append("resume")
            })
        tokens.append(
            center.addObserver(forName: .AFNetworkingTaskDidSuspend, object: nil, queue: nil) { note in
                guard self.isMine(note, path) else { return }
                self.lines.append("suspend")
            })
        let complete = Notification.Name(AFNetworkingTaskDidCompleteNotification)
        tokens.append(
            center.addObserver(forName: complete, object: nil, queue: nil) { note in
                guard self.isMine(note, path) else { return }
                let error = note.userInfo?[AFNetworkingTaskDidCompleteErrorKey] as? NSError
                let object = note.userInfo?[AFNetworkingTaskDidCompleteSerializedResponseKey] as? [String: Any]
                let data = note.userInfo?[AFNetworkingTaskDidCompleteResponseDataKey] as? Data
                let serializer = note.userInfo?[AFNetworkingTaskDidCompleteResponseSerializerKey]
                self.lines.append(
                    "complete \(error?.code ?? 0) \(object?.count ?? 0) \(data?.count ?? 0) \(serializer is AFJSONResponseSerializer)"
                )
            })
    }

    private func isMine(_ note: Notification, _ path: String) -> Bool {
        return (note.object as? URLSessionTask)?.originalRequest?.url?.path == path
    }

    deinit {
        tokens.forEach { NotificationCenter.default.removeObserver($0) }
    }
}
