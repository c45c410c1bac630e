// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import NetworkingSupport

/// Collects notifications for a queue and posts them together, so that thousands of short operations do not mean as
/// many dispatches. They go with a completion that is on its way to the queue, or else have a dispatch of their own.
///
/// A queue that does not run, such as the main queue of a tool that waits for its requests, must not keep operations
/// and tasks alive for ever. After a second without a sign of life the mailbox goes on without holding them, and a
/// notification is dropped with its object.
package final class NotificationMailbox: Sendable {
    package typealias Object = any AnyObject & Sendable

    package static let shared = NotificationMailbox()

    /// The object of a notification.
    fileprivate enum Subject {
        case held(Object)
        /// Not held: its queue has given no sign of life.
        case known(WeakReference)

        var object: Object? {
            switch self {
            case .held(let object): object
            case .known(let reference): reference.object
            }
        }
    }

    fileprivate final class WeakReference: Sendable {
        weak let object: Object?

        init(_ object: Object) {
            self.object = object
        }
    }

    fileprivate struct Item {
        let name: Notification.Name
        var subject: Subject
        /// Made of the object when the notification is posted.
        let userInfo: (@Sendable (Object) -> [AnyHashable: Any]?)?
    }

    fileprivate struct Entry {
        let queue: DispatchQueue
        let number: UInt
        var items: [Item] = []
        /// The time when the delivery was asked for, in seconds of the uptime.
        let since: TimeInterval
        var isStalled = false
    }

    private struct State {
        /// One for each queue that a notification waits for: few.
        var entries: [Entry] = []
        /// The number of the newest entry.
        var lastNumber: UInt = 0
        /// A look at the entries' age is under way.
        var isWatching = false

        /// Returns the index of the queue's entry, and true if it is new: then its delivery has to be arranged.
        mutating func entry(for queue: DispatchQueue) -> (index: Int, isNew: Bool) {
            if let index = entries.firstIndex(where: { $0.queue === queue }) { return (index, false) }
            lastNumber &+= 1
            var entry = Entry(queue: queue, number: lastNumber, since: Runtime.current.uptime)
            // Room for the items that come together on a busy queue, so that the array need not grow step by step.
            entry.items.reserveCapacity(16)
            entries.append(entry)
            return (entries.count - 1, true)
        }
    }

    /// Seconds that a queue may take before the mailbox stops holding its objects.
    private static let patience = 1.0

    private let state = Locked(State())

    /// - Parameter userInfo: called with the object, on the queue, if it comes to that; must not hold the object.
    package func post(
        _ name: Notification.Name, object: Object, on queue: DispatchQueue,
        userInfo: (@Sendable (Object) -> [AnyHashable: Any]?)? = nil
    ) {
        let (newEntry, watches) = state.withLock { state -> (UInt?, Bool) in
            let (index, isNew) = state.entry(for: queue)
            let subject: Subject = state.entries[index].isStalled ? .known(WeakReference(object)) : .held(object)
            state.entries[index].items.append(Item(name: name, subject: subject, userInfo: userInfo))
            defer { state.isWatching = true }
            return (isNew ? state.lastNumber : nil, !state.isWatching)
        }
        if let newEntry { arrange(newEntry, on: queue) }
        if watches { watch() }
    }

    /// Arranges the delivery of an entry.
    private func arrange(_ entry: UInt, on queue: DispatchQueue) {
        let runtime = Runtime.current
        guard runtime.isNetworkThread else { return runtime.on(queue) { [self] in deliver(on: queue) } }
        // Where requests are short, a completion takes the notifications along before that.
        runtime.soonOnNetworkThread { [self] in
            let isWaiting = state.withLock { state in state.entries.contains { $0.number == entry } }
            if isWaiting { runtime.on(queue) { [self] in deliver(on: queue) } }
        }
    }

    /// Says that the caller is about to dispatch to `queue` work that calls `deliver(on:)` first. Notifications that
    /// are posted until that runs need no dispatch of their own.
    func expectDelivery(on queue: DispatchQueue) {
        state.withLock { _ = $0.entry(for: queue) }
    }

    /// Posts what waits for `queue`. On that queue.
    func deliver(on queue: DispatchQueue) {
        let entry = state.withLock { state in
            state.entries.firstIndex { $0.queue === queue }.map { state.entries.remove(at: $0) }
        }
        for item in entry?.items ?? [] {
            guard let object = item.subject.object else { continue }
            NotificationCenter.default.post(name: item.name, object: object, userInfo: item.userInfo?(object))
        }
    }

    private func watch() {
        Runtime.current.after(Self.patience) { [self] in
            let (goesOn, released) = state.withLock { state -> (Bool, Released) in
                let limit = Runtime.current.uptime - Self.patience / 2
                var released = Released()
                for index in state.entries.indices where state.entries[index].since < limit {
                    state.entries[index].isStalled = true
                    state.entries[index].release(&released)
                }
                state.isWatching = !state.entries.isEmpty
                return (state.isWatching, released)
            }
            // Not under the lock: these may be the last references.
            withExtendedLifetime(released) {}
            if goesOn { watch() }
        }
    }
}

extension NotificationMailbox {
    /// Values that must not be released while a lock is held.
    fileprivate struct Released {
        var items: [Item] = []
        var objects: [Object] = []
    }
}

extension NotificationMailbox.Entry {
    /// Stops holding the objects, and forgets those that are gone.
    fileprivate mutating func release(_ released: inout NotificationMailbox.Released) {
        var kept: [NotificationMailbox.Item] = []
        for var item in items {
            guard let object = item.subject.object else {
                released.items.append(item)
                continue
            }
            released.objects.append(object)
            if case .held = item.subject { item.subject = .known(NotificationMailbox.WeakReference(object)) }
            kept.append(item)
        }
        items = kept
    }
}
