// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import NetworkingSupport

/// Collects notifications for a queue and posts them together, so that thousands of short operations do not mean as many
/// dispatches.
///
/// A queue that nobody runs, as the main queue of a tool that waits for its requests, must not keep operations and tasks
/// alive for ever: after a second without a sign of life the mailbox goes on without holding them, and a notification is
/// dropped with the object it is about.
final class NotificationMailbox: Sendable {
    static let shared = NotificationMailbox()

    fileprivate struct Item {
        let name: Notification.Name
        var object: (any AnyObject & Sendable)?
        weak var weakObject: (any AnyObject & Sendable)?
        /// Made when the notification is posted. Does not hold the object.
        let userInfo: (@Sendable () -> [AnyHashable: Any]?)?
    }

    fileprivate struct Entry {
        let queue: DispatchQueue
        var items: [Item] = []
        /// When the queue was asked to come, in seconds of the uptime.
        let since: TimeInterval
        var isStalled = false
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        /// A look at the entries' age is under way.
        var isWatching = false
    }

    /// Seconds that a queue may take before the mailbox lets go of its objects.
    private static let patience = 1.0

    private let state = Locked(State())

    /// - Parameter userInfo: called on the queue, if it comes to that; must not hold the object.
    func post(
        _ name: Notification.Name, object: any AnyObject & Sendable, on queue: DispatchQueue,
        userInfo: (@Sendable () -> [AnyHashable: Any]?)? = nil
    ) {
        let key = ObjectIdentifier(queue)
        let (isFirst, watches) = state.withLock { state -> (Bool, Bool) in
            let isStalled = state.entries[key]?.isStalled ?? false
            let item = Item(
                name: name, object: isStalled ? nil : object, weakObject: object, userInfo: userInfo)
            if state.entries[key]?.items.append(item) != nil { return (false, false) }
            let now = Runtime.current.uptime
            state.entries[key] = Entry(queue: queue, items: [item], since: now)
            defer { state.isWatching = true }
            return (true, !state.isWatching)
        }
        if isFirst { Runtime.current.on(queue) { [self] in deliver(key) } }
        if watches { watch() }
    }

    private func deliver(_ key: ObjectIdentifier) {
        let entry = state.withLock { $0.entries.removeValue(forKey: key) }
        for item in entry?.items ?? [] {
            guard let object = item.object ?? item.weakObject else { continue }
            NotificationCenter.default.post(name: item.name, object: object, userInfo: item.userInfo?())
        }
    }

    private func watch() {
        Runtime.current.after(Self.patience) { [self] in
            let (goesOn, released) = state.withLock { state -> (Bool, [any AnyObject & Sendable]) in
                let limit = Runtime.current.uptime - Self.patience / 2
                var released: [any AnyObject & Sendable] = []
                for key in state.entries.keys where state.entries[key].map({ $0.since < limit }) ?? false {
                    state.entries[key]?.isStalled = true
                    state.entries[key]?.release(&released)
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

extension NotificationMailbox.Entry {
    /// Lets go of the objects, into `released`, and forgets those that are gone.
    fileprivate mutating func release(_ released: inout [any AnyObject & Sendable]) {
        items.removeAll { $0.object == nil && $0.weakObject == nil }
        for index in items.indices {
            if let object = items[index].object.take() { released.append(object) }
        }
    }
}
