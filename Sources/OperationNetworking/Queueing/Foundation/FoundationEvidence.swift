// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc

/// What an operation of the library's has seen of queues of Foundation's, by what is asked and called of it.
///
/// A queue of Foundation's asks `isReady` while it takes an operation in. So an operation that only the library has made
/// Foundation ask is in no such queue; one that somebody else asked may be.
///
/// Guarded by its owner's lock.
struct FoundationEvidence {
    /// Somebody other than the library has asked for `isReady`.
    private(set) var wasAsked = false
    /// A queue of Foundation's has called `start()`.
    var wasStarted = false
    /// The last answer to others was no.
    private var saidNo = false
    /// The threads that are about to be asked because of news of the library's.
    private var expected: [UInt] = []

    /// News on this thread make Foundation ask, on this thread.
    mutating func expectQuestion() { expected.append(Self.thread) }

    /// The news are out.
    ///
    /// - Returns: whether Foundation has asked.
    @discardableResult
    mutating func endExpectation() -> Bool {
        guard let index = expected.lastIndex(of: Self.thread) else { return true }
        expected.remove(at: index)
        return false
    }

    /// Notes a question and what it was answered.
    ///
    /// Foundation asks once while it takes an operation in, and notes the answer. If the operation becomes ready meanwhile,
    /// its news of that may find no queue to tell, and the note that follows is out of date. Foundation does ask again, but
    /// acts on a yes only when something else makes it look: an operation that is the last in its queue would never start.
    ///
    /// - Returns: whether Foundation is to be told again, since a no of before may have been noted for good.
    mutating func noteQuestion(answer: Bool) -> Bool {
        if !expected.isEmpty, let index = expected.lastIndex(of: Self.thread) {
            expected.remove(at: index)
            return false
        }
        wasAsked = true
        defer { saidNo = !answer }
        return answer && saidNo
    }

    private static var thread: UInt { UInt(pthread_self()) }
}

extension Operation {
    /// Whether a queue of Foundation's is calling this operation's `start()`, on this thread.
    var isStartedByFoundation: Bool {
        // On the main thread there is always one.
        guard let queue = OperationQueue.current else { return false }
        return queue.operations.contains { $0 === self }
    }
}
