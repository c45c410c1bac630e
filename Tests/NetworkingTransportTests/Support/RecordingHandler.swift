// SPDX-License-Identifier: MIT
import NetworkingSupport

@testable import NetworkingTransport

/// Records what a transfer reports, and hands it over when it has ended.
final class RecordingHandler: TransferHandler {
    struct Record: Sendable {
        var heads: [ResponseHead] = []
        var content: [UInt8] = []
        var receivedCount = 0
        var sent: Int64 = 0
        var outcomes: [TransferOutcome] = []
        /// "head", "content", "finish", in order of their first occurrence.
        var events: [String] = []

        var error: TransferError? { outcomes.first?.error }
        var status: Int? { heads.first?.statusCode }
        var text: String { String(decoding: content, as: UTF8.self) }
        var timings: TransferTimings { outcomes.first?.timings ?? TransferTimings() }
    }

    private struct State {
        var record = Record()
        var waiters: [CheckedContinuation<Record, Never>] = []
    }
    private let state = Locked(State())
    private let keepsContent: Bool
    private let onBegin: @Sendable (Transfer) -> Void
    private let onHead: @Sendable (Transfer, ResponseHead) -> BodyDelivery
    private let onContent: @Sendable (Transfer, UnsafeRawBufferPointer) -> ReceiveResult
    private let onFinish: @Sendable (Transfer) -> Void

    init(
        keepsContent: Bool = true,
        onBegin: @escaping @Sendable (Transfer) -> Void = { _ in },
        onHead: @escaping @Sendable (Transfer, ResponseHead) -> BodyDelivery = { _, _ in .deliver },
        onContent: @escaping @Sendable (Transfer, UnsafeRawBufferPointer) -> ReceiveResult = { _, _ in .accepted },
        onFinish: @escaping @Sendable (Transfer) -> Void = { _ in }
    ) {
        self.keepsContent = keepsContent
        self.onBegin = onBegin
        self.onHead = onHead
        self.onContent = onContent
        self.onFinish = onFinish
    }

    var record: Record { state.withLock { $0.record } }

    /// The record, when the transfer has ended.
    func finished() async -> Record {
        await withCheckedContinuation { continuation in
            let record = state.withLock { state -> Record? in
                guard state.record.outcomes.isEmpty else { return state.record }
                state.waiters.append(continuation)
                return nil
            }
            if let record { continuation.resume(returning: record) }
        }
    }

    func transferDidBegin(_ transfer: Transfer) { onBegin(transfer) }

    func transfer(_ transfer: Transfer, didReceive head: ResponseHead) -> BodyDelivery {
        state.withLock {
            $0.record.heads.append(head)
            $0.record.events.append("head")
        }
        return onHead(transfer, head)
    }

    func transfer(_ transfer: Transfer, didReceive bytes: UnsafeRawBufferPointer) -> ReceiveResult {
        let result = onContent(transfer, bytes)
        guard case .accepted = result else { return result }
        let copy = keepsContent ? Array(bytes) : []
        let count = bytes.count
        state.withLock {
            $0.record.content += copy
            $0.record.receivedCount += count
            if $0.record.events.last != "content" { $0.record.events.append("content") }
        }
        return result
    }

    func transfer(_ transfer: Transfer, didSend total: Int64) {
        state.withLock { $0.record.sent = total }
    }

    func transfer(_ transfer: Transfer, didFinish outcome: TransferOutcome) {
        onFinish(transfer)
        let (record, waiters) = state.withLock { state in
            state.record.outcomes.append(outcome)
            state.record.events.append("finish")
            let waiters = state.waiters
            state.waiters = []
            return (state.record, waiters)
        }
        for waiter in waiters { waiter.resume(returning: record) }
    }
}

extension TransferRequest {
    /// A request to a test server, trusting nobody.
    init(_ url: String, method: String = "GET", policy: String = "test") {
        let origin = (try? RequestTarget(url))?.origin ?? url
        self.init(
            url: url, origin: origin, method: method, tls: TLSConfiguration(identity: policy, verify: { _, _ in nil }))
        idleTimeout = 20
    }
}

extension TransportEngine {
    /// Runs a transfer to its end.
    func run(_ request: TransferRequest, _ handler: RecordingHandler = RecordingHandler()) async
        -> RecordingHandler.Record
    {
        start(Transfer(request: request, handler: handler))
        return await handler.finished()
    }
}

/// Runs `body` with an engine and a server of its own, and ends both.
func withEngine<Result>(
    server script: @escaping ScriptedServer.Script,
    _ body: (TransportEngine, ScriptedServer) async throws -> Result
) async rethrows -> Result {
    let server = ScriptedServer(script)
    let engine = TransportEngine()
    defer {
        engine.shutdown()
        server.stop()
    }
    return try await body(engine, server)
}
