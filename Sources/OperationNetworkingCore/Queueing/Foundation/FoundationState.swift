// SPDX-License-Identifier: MIT
internal import Foundation

/// The state of an operation in Foundation's own record, and whether it has dependents there, read without a side
/// effect by `FoundationInternals`.
///
/// No property shows whether an operation waits in an `OperationQueue`, and other code may ask an operation the same as
/// a queue does. So where it matters, and only for an operation that has been asked (see `FoundationEvidence`) or is
/// not the library's, the byte in which Foundation keeps its state is read. Nor does Foundation say which operations
/// that are not the library's wait for one. Nothing is ever written.
///
/// Without it, which is what the environment variable `OPERATION_NETWORKING_NO_PRIVATE_STATE` forces, and what a
/// Foundation with another layout leads to:
/// - an operation that has been asked for its `isReady`, and has not been started, counts as one that a queue of
///   Foundation's will start: `value()` waits for that, and so does `resume()` after a start that came too early;
/// - an operation that waits in a queue of Foundation's and is added to a `RequestOperationQueue` stops the program, as
///   it does if it is added to another queue of Foundation's;
/// - an upstream that is not the library's and has not been started is waited for instead of reported;
/// - each dependency that is added behind operations that are not the library's is searched for a cycle, though nothing
///   waits for its dependent: a chain of both kinds in turn takes time quadratic in its length.
enum FoundationState {
    /// In no queue, and not started.
    case initialized
    /// Being added to a queue: asked whether it is ready, and not listed yet.
    case enqueuing
    /// In a queue that has not started it.
    case enqueued
    /// A queue is about to call `start()`, or just does.
    case starting
    /// Started, as far as Foundation knows, or over.
    case begun
    /// This Foundation keeps its state elsewhere.
    case unknown

    init(of operation: Operation) {
        self = Self.field.map { Self.read(operation, $0) } ?? .unknown
    }

    /// True while a queue of Foundation has the operation and will call its `start()`, or is calling it.
    var isQueued: Bool { self == .enqueuing || self == .enqueued || self == .starting }

    /// True if no queue of Foundation has, or had, the operation, and it has not been started, as far as is known.
    var isFree: Bool { self == .initialized || self == .unknown }

    /// True if the record can be read.
    static var isReadable: Bool { field != nil }

    // MARK: The record

    /// - Parameter byte: an enumeration's case, by its place in the declaration.
    private init(byte: UInt8) {
        switch byte {
        case 0: self = .initialized
        case 1: self = .enqueuing
        case 2: self = .enqueued
        // Dispatching, starting.
        case 3, 4: self = .starting
        // Executing, finishing, finished.
        case 5...7: self = .begun
        default: self = .unknown
        }
    }

    private static func read(
        _ operation: Operation, _ field: FoundationInternals.OperationField
    ) -> FoundationState {
        FoundationState(byte: field.load(of: operation))
    }

    /// The place where an `Operation` keeps its state; nil: it is not known, or must not be read.
    private static let field: FoundationInternals.OperationField? = {
        let field = FoundationInternals.operationField("__state", size: 1, type: "__NSOperationState")
        return field.flatMap { Probe.isRight($0) ? $0 : nil }
    }()

    // MARK: Dependents

    /// Returns true if an operation that is not the library's may wait for this one. False: none depends on it so far.
    ///
    /// Foundation keeps with an operation a set of those that wait for it. A subclass that overrides the adding of
    /// dependencies without calling Foundation's is not seen. Only the reference to the set's memory is read, not that
    /// memory, which another thread may be about to free.
    static func mayHaveForeignDependents(_ operation: Operation) -> Bool {
        guard let dependents else { return true }
        return dependents.field.load(of: operation) != dependents.none
    }

    /// The place where an `Operation` notes its dependents, and its value while there are none; nil: it is not known.
    private static let dependents: (field: FoundationInternals.OperationField, none: UInt)? = {
        guard
            let field = FoundationInternals.operationField("__downDependencies", size: MemoryLayout<UInt>.size)
        else { return nil }
        let (first, second) = (BlockOperation {}, BlockOperation {})
        let none: UInt = field.load(of: first)
        guard none == field.load(of: second) else { return nil }
        second.addDependency(first)
        defer { second.removeDependency(first) }
        guard field.load(of: first) != none, field.load(of: second) == none else { return nil }
        return (field, none)
    }()

    // MARK: The check

    /// An operation that goes through its life in a queue of Foundation, to compare the states that are read with the
    /// true ones.
    private final class Probe: Operation, @unchecked Sendable {
        /// Used before, in and after the adding on one thread only.
        private var whileAdded: FoundationState?
        private let field: FoundationInternals.OperationField

        private init(_ field: FoundationInternals.OperationField) { self.field = field }

        override var isReady: Bool {
            whileAdded = FoundationState.read(self, field)
            return super.isReady
        }

        override var isExecuting: Bool { true }

        /// The queue of the check. It is kept for good: a queue that does not run keeps its operations, and they keep
        /// it.
        nonisolated(unsafe) private static var queue: OperationQueue?

        /// Called once, by the initialiser of `FoundationState.field`.
        static func isRight(_ field: FoundationInternals.OperationField) -> Bool {
            let (probe, queue) = (Probe(field), OperationQueue())
            queue.isSuspended = true
            self.queue = queue
            let before = FoundationState.read(probe, field)
            queue.addOperation(probe)
            let after = FoundationState.read(probe, field)
            let other = Probe(field)
            other.didChangeValue(forKey: OperationState.executing.key)
            return before == .initialized && probe.whileAdded == .enqueuing && after == .enqueued
                && FoundationState.read(other, field) == .begun
        }
    }
}
