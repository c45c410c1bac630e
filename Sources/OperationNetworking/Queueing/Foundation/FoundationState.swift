// SPDX-License-Identifier: MIT
internal import Foundation
@_spi(Reflection) internal import Swift

/// How far Foundation's own record of an operation has come, read without a side effect.
///
/// Foundation on Linux has no public word for it: whether an operation is in one of its queues shows in no property, and
/// it asks an operation nothing that it does not ask elsewhere too. So the byte in which it keeps its state is looked
/// up by name, once, in what the language records of the class, and read from then on.
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
        guard let offset = Self.offset else {
            self = .unknown
            return
        }
        let object = Unmanaged.passUnretained(operation).toOpaque()
        self.init(byte: object.load(fromByteOffset: offset, as: UInt8.self))
        withExtendedLifetime(operation) {}
    }

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

    /// Whether the operation waits in a queue of Foundation's, which will start it.
    var isWaiting: Bool { self == .enqueuing || self == .enqueued }

    /// Whether no queue of Foundation's has, or had, the operation, and nobody has started it, as far as is known.
    var isFree: Bool { self == .initialized || self == .unknown }

    /// Whether Foundation would complain about an end that it has not seen the beginning of.
    var expectsExecution: Bool {
        switch self {
        case .enqueuing, .enqueued, .starting, .unknown: true
        case .initialized, .begun: false
        }
    }

    /// Where an `Operation` keeps its state; nil when there is no such field of one byte.
    private static let offset = offset(of: "__state", size: 1)

    private static func offset(of field: String, size: Int) -> Int? {
        var found: Int?
        // 1: of a class.
        _forEachField(of: Operation.self, options: _EachFieldOptions(rawValue: 1)) { name, offset, type, _ in
            guard String(cString: name) == field, RuntimeType.size(of: type) == size else { return true }
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
        guard let offset = offset(of: "__downDependencies", size: MemoryLayout<UInt>.size) else { return nil }
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
}

private enum RuntimeType {
    /// The size of a value of a type that is known at run time only.
    static func size(of type: Any.Type) -> Int {
        func size<Value>(_: Value.Type) -> Int { MemoryLayout<Value>.size }
        return _openExistential(type, do: size)
    }
}

extension Operation {
    /// Makes Foundation look at `isReady` again, after what it answers has changed.
    ///
    /// Foundation asks once while it takes an operation in, and notes the answer. If the operation becomes ready meanwhile,
    /// its news of that may find no queue to tell, and the note that follows is out of date. Foundation does ask again, but
    /// acts on a yes only when something else makes it look: an operation that is the last in its queue would never
    /// start. So news that come while the operation is being taken in are told again afterwards.
    func askForReadiness() {
        // Looked at before it is told: a note that is out of date may come between the two, with all that follows it.
        let state = FoundationState(of: self)
        didChangeValue(forKey: OperationState.ready.key)
        guard state == .enqueuing || state == .unknown else { return }
        // From another thread, because this one may hold the queue's lock.
        Runtime.current.later { [self] in
            if state == .enqueuing {
                askForReadiness()
            } else {
                didChangeValue(forKey: OperationState.ready.key)
            }
        }
    }
}
