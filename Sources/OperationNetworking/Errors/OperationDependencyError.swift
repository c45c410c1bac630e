internal import Foundation

/// Why an operation cannot wait for another: neither of them could ever start.
public struct OperationDependencyError: Error, Sendable, CustomStringConvertible {
    /// The operations on the cycle, from the dependent over its upstreams back to itself, or the dependent and the upstream
    /// that nobody started: the `name` of each, or its description where it has none.
    public let path: [String]
    private let isCycle: Bool

    init(path: [String]) {
        self.path = path
        isCycle = true
    }

    /// Nobody started `upstream` or put it into a queue.
    init(unstarted upstream: Operation, upstreamOf dependent: Operation) {
        path = [dependent, upstream].map { $0.name ?? String(describing: $0) }
        isCycle = false
    }

    /// What was wrong, where, and what to do about it.
    public var description: String {
        let path = path.joined(separator: " → ")
        return isCycle
            ? "Operation dependency rejected: it would close the cycle \(path). Remove one of these dependencies first."
            : "The operation waits for one that nobody has started or put into a queue: \(path). Add that one to a queue, "
                + "or start it, before the value is asked for."
    }
}
