// SPDX-License-Identifier: MIT
import NetworkingSupport

@testable import NetworkingTransport

/// A body source that a test feeds.
final class ManualBodySource: BodySource {
    private struct State {
        var bytes: [UInt8] = []
        var position = 0
        var isEnded = false
        var failure: (any Error)?
        var wakeUp: (@Sendable () -> Void)?
        var opens = 0
        var closes = 0
        var rewinds = 0
    }
    private let state = Locked(State())
    let contentLength: Int64?
    private let canRewind: Bool
    private let piece: Int

    /// - Parameter piece: Bytes delivered at a time, at most.
    init(length: Int64?, canRewind: Bool = false, piece: Int = .max) {
        contentLength = length
        self.piece = piece
        self.canRewind = canRewind
    }

    var counts: (opens: Int, rewinds: Int, closes: Int) { state.withLock { ($0.opens, $0.rewinds, $0.closes) } }

    func supply(_ text: String) { change { $0.bytes += text.utf8 } }
    func end() { change { $0.isEnded = true } }
    func fail(_ error: any Error) { change { $0.failure = error } }

    private func change(_ body: (inout sending State) -> Void) {
        let wakeUp = state.withLock { state -> (@Sendable () -> Void)? in
            body(&state)
            return state.wakeUp
        }
        wakeUp?()
    }

    func open(wakeUp: @escaping @Sendable () -> Void) {
        state.withLock {
            $0.opens += 1
            $0.wakeUp = wakeUp
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyRead {
        let piece = piece
        let (result, chunk) = state.withLock { state -> (BodyRead?, [UInt8]) in
            if let failure = state.failure { return (.failed(failure), []) }
            let chunk = Array(state.bytes[state.position...].prefix(min(buffer.count, piece)))
            guard !chunk.isEmpty else { return (state.isEnded ? .end : .wait, []) }
            state.position += chunk.count
            return (nil, chunk)
        }
        if let result { return result }
        buffer.copyBytes(from: chunk)
        return .bytes(chunk.count)
    }

    func rewind(afterRefusal: Bool) -> Bool {
        let canRewind = canRewind
        return state.withLock { state in
            state.rewinds += 1
            if canRewind { state.position = 0 }
            return canRewind
        }
    }

    func close() { state.withLock { $0.closes += 1 } }
}
