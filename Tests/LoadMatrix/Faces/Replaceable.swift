// SPDX-License-Identifier: MIT
import TestServer

/// What all calls of a cell go through, and what is replaced now and then in cells where last references are dropped, or
/// things are invalidated.
final class Replaceable<Object: AnyObject & Sendable>: Sendable {
    private struct State {
        var object: Object
        var uses = 0
    }

    private let state: Guarded<State>
    private let context: CellContext
    private let make: @Sendable () -> Object

    init(_ context: CellContext, _ make: @escaping @Sendable () -> Object) {
        self.context = context
        self.make = make
        let object = make()
        context.ledger.watch(object, "shared by the cell")
        state = Guarded(State(object: object))
    }

    var current: Object { state.withLock { $0.object } }

    /// The object for the next call, and the one that this has replaced.
    func next() -> (current: Object, old: Object?) {
        let isRough = [.drop, .invalidate, .mixed].contains(context.cell.weather)
        guard isRough, context.once(in: 50) else { return (current, nil) }
        let new = make()
        context.ledger.watch(new, "shared by calls")
        return state.withLock { state in
            let old = state.object
            state.object = new
            return (new, old)
        }
    }
}
