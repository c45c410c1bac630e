// SPDX-License-Identifier: MIT
internal import NetworkingSupport

/// The queues in which operations have waited for their host. They receive `capacityDidChange` when the engine may take
/// more operations of a host than before: a first response came in HTTP/2, or the limit was raised.
enum CapacityWatch {
    private struct Reference {
        weak var queue: RequestOperationQueue?
    }

    private static let queues = Locked<[ObjectIdentifier: Reference]>([:])

    private static let isUnderWay: Void = Runtime.current.whenCapacityChanges { tell(of: $0) }

    /// Adds a queue, which receives `capacityDidChange` until it is removed.
    static func add(_ queue: RequestOperationQueue) {
        queues.withLock { $0[ObjectIdentifier(queue)] = Reference(queue: queue) }
        _ = isUnderWay
        // It may have changed since the queue looked.
        queue.capacityDidChange(of: nil)
    }

    /// For the end of a queue.
    static func remove(_ id: ObjectIdentifier) { queues.withLock { $0[id] = nil } }

    private static func tell(of host: String?) {
        let all = queues.withLock { $0.values.map(\.queue) }
        for queue in all { queue?.capacityDidChange(of: host) }
    }
}
