// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc
@_spi(Reflection) internal import Swift

/// How far Foundation's own record of an operation has come, and whether it has dependents there, read without a side
/// effect: the only private fields of Foundation's `Operation` that the library looks at.
///
/// Whether an operation waits in an `OperationQueue` shows in no property, and what a queue asks of an operation others
/// ask too. So where it matters, and only for an operation that has been asked (see `FoundationEvidence`) or is not the
/// library's, the byte in which Foundation keeps its state is read. Nor does Foundation say which operations that are not the
/// library's wait for one. Nothing is ever written.
///
/// Without it, which is what the environment variable `OPERATION_NETWORKING_NO_PRIVATE_STATE` forces, and what a Foundation
/// with another layout leads to:
/// - an operation that has been asked for its `isReady`, and has not been started, counts as one that a queue of
///   Foundation's will start: `value()` waits for that, and so does `resume()` after a start that came too early;
/// - an operation that waits in a queue of Foundation's and is added to a `RequestOperationQueue` stops the program, as it
///   does if it is added to another queue of Foundation's;
/// - an upstream that nobody has started, and that is not the library's, is waited for instead of reported;
/// - each dependency that is added behind operations that are not the library's is searched for a cycle, though nothing waits
///   for its dependent: a chain of both kinds in turn takes time quadratic in its length.
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
        self = Self.offset.map { Self.read(operation, at: $0) } ?? .unknown
    }

    /// Whether a queue of Foundation's has the operation and will call its `start()`, or just does.
    var isQueued: Bool { self == .enqueuing || self == .enqueued || self == .starting }

    /// Whether no queue of Foundation's has, or had, the operation, and nobody has started it, as far as is known.
    var isFree: Bool { self == .initialized || self == .unknown }

    /// Whether the record can be read.
    static var isReadable: Bool { offset != nil }

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

    private static func read(_ operation: Operation, at offset: Int) -> FoundationState {
        defer { withExtendedLifetime(operation) {} }
        let object = Unmanaged.passUnretained(operation).toOpaque()
        return FoundationState(byte: object.load(fromByteOffset: offset, as: UInt8.self))
    }

    /// Where an `Operation` keeps its state; nil: nowhere that we know, or it is not to be read.
    private static let offset: Int? = {
        guard let offset = field(named: "__state", size: 1, type: "__NSOperationState") else { return nil }
        return Probe.isRight(offset) ? offset : nil
    }()

    /// The offset of a field of `Operation`, if what the language has recorded of the class says that there is one of this
    /// name, type and size.
    private static func field(named name: String, size: Int, type: String? = nil) -> Int? {
        guard getenv("OPERATION_NETWORKING_NO_PRIVATE_STATE") == nil else { return nil }
        func length<Value>(_: Value.Type) -> Int { MemoryLayout<Value>.size }
        var found: Int?
        // 1: of a class.
        _forEachField(of: Operation.self, options: _EachFieldOptions(rawValue: 1)) { label, offset, fieldType, _ in
            guard String(cString: label) == name, type == nil || String(describing: fieldType) == type,
                _openExistential(fieldType, do: length) == size
            else { return true }
            found = offset
            return false
        }
        return found
    }

    // MARK: Who waits

    /// Whether an operation that is not the library's may wait for this one. No: nobody has made one depend on it so far.
    ///
    /// Foundation notes with an operation which others wait for it, in a set; a subclass that overrides the adding of
    /// dependencies without Foundation's is not seen. What is looked at is the reference to the set's
    /// memory, and not that memory, which another thread may be about to free.
    static func mayHaveForeignDependents(_ operation: Operation) -> Bool {
        guard let dependents else { return true }
        return word(of: operation, at: dependents.offset) != dependents.none
    }

    /// Where an `Operation` notes its dependents, and what is there while there are none; nil: nowhere that we know.
    private static let dependents: (offset: Int, none: UInt)? = {
        guard let offset = field(named: "__downDependencies", size: MemoryLayout<UInt>.size) else { return nil }
        let (first, second) = (BlockOperation {}, BlockOperation {})
        let none = word(of: first, at: offset)
        guard none == word(of: second, at: offset) else { return nil }
        second.addDependency(first)
        defer { second.removeDependency(first) }
        guard word(of: first, at: offset) != none, word(of: second, at: offset) == none else { return nil }
        return (offset, none)
    }()

    private static func word(of operation: Operation, at offset: Int) -> UInt {
        defer { withExtendedLifetime(operation) {} }
        return Unmanaged.passUnretained(operation).toOpaque().load(fromByteOffset: offset, as: UInt.self)
    }

    // MARK: The check

    /// Goes through a life in a queue of Foundation's, and compares what is read on the way with what it is.
    private final class Probe: Operation, @unchecked Sendable {
        /// Used before, in and after the adding on one thread only.
        private var whileAdded: FoundationState?
        private let offset: Int

        private init(_ offset: Int) { self.offset = offset }

        override var isReady: Bool {
            whileAdded = FoundationState.read(self, at: offset)
            return super.isReady
        }

        override var isExecuting: Bool { true }

        /// What has been added is kept: a queue that does not run keeps its operations, and they keep it.
        nonisolated(unsafe) private static var queue: OperationQueue?

        /// Called once, by the initialiser of `FoundationState.offset`.
        static func isRight(_ offset: Int) -> Bool {
            let (probe, queue) = (Probe(offset), OperationQueue())
            queue.isSuspended = true
            self.queue = queue
            let before = FoundationState.read(probe, at: offset)
            queue.addOperation(probe)
            let after = FoundationState.read(probe, at: offset)
            let other = Probe(offset)
            other.didChangeValue(forKey: OperationState.executing.key)
            return before == .initialized && probe.whileAdded == .enqueuing && after == .enqueued
                && FoundationState.read(other, at: offset) == .begun
        }
    }
}
