// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport
internal import NetworkingTransport
internal import OperationNetworking

/// Answers transfers by the rules of stubs, in the place of the engine.
///
/// Commands come from any thread; everything else is done on the network thread of the runtime below.
final class StubEngine: Sendable {
    let stubs: HTTPStubs
    let base: any OperationRuntime
    /// Makes an event happen on the network thread, in any order with those of other transfers.
    private let post: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// True if there is a real engine below.
    let isLive: Bool
    private let state = ThreadState()

    // Sendable because it is touched on the network thread only.
    private final class ThreadState: @unchecked Sendable {
        var flows: [ObjectIdentifier: StubFlow] = [:]
        /// Commands that came before their transfer was started.
        var cancelled: Set<ObjectIdentifier> = []
        var held: Set<ObjectIdentifier> = []
        /// The simulation is over, or about to be: what comes is cancelled. Once it is over any thread counts as the
        /// network thread, and none changes anything here.
        var isOver = false
    }

    init(_ stubs: HTTPStubs, _ simulated: SimulatedRuntime?) {
        self.stubs = stubs
        isLive = simulated == nil
        if let simulated {
            base = simulated
            post = { simulated.scheduler.onNetworkEvent($0) }
        } else {
            let live = LiveRuntime()
            base = live
            post = { live.onNetworkThread($0) }
        }
        simulated?.scheduler.atEnd { [weak self] in self?.cancelAll() }
    }

    // MARK: Commands, from any thread

    func start(_ transfer: Transfer) {
        base.onNetworkThread { [self] in begin(transfer) }
    }

    func cancel(_ transfer: Transfer) {
        base.onNetworkThread { [self] in
            if let flow = flow(transfer) { return end(flow, Self.cancelled) }
            if transfer.handler != nil, !state.isOver { state.cancelled.insert(ObjectIdentifier(transfer)) }
        }
    }

    func resumeReceiving(_ transfer: Transfer) {
        base.onNetworkThread { [self] in
            guard let flow = flow(transfer) else { return }
            if let relay = flow.relay { return base.resumeReceiving(relay.transfer) }
            guard flow.isPaused else { return }
            flow.isPaused = false
            advance(flow)
        }
    }

    func hold(_ transfer: Transfer, _ isHeld: Bool) {
        base.onNetworkThread { [self] in
            guard let flow = flow(transfer) else {
                guard transfer.handler != nil, !state.isOver else { return }
                state.held.remove(ObjectIdentifier(transfer))
                if isHeld { state.held.insert(ObjectIdentifier(transfer)) }
                return
            }
            if let relay = flow.relay { return isHeld ? base.hold(relay.transfer) : base.release(relay.transfer) }
            guard flow.isHeld != isHeld else { return }
            flow.isHeld = isHeld
            if !isHeld { flow.phase == .sending ? send(flow) : advance(flow) }
        }
    }

    // MARK: On the network thread

    private func flow(_ transfer: Transfer) -> StubFlow? { state.flows[ObjectIdentifier(transfer)] }

    private func begin(_ transfer: Transfer) {
        let id = ObjectIdentifier(transfer)
        let flow = StubFlow(transfer, uptime: base.uptime)
        guard !state.isOver else {
            return transfer.finish(TransferOutcome(error: Self.cancelled, timings: flow.timings(at: base.uptime)))
        }
        flow.isHeld = state.held.remove(id) != nil
        if state.cancelled.remove(id) != nil { return finish(flow, Self.cancelled) }
        if let error = transfer.request.validationError { return finish(flow, error) }
        state.flows[id] = flow
        transfer.handler?.transferDidBegin(transfer)
        if let error = rejection(of: transfer.request) { return end(flow, error) }
        send(flow)
    }

    /// Sends the request, or goes on with it. One that is held waits.
    private func send(_ flow: StubFlow) {
        let transfer = flow.transfer
        guard flow.phase == .sending, !flow.isHeld, isUnderWay(flow) else { return }
        switch transfer.request.body {
        case .none:
            ask(flow)
        case .data(let data):
            flow.body = data
            if !data.isEmpty { transfer.handler?.transfer(transfer, didSend: Int64(data.count)) }
            ask(flow)
        case .source(let source):
            if !flow.isSourceOpen {
                flow.isSourceOpen = true
                source.open { [self, weak flow] in
                    guard let flow else { return }
                    base.onNetworkThread { [self] in send(flow) }
                }
            }
            readBody(of: source, flow)
        }
    }

    /// The error with which the request's security policy rejects what the host shows; nil: it does not.
    private func rejection(of request: TransferRequest) -> TransferError? {
        guard request.origin.hasPrefix("https:"), let host = TransportEngine.host(of: request.url),
            let shown = stubs.certificates(ofHost: host)
        else { return nil }
        do {
            let chain = try shown.map { try X509Certificate(der: $0) }
            guard let failure = request.tls.verify(chain, host) else { return nil }
            var error = TransferError(
                .serverUntrusted, message: "The security policy rejects what the stubs show for \(host).",
                cause: failure)
            error.rejectedServer = .init(chain: chain, host: host)
            return error
        } catch {
            let reason = "what is to be shown for \(host) is no certificate"
            return TransferError(
                .substituted, message: reason, cause: StubResponseError(reason: reason))
        }
    }

    /// Collects the content of a file or stream, as far as it is there.
    private func readBody(of source: any BodySource, _ flow: StubFlow) {
        let transfer = flow.transfer
        var body = flow.body ?? Data()
        flow.body = nil
        defer { if flow.phase == .sending { flow.body = body } }
        while true {
            let result = withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) { buffer in
                let result = source.read(into: buffer)
                if case .bytes(let count) = result, count > 0, count <= buffer.count {
                    body.append(contentsOf: buffer[..<count])
                }
                return result
            }
            switch result {
            case .bytes:
                transfer.handler?.transfer(transfer, didSend: Int64(body.count))
                guard isUnderWay(flow) else { return }
            case .wait:
                return
            case .end:
                flow.body = body
                if let length = source.contentLength, length != Int64(body.count) {
                    return end(
                        flow,
                        TransferError(
                            .bodySource,
                            message: "The body ended after \(body.count) of the \(length) bytes announced."))
                }
                return ask(flow)
            case .failed(let error):
                return end(
                    flow, TransferError(.bodySource, message: "The body could not be produced.", cause: error))
            }
        }
    }

    /// The request is out: lets the rules answer it, off the network thread.
    private func ask(_ flow: StubFlow) {
        let request = flow.transfer.request
        flow.phase = .waiting
        guard let recorded = RecordedRequest(request, body: flow.body, date: base.date) else {
            return end(flow, TransferError(.badURL, message: "The URL cannot be taken apart."))
        }
        stubs.record(recorded)
        arm(flow)
        flow.reply = base.task { [self, stubs] in
            let answer: Answer
            do {
                let response = try await stubs.answer(to: recorded)
                if case .passthrough = response.kind {
                    answer = .passthrough
                } else {
                    answer = .script(try StubScript(response, to: recorded))
                }
            } catch {
                answer = .failure(.ofStub(error, url: request.url))
            }
            base.onNetworkThread { [self] in take(answer, for: flow, recorded) }
        }
    }

    private enum Answer: Sendable {
        case script(StubScript)
        case failure(TransferError)
        case passthrough
    }

    private func take(_ answer: Answer, for flow: StubFlow, _ recorded: RecordedRequest) {
        guard isUnderWay(flow), flow.phase == .waiting else { return }
        flow.disarm()
        flow.reply = nil
        switch answer {
        case .failure(let error):
            end(flow, error)
        case .script(let script):
            flow.phase = .receiving
            flow.script = script
            advance(flow)
        case .passthrough:
            guard isLive else {
                let reason = "a simulation has no network to pass a request to"
                return end(
                    flow, TransferError(.substituted, message: reason, cause: StubResponseError(reason: reason)))
            }
            let relay = StubRelay(flow.transfer, body: flow.body, recorded, stubs.recorder) { [self] outcome in
                finish(flow, outcome)
            }
            flow.phase = .receiving
            flow.relay = relay
            base.start(relay.transfer)
            if flow.isHeld { base.hold(relay.transfer) }
        }
    }

    /// Lets the next thing happen, unless one is on its way.
    private func advance(_ flow: StubFlow) {
        guard isUnderWay(flow), flow.script != nil, !flow.isHeld, !flow.isPaused, !flow.isPosted else { return }
        flow.isPosted = true
        post { [self] in
            flow.isPosted = false
            happen(flow)
        }
    }

    private func happen(_ flow: StubFlow) {
        guard isUnderWay(flow), !flow.isHeld, !flow.isPaused, let event = flow.script?.next() else { return }
        let transfer = flow.transfer
        switch event {
        case .wait(let seconds):
            flow.isPosted = true
            arm(flow)
            base.after(seconds) { [self] in
                base.onNetworkThread { [self] in
                    flow.isPosted = false
                    flow.disarm()
                    advance(flow)
                }
            }
            return
        case .interim(let head):
            transfer.handler?.transfer(transfer, didReceiveInterim: ResponseHead(ofStub: head))
        case .head(let head):
            let head = ResponseHead(ofStub: head)
            let codings = transfer.request.decodesContent ? ContentDecoder.codings(of: head) : []
            flow.decoder = codings.isEmpty ? nil : ContentDecoder(codings)
            flow.noteHead(head, at: base.uptime)
            switch transfer.handler?.transfer(transfer, didReceive: head) {
            case .deliver, nil: break
            case .discard: flow.script?.dropContent()
            case .fail(let error): return end(flow, error)
            }
        case .content(let bytes):
            switch flow.deliver(bytes) {
            case .accepted: break
            case .pause:
                flow.isPaused = true
                flow.script?.putBack(.content(Data()))
            case .enough: return end(flow, nil)
            case .fail(let error): return end(flow, error)
            }
        case .end(let error):
            return end(flow, error.map { .ofStub($0, url: transfer.request.url) } ?? flow.finishDecoding())
        }
        advance(flow)
    }

    // MARK: Time without progress

    /// Ends the transfer when its `idleTimeout` passes before `disarm()`.
    private func arm(_ flow: StubFlow) {
        flow.disarm()
        let limit = flow.transfer.request.idleTimeout
        guard limit > 0, limit < 3_155_760_000 else { return }
        let number = flow.idleNumber
        base.after(limit) { [self, weak flow] in
            guard let flow else { return }
            base.onNetworkThread { [self] in expire(flow, number) }
        }
    }

    private func expire(_ flow: StubFlow, _ number: UInt) {
        guard isUnderWay(flow), flow.idleNumber == number else { return }
        // Waiting for our own user is not the server's fault.
        guard !flow.isHeld, !flow.isPaused else { return arm(flow) }
        let limit = flow.transfer.request.idleTimeout
        let message = "Nothing came for \(limit) seconds while \(flow.transferPhase.rawValue)."
        end(flow, TransferError(.timedOut, message: message))
    }

    // MARK: The end

    private func isUnderWay(_ flow: StubFlow) -> Bool { flow.phase != .ended }

    private func end(_ flow: StubFlow, _ error: TransferError?) {
        guard isUnderWay(flow) else { return }
        if let relay = flow.relay, error?.kind == .cancelled { return base.cancel(relay.transfer) }
        finish(flow, error)
    }

    private func finish(_ flow: StubFlow, _ error: TransferError?) {
        finish(flow, TransferOutcome(error: error, timings: flow.timings(at: base.uptime)))
    }

    private func finish(_ flow: StubFlow, _ outcome: TransferOutcome) {
        guard isUnderWay(flow) else { return }
        flow.phase = .ended
        state.flows[ObjectIdentifier(flow.transfer)] = nil
        flow.reply?.cancel()
        flow.reply = nil
        flow.relay = nil
        flow.transfer.finish(outcome)
    }

    /// Ends what is under way, and what comes: the simulation is over.
    private func cancelAll() {
        state.isOver = true
        for flow in state.flows.values { end(flow, Self.cancelled) }
    }

    private static var cancelled: TransferError { TransferError(.cancelled, message: "The request was cancelled.") }
}
