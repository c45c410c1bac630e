// SPDX-License-Identifier: MIT
import Foundation
import TestServer

/// What comes back to a call.
enum Reply: Sendable {
    /// Content, and the status if the face tells it.
    case content(Data, status: Int?)
    /// The face has checked what came.
    case checked(bytes: Int)
    case failure(any Error)
}

/// The place for a call's one answer. A second one is a finding, whenever it comes.
final class Answer: Sendable {
    private struct State {
        var count = 0
        var reply: Reply?
        var waiter: CheckedContinuation<Reply, Never>?
    }

    private let state = Guarded(State())
    let name: String
    private let ledger: Ledger

    init(_ name: String, _ ledger: Ledger) {
        self.name = name
        self.ledger = ledger
        ledger.opened(name, self)
    }

    func give(_ reply: Reply) {
        let (count, waiter) = state.withLock { state in
            state.count += 1
            if state.count == 1 { state.reply = reply }
            defer { state.waiter = nil }
            return (state.count, state.count == 1 ? state.waiter : nil)
        }
        if count > 1 { ledger.found("answered \(count) times: \(name); now with \(reply)") }
        if count == 1 { ledger.answered(self) }
        waiter?.resume(returning: reply)
    }

    func give(_ error: any Error) { give(.failure(error)) }

    var value: Reply {
        get async {
            await withCheckedContinuation { continuation in
                let reply = state.withLock { state in
                    if state.reply == nil { state.waiter = continuation }
                    return state.reply
                }
                if let reply { continuation.resume(returning: reply) }
            }
        }
    }
}
