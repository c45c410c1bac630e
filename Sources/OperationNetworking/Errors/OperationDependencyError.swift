/// Why an edge between operations was not added: it would have closed a cycle, and none of the operations on it could
/// ever have started.
public struct OperationDependencyError: Error, Sendable, CustomStringConvertible {
    /// The operations on the cycle, from the dependant over its upstreams back to itself: the `name` of each, or its
    /// description where it has none.
    public let path: [String]

    /// What was wrong, where, and what to do about it.
    public var description: String {
        "Operation dependency rejected: it would close the cycle \(path.joined(separator: " → ")). "
            + "Remove one of these dependencies first."
    }
}
