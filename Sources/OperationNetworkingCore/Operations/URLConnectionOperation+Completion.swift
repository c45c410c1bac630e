// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import NetworkingSupport

extension DispatchQueue {
    /// The main queue, as one object: on Linux `DispatchQueue.main` makes another each time.
    package static let sharedMain = DispatchQueue.main
    private static let mainLabel = sharedMain.label

    /// True for the main queue. It is known by its label, since it may be another object.
    var isMain: Bool { label == Self.mainLabel }

    /// This queue, or the one object of the main queue.
    var canonical: DispatchQueue { isMain ? .sharedMain : self }
}

extension URLConnectionOperation {
    /// The queue for completion, progress and notifications.
    var deliveryQueue: DispatchQueue {
        lock.withLock { _configuration.value.completionQueue ?? .sharedMain }
    }

    func setCompletion(_ handler: CompletionHandler?) {
        lock.withLock { _completion = handler }
    }

    /// Runs the completion handler on the completion queue, in the completion group, and then `next`, which ends the
    /// operation, if it has not ended.
    ///
    /// The handler is cleared: a block that captures the operation does not keep it alive. Where nothing has been, or
    /// is to be, called on the queue, only the notification is left to it, since the program perhaps does not run it.
    ///
    /// - Parameter group: the group that `_enterCompletionGroup()` has returned.
    func deliverCompletion(in group: DispatchGroup?, then next: (@Sendable () -> Void)?) {
        let (queue, isIdle, followers) = lock.withLock {
            let isIdle = _completion == nil && group == nil && !_configuration.value.callsOnCompletionQueue
            let followers = isIdle && next == nil ? _endCompletion() : []
            return (_configuration.value.completionQueue ?? .sharedMain, isIdle, followers)
        }
        if isIdle {
            Trace.step(.deliver, self)
            postNotification(.networkingOperationDidFinish)
            for follower in followers { follower(self) }
            if let next { endCompletion(after: next) }
            return
        }
        runtime.complete(on: queue) { [self] in
            Trace.step(.deliver, self)
            if postsNotifications { NotificationCenter.default.post(name: .networkingOperationDidFinish, object: self) }
            let handler = lock.withLock { _completion.take() }
            if let handler { runCompletion(handler) }
            // A caller that asked while the handler ran waits for its return, too.
            if let next { endCompletion(after: next) } else { endCompletion() }
            group?.leave()
        }
    }

    /// Ends the operation, and then calls the blocks that waited for its completion: a batch completes when its members
    /// have ended.
    private func endCompletion(after end: () -> Void) {
        end()
        // It may have been put off until a queue's call of `start()` returns.
        whenFinished { [self] in endCompletion() }
    }

    /// Calls the blocks that waited for the completion handler.
    private func endCompletion() {
        let followers = lock.withLock { _endCompletion() }
        for follower in followers { follower(self) }
    }

    /// Enters the completion group: in the critical section that ends the operation, so that a caller that sees it
    /// finished can wait for the group. Called with `lock` held.
    func _enterCompletionGroup() -> DispatchGroup? {
        let group = _configuration.value.completionGroup
        group?.enter()
        return group
    }

    /// The completion handler has returned, or was not set. Returns the blocks that waited for that. Called with `lock`
    /// held.
    private func _endCompletion() -> [@Sendable (URLConnectionOperation) -> Void] {
        defer { _afterCompletion = [] }
        _completionWasDelivered = true
        return _afterCompletion
    }

    /// Posts a notification on the delivery queue.
    func postNotification(_ name: Notification.Name) {
        guard postsNotifications else { return }
        NotificationMailbox.shared.post(name, object: self, on: deliveryQueue)
    }

    /// Calls `block` once the user's own completion blocks have returned and the operation has ended, on the queue on
    /// which they ran; without any, on the thread that ends the operation. False, and no call, when that has been
    /// already.
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
            guard _machine.state != .finished else { return false }
            _atFinish.append(block)
            return true
        }
        if !pending { block() }
    }

    /// Suspends until the operation has finished.
    ///
    /// - Parameter begin: called at once, when the end is waited for already.
    nonisolated(nonsending) func waitUntilEnded(_ begin: () -> Void = {}) async {
        await withCheckedContinuation { continuation in
            whenFinished { [runtime] in continuation.resumeUnlocked(on: runtime) }
            begin()
        }
    }
}

extension URLConnectionOperation.Configuration {
    /// True if blocks are called on the completion queue before the end: what follows the end comes after them there.
    fileprivate var callsOnCompletionQueue: Bool {
        uploadProgress != nil || downloadProgress != nil || informationalBlock != nil
    }
}
