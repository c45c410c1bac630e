internal import Foundation

/// An error about a dependency that could never end.
public struct OperationDependencyError: Error, Sendable, CustomStringConvertible {
    /// The names of the operations on the cycle, from the dependent over its upstreams back to itself. Or those of the
    /// dependent and the upstream that nobody started. The description of an operation stands for a name that it does
    /// not have.
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

    /// A sentence that says what was wrong, where, and what to do about it.
    public var description: String {
        let path = path.joined(separator: " → ")
        return isCycle
            ? "Operation dependency rejected: it would close the cycle \(path). Remove one of these dependencies first."
            : "The operation waits for one that nobody has started or put into a queue: \(path). Add that one to a queue, "
                + "or start it, before the value is asked for."
    }
}
