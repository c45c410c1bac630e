internal import Dispatch
internal import Foundation
internal import NetworkingSupport

extension URLConnectionOperation {
    /// Where completion, progress and notifications go.
    var deliveryQueue: DispatchQueue {
        lock.withLock { _configuration.completionQueue ?? .main }
    }

    func setCompletion(_ handler: CompletionHandler?) {
        lock.withLock { _completion = handler }
    }

    /// Runs the completion handler on the completion queue, in the completion group, and then `next`.
    ///
    /// The handler is cleared: a block that captures the operation does not keep it alive.
    func deliverCompletion(then next: (@Sendable () -> Void)?) {
        let (queue, group) = lock.withLock { (_configuration.completionQueue ?? .main, _configuration.completionGroup) }
        group?.enter()
        queue.async { [self] in
            NotificationCenter.default.post(name: .networkingOperationDidFinish, object: self)
            let handler = lock.withLock { _completion.take() }
            if let handler { runCompletion(handler) }
            // Whoever asked while the handler ran waits for its return, too.
            let followers = lock.withLock {
                defer {
                    _afterCompletion = []
                    _completionWasDelivered = true
                }
                return _afterCompletion
            }
            for follower in followers { follower(self) }
            next?()
            group?.leave()
        }
    }

    /// Posts a notification on the delivery queue.
    func postNotification(_ name: Notification.Name) {
        NotificationMailbox.shared.post(name, object: self, on: deliveryQueue)
    }

    /// Calls `block` once the user's own completion blocks have returned, on the queue on which they ran. False, and no
    /// call, when that has been already.
    func afterCompletion(_ block: @escaping @Sendable (URLConnectionOperation) -> Void) -> Bool {
        lock.withLock {
            guard !_completionWasDelivered else { return false }
            _afterCompletion.append(block)
            return true
        }
    }

    /// Calls `block` when the operation has finished, on the thread that finished it; at once when it has.
    func whenFinished(_ block: @escaping @Sendable () -> Void) {
        let pending = lock.withLock {
            guard _lifecycle.state != .finished else { return false }
            _atFinish.append(block)
            return true
        }
        if !pending { block() }
    }
}

/// Collects notifications for a queue and posts them together, so that thousands of short operations do not mean as many
/// dispatches.
final class NotificationMailbox: Sendable {
    static let shared = NotificationMailbox()

    private struct Entry {
        let queue: DispatchQueue
        var notifications: [(name: Notification.Name, object: URLConnectionOperation)]
    }

    private let entries = Locked<[ObjectIdentifier: Entry]>([:])

    func post(_ name: Notification.Name, object: URLConnectionOperation, on queue: DispatchQueue) {
        let key = ObjectIdentifier(queue)
        let isFirst = entries.withLock { entries in
            if entries[key]?.notifications.append((name, object)) != nil { return false }
            entries[key] = Entry(queue: queue, notifications: [(name, object)])
            return true
        }
        guard isFirst else { return }
        queue.async { [self] in
            let entry = entries.withLock { $0.removeValue(forKey: key) }
            for (name, object) in entry?.notifications ?? [] {
                NotificationCenter.default.post(name: name, object: object)
            }
        }
    }
}
