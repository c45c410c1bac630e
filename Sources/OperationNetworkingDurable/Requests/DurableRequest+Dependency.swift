// SPDX-License-Identifier: MIT

extension DurableRequest {
    /// An edge of the graph to a request that has to end first.
    public struct Dependency: Hashable, Sendable, Codable {
        /// The rule for the end of the other request.
        public enum Condition: Int, Sendable, Codable {
            /// It has to succeed. If it ends otherwise, the dependent is skipped.
            case ifSucceeded = 0
            /// It has to end, in whatever way.
            case inAnyCase = 1

            /// The meaning of the other request's end for the dependent. `nil`: it has not ended yet.
            public func verdict(on state: State) -> Verdict? {
                guard state.isEnd else { return nil }
                return self == .inAnyCase || state == .succeeded ? .satisfied : .skipped
            }
        }

        /// The meaning of a request's end for one that depends on it.
        public enum Verdict: Sendable {
            /// One request less to wait for.
            case satisfied
            /// The dependent is skipped, and its own dependents hear of that.
            case skipped
        }

        /// The request that has to end first.
        public var id: ID
        /// The rule for its end.
        public var condition: Condition

        /// An edge. The other request has to succeed, unless another condition is given.
        public init(_ id: ID, _ condition: Condition = .ifSucceeded) {
            self.id = id
            self.condition = condition
        }
    }
}
