// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport

extension URLConnectionOperation {
    /// Calls `handler` with every change of `state`, one after the other, with no lock held.
    ///
    /// Called on the thread that made the change, or on the one that is reporting a change before it. It may be the
    /// network thread, so the handler has to answer at once.
    ///
    /// ```swift
    /// let observation = operation.observeState { old, new in
    ///     print("\(old) -> \(new)")
    /// }
    /// ```
    ///
    /// - Returns: a token that ends the observation when it is invalidated or released.
    public func observeState(
        _ handler: @escaping @Sendable (_ old: OperationState, _ new: OperationState) -> Void
    ) -> OperationStateObservation {
        OperationStateObservation(
            self,
            OperationStateObservation.Entry { _, old, new in
                if old.state != new.state { handler(old.state, new.state) }
            })
    }

    /// Calls `changeHandler` with every change of `state`, `isPaused`, `isReady`, `isExecuting`, `isFinished` or
    /// `isCancelled`. It takes the place of key-value observing. Other key paths are never reported.
    ///
    /// ```swift
    /// let observation = operation.observe(\.isFinished) { operation, change in
    ///     print(change.newValue ?? false)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - keyPath: the property.
    ///   - options: the values and calls that the handler wants; none by default.
    ///   - changeHandler: called with one change after the other, with no lock held: on the thread that made it, or on
    ///     the one that is reporting a change before it. It may be the network thread: answer at once.
    /// - Returns: a token that ends the observation when it is invalidated or released.
    public func observe<Value>(
        _ keyPath: KeyPath<URLConnectionOperation, Value>, options: StateObservingOptions = [],
        changeHandler: @escaping @Sendable (URLConnectionOperation, StateChange<Value>) -> Void
    ) -> OperationStateObservation {
        let value = Self.reader(of: keyPath)
        let report: @Sendable (URLConnectionOperation, StateSnapshot, StateSnapshot, Bool) -> Void = {
            operation, old, new, isPrior in
            guard let before = value(old), let after = value(new), before != after else { return }
            changeHandler(
                operation,
                StateChange(
                    oldValue: options.contains(.old) ? before as? Value : nil,
                    newValue: options.contains(.new) && !isPrior ? after as? Value : nil,
                    isPrior: isPrior))
        }
        let entry = OperationStateObservation.Entry(
            willChange: { if options.contains(.prior) { report($0, $1, $2, true) } },
            didChange: { report($0, $1, $2, false) })
        let observation = OperationStateObservation(self, entry)
        if options.contains(.initial) {
            let present = lock.withLock { snapshot() }
            changeHandler(
                self,
                StateChange(
                    oldValue: nil, newValue: options.contains(.new) ? value(present) as? Value : nil, isPrior: false))
        }
        return observation
    }

    /// Returns a function that reads the value behind a key path from a snapshot.
    private static func reader(of keyPath: AnyKeyPath) -> @Sendable (StateSnapshot) -> AnyHashable? {
        switch keyPath {
        case \URLConnectionOperation.state: { $0.state }
        case \URLConnectionOperation.isPaused: { $0.isPaused }
        case \URLConnectionOperation.isReady: { $0.isReady }
        case \URLConnectionOperation.isExecuting: { $0.isExecuting }
        case \URLConnectionOperation.isFinished: { $0.isFinished }
        case \URLConnectionOperation.isCancelled: { $0.isCancelled }
        default: { _ in nil }
        }
    }

    func add(_ observer: OperationStateObservation.Entry) {
        lock.withLock { _observers.append(observer) }
    }

    func remove(_ observer: OperationStateObservation.Entry) {
        lock.withLock { _observers.removeAll { $0 === observer } }
    }
}
