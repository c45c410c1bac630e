// SPDX-License-Identifier: MIT
internal import NetworkingSupport

/// A task's hold on its session, and whether the session holds the task, as a value: neither keeps the other for good.
struct SessionHold: Sendable {
    /// Until the client has received everything; nil also while `known` alone has it.
    private var kept: OperationURLSession?
    private weak var known: OperationURLSession?
    /// The session holds the task's face.
    private(set) var isHeld = false
    /// The operation was handed out, and may be started without the task.
    private(set) var isOperationKnown = false

    init(_ session: OperationURLSession) { kept = session }

    var session: OperationURLSession? { kept ?? known }

    /// The session is known, and not kept.
    var isLoose: Bool { kept == nil && known != nil }

    /// Stops keeping the session, because only the session has the task. No effect on a task that the session holds
    /// by now, for its cancellation perhaps: what is told of its end needs the session.
    ///
    /// - Returns: what is to be released after the unlock.
    mutating func loosen() -> OperationURLSession? {
        guard !isOperationKnown, !isHeld, kept != nil else { return nil }
        known = kept
        return kept.take()
    }

    /// The request begins: task and session keep each other from now on. True once.
    mutating func begin(in session: OperationURLSession) -> Bool {
        guard !isHeld else { return false }
        isHeld = true
        kept = session
        return true
    }

    /// True if the session need not hold the task for its user any more: the operation's holder may begin it.
    mutating func handOutOperation() -> Bool {
        defer { isOperationKnown = true }
        return !isOperationKnown && !isHeld
    }

    /// The client has received everything. Returns what is to be released after the unlock.
    mutating func end() -> OperationURLSession? {
        let session = session
        kept = nil
        known = nil
        return session
    }
}
