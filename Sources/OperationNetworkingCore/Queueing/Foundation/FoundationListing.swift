// SPDX-License-Identifier: MIT
internal import Foundation

/// The means by which `OperationQueue.operations` and `operationCount`, which cannot be overridden on Linux, show what
/// a `RequestOperationQueue` holds.
///
/// The queue's Foundation side is suspended for good, and every operation of the library's is added to it: Foundation
/// links it into its list, never scans and never starts it. The scheduler starts it; when it posts `isExecuting` and
/// `isFinished`, Foundation takes it off the list. What it does not do is take it off the list of operations to be
/// dispatched, of which it follows only the last link, when the next one is added: so the last operation is kept alive
/// until there is another, and when the queue runs empty, a placeholder replaces it.
///
/// Foundation has such a list for each priority, and walks through one when a priority changes. So every listed
/// operation has the priority `.normal` in Foundation's eyes, set explicitly, and keeps it; the true one is the
/// scheduler's.
///
/// An operation that is not the library's cannot be listed: Foundation, which runs it, takes an operation in only once.
/// A `ForeignOperationProxy` is listed for it.
struct FoundationListing {
    /// The last operation added.
    private var last: Operation?

    /// Notes the last operation; returns the one that may be released now.
    mutating func replaceLast(by operation: Operation) -> Operation? {
        defer { last = operation }
        return last
    }

    /// True if the last operation has to be replaced, so that no operation of the user is kept.
    var isLastOfOthers: Bool {
        last.map { !($0 is PlaceholderOperation) || $0 is ForeignOperationProxy } ?? false
    }
}
