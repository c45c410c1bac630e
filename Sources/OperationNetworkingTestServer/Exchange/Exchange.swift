// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworkingTesting

/// A request, and what the stubs let happen to it. Confined to the server's thread.
final class Exchange {
    /// An object that carries the answer.
    protocol Carrier: AnyObject {
        /// True if it takes more.
        var isReady: Bool { get }
        func sendInterim(_ head: StubScript.Head)
        func sendHead(_ head: StubScript.Head)
        func sendContent(_ content: Data)
        /// The content is complete.
        func end()
        func fail(_ fault: Fault)
        /// There may be more now than at the last look.
        func pump()
    }

    /// Content is handed on in pieces of so many bytes at most.
    private static let pieceSize = 64 * 1024

    private let core: ServerCore
    private let request: RecordedRequest
    private weak var carrier: (any Carrier)?
    private var script: StubScript?
    private var reply: Task<Void, Never>?
    private var hasHead = false
    private var isWaiting = false
    private var isEnded = false

    init(_ request: RecordedRequest, _ core: ServerCore, _ carrier: any Carrier) {
        self.request = request
        self.core = core
        self.carrier = carrier
    }

    /// Asks the stubs, off the thread.
    func start() {
        core.stubs.record(request)
        let answer = Answer(self, core.thread)
        let request = request
        let stubs = core.stubs
        reply = Task.detached { await answer.deliver(stubs.script(for: request)) }
    }

    private final class Answer: Sendable {
        // Safe because the exchange is touched on its thread only.
        private nonisolated(unsafe) weak let exchange: Exchange?
        private let thread: ServerThread

        init(_ exchange: Exchange, _ thread: ServerThread) {
            self.exchange = exchange
            self.thread = thread
        }

        func deliver(_ script: StubScript?) {
            thread.perform { [self] in exchange?.take(script) }
        }
    }

    private func take(_ script: StubScript?) {
        guard !isEnded else { return }
        reply = nil
        if let script { self.script = script } else { fail(.reset) }
        carrier?.pump()
    }

    /// Lets happen what can.
    func advance() {
        while !isEnded, !isWaiting, let carrier, carrier.isReady, let event = script?.next() {
            switch event {
            case .wait(let seconds):
                isWaiting = true
                core.thread.after(seconds) { [weak self] in self?.goOn() }
            case .interim(let head):
                carrier.sendInterim(head)
            case .head(let head):
                hasHead = true
                carrier.sendHead(head)
            case .content(let content):
                let rest = content.dropFirst(Self.pieceSize)
                if !rest.isEmpty { script?.putBack(.content(rest)) }
                carrier.sendContent(content.prefix(Self.pieceSize))
            case .end(nil):
                isEnded = true
                carrier.end()
            case .end(let error?):
                end(error)
            }
        }
    }

    private func goOn() {
        isWaiting = false
        carrier?.pump()
    }

    private func end(_ error: any Error) {
        if let error = error as? URLError { return fail(Fault(error.code)) }
        guard !hasHead, let script = HTTPStubs.script(for: error, request) else { return fail(.reset) }
        self.script = script
    }

    private func fail(_ fault: Fault) {
        isEnded = true
        carrier?.fail(fault)
    }

    /// The client may have gone: a rule that is still at work may stop, and what it says is sent if it can be.
    func interrupt() { reply?.cancel() }

    /// The client does not wait for the answer any more.
    func cancel() {
        isEnded = true
        reply?.cancel()
        reply = nil
    }
}
