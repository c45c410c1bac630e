// SPDX-License-Identifier: MIT
internal import Foundation
internal import Synchronization

/// Options for the calls of an observer. Foundation on Linux has no `NSKeyValueObservingOptions`.
public struct StateObservingOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// Options from their bits.
    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// The new value is in the change.
    public static let new = StateObservingOptions(rawValue: 1)
    /// The value before is in the change.
    public static let old = StateObservingOptions(rawValue: 2)
    /// The observer is called once with the present value, before `observe` returns.
    public static let initial = StateObservingOptions(rawValue: 4)
    /// The observer is called twice for a change, the first time before Foundation's queue learns of it.
    ///
    /// If the thread that reports a change is not the one that made it, the queue may know the change before.
    public static let prior = StateObservingOptions(rawValue: 8)
}

/// One change of an observed property.
public struct StateChange<Value> {
    /// The value before the change. `nil` unless `.old` was asked for, and for an `.initial` call.
    public let oldValue: Value?
    /// The value after the change. `nil` unless `.new` was asked for, and for a `.prior` call.
    public let newValue: Value?
    /// True for the first of the two calls that `.prior` asks for.
    public let isPrior: Bool
}

extension StateChange: Sendable where Value: Sendable {}

/// Keeps an observation alive, until `invalidate()` is called or the token is released.
public final class OperationStateObservation: Sendable {
    /// An observer as the operation keeps it.
    final class Entry: Sendable {
        let willChange: @Sendable (URLConnectionOperation, StateSnapshot, StateSnapshot) -> Void
        let didChange: @Sendable (URLConnectionOperation, StateSnapshot, StateSnapshot) -> Void
        private let ended = Atomic(false)

        /// True if nothing more is to be reported.
        var isEnded: Bool { ended.load(ordering: .acquiring) }

        init(
            willChange: @escaping @Sendable (URLConnectionOperation, StateSnapshot, StateSnapshot) -> Void = {
                _, _, _ in
            },
            didChange: @escaping @Sendable (URLConnectionOperation, StateSnapshot, StateSnapshot) -> Void
        ) {
            self.willChange = willChange
            self.didChange = didChange
        }

        func end() { ended.store(true, ordering: .releasing) }
    }

    private weak let operation: URLConnectionOperation?
    private let entry: Entry

    init(_ operation: URLConnectionOperation, _ entry: Entry) {
        self.operation = operation
        self.entry = entry
        operation.add(entry)
    }

    deinit {
        invalidate()
    }

    /// Ends the observation. A call that another thread is making at this moment may still come to its end.
    public func invalidate() {
        entry.end()
        operation?.remove(entry)
    }
}
