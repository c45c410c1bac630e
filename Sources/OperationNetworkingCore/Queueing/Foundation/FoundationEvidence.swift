// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc

/// The signs of Foundation's queues that an operation of the library has seen: reads of `isReady` and calls of
/// `start()`.
///
/// A queue of Foundation asks `isReady` while it takes an operation in. If Foundation asked only because of the
/// library, the operation is in no such queue; if other code asked, it may be.
///
/// Guarded by its owner's lock.
struct FoundationEvidence {
    /// True once code other than the library's has asked for `isReady`.
    private(set) var wasAsked = false
    /// True once a queue of Foundation has called `start()`.
    private(set) var wasStarted = false
    /// True while that call is under way.
    private var isStarting = false
    /// The end that came meanwhile: whether it delivers the completion. Nil: there is none.
    private var endOfStart: Bool?
    /// True once a question was answered with no.
    private var hasSaidNo = false
    /// The threads on which a notification of the library is about to make Foundation ask.
    private var expected: [UInt] = []

    /// Called before a notification on this thread, which makes Foundation ask on this thread.
    mutating func expectQuestion() { expected.append(Self.thread) }

    /// Called after the notification.
    ///
    /// - Returns: true if Foundation has asked.
    @discardableResult
    mutating func endExpectation() -> Bool {
        guard let index = expected.lastIndex(of: Self.thread) else { return true }
        expected.remove(at: index)
        return false
    }

    /// Notes a question and its answer.
    ///
    /// Foundation keeps the answer to its last question, and stores it some time after it was given: while it takes an
    /// operation in, and after each notification, on the notifying thread. A no may so be stored after the yes that
    /// followed it. Foundation does ask again whenever it looks for what to start, but acts on that yes only when
    /// something else makes it look once more: an operation that is the last in its queue would never start.
    ///
    /// - Returns: true if Foundation is to be notified again, since it may have come by a no that was out of date.
    mutating func noteQuestion(answer: Bool) -> Bool {
        hasSaidNo = hasSaidNo || !answer
        if !expected.isEmpty, let index = expected.lastIndex(of: Self.thread) {
            expected.remove(at: index)
            return false
        }
        wasAsked = true
        return answer && hasSaidNo
    }

    /// A queue of Foundation has called `start()`.
    mutating func beginStart() {
        wasStarted = true
        isStarting = true
    }

    /// Puts off an end while a queue's call of `start()` is under way.
    ///
    /// Foundation looks at `isFinished` by itself once `start()` has returned, and begins the next operation if it says
    /// so. To one that ends just then on another thread that would be before its completion is on its way.
    ///
    /// - Returns: true if `endStart()` returns the end.
    mutating func putOffEnd(delivers: Bool) -> Bool {
        if isStarting { endOfStart = delivers }
        return isStarting
    }

    /// The call of `start()` has done its part. Returns the end that was put off.
    mutating func endStart() -> Bool? {
        isStarting = false
        defer { endOfStart = nil }
        return endOfStart
    }

    private static var thread: UInt { UInt(pthread_self()) }
}

extension Operation {
    /// True while a queue of Foundation is calling this operation's `start()`, on this thread.
    var isStartedByFoundation: Bool {
        // On the main thread there is always one.
        guard let queue = OperationQueue.current else { return false }
        return queue.operations.contains { $0 === self }
    }
}
