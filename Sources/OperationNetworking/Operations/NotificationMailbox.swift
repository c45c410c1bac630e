internal import Dispatch
internal import Foundation
internal import NetworkingSupport

/// Collects notifications for a queue and posts them together, so that thousands of short operations do not mean as many
/// dispatches.
///
/// A queue that nobody runs, as the main queue of a tool that waits for its requests, must not keep operations alive for
/// ever: after a second without a sign of life the mailbox goes on without holding the operations, and a notification is
/// dropped with the operation it is about.
final class NotificationMailbox: Sendable {
    static let shared = NotificationMailbox()

    fileprivate struct Item {
        let name: Notification.Name
        var operation: URLConnectionOperation?
        weak var weakOperation: URLConnectionOperation?
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

    /// Seconds that a queue may take before the mailbox lets go of its operations.
    private static let patience = 1.0

    private let state = Locked(State())

    func post(_ name: Notification.Name, object: URLConnectionOperation, on queue: DispatchQueue) {
        let key = ObjectIdentifier(queue)
        let (isFirst, watches) = state.withLock { state -> (Bool, Bool) in
            let isStalled = state.entries[key]?.isStalled ?? false
            let item = Item(name: name, operation: isStalled ? nil : object, weakOperation: object)
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
            guard let operation = item.operation ?? item.weakOperation else { continue }
            NotificationCenter.default.post(name: item.name, object: operation)
        }
    }

    private func watch() {
        Runtime.current.after(Self.patience) { [self] in
            let (goesOn, released) = state.withLock { state -> (Bool, [URLConnectionOperation]) in
                let limit = Runtime.current.uptime - Self.patience / 2
                var released: [URLConnectionOperation] = []
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
    /// Lets go of the operations, into `released`, and forgets those that are gone.
    fileprivate mutating func release(_ released: inout [URLConnectionOperation]) {
        items.removeAll { $0.operation == nil && $0.weakOperation == nil }
        for index in items.indices {
            if let operation = items[index].operation.take() { released.append(operation) }
        }
    }
}
