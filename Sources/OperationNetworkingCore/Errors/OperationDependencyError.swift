// SPDX-License-Identifier: MIT
internal import Foundation

/// An error about a dependency that could never end.
public struct OperationDependencyError: NetworkingError {
    /// The kinds of failures.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The number an `NSError` shows.
        public let rawValue: Int

        /// A code by its number.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The dependency would close a cycle (1).
        public static let cycle = Code(rawValue: 1)
        /// The operation waits for one that is not the library's and was neither started nor put into a queue (2).
        public static let upstreamNotStarted = Code(rawValue: 2)
    }

    /// The kind of failure.
    public let code: Code

    /// The names of the operations on the cycle, from the dependent over its upstreams back to itself. Or those of the
    /// dependent and the upstream that was not started. The description of an operation stands for a name that it does
    /// not have.
    public let path: [String]

    init(path: [String]) {
        self.path = path
        code = .cycle
    }

    /// `upstream` was neither started nor put into a queue.
    init(unstarted upstream: Operation, upstreamOf dependent: Operation) {
        path = [dependent, upstream].map { $0.name ?? String(describing: $0) }
        code = .upstreamNotStarted
    }

    /// A sentence that says what was wrong, where, and what to do about it.
    public var reason: String {
        let path = path.joined(separator: " → ")
        return code == .cycle
            ? "Operation dependency rejected: it would close the cycle \(path). Remove one of these dependencies first."
            : "The operation waits for one that nobody has started or put into a queue: \(path). Add that one to a queue, "
                + "or start it, before the value is asked for."
    }
}
