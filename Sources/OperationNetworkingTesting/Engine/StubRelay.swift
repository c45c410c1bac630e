// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

/// Lets the real engine carry a request out, and hands on what comes.
// Sendable because everything mutable is touched on the network thread only, or before `transfer` is started.
final class StubRelay: TransferHandler, @unchecked Sendable {
    private let outer: Transfer
    /// The transfer that the engine carries out.
    private(set) var transfer: Transfer
    private let request: RecordedRequest
    private let recorder: (any ExchangeRecorder)?
    private let didFinish: @Sendable (TransferOutcome) -> Void
    private var head: ResponseHead?
    private var content = Data()

    init(
        _ outer: Transfer, body: Data?, _ request: RecordedRequest, _ recorder: (any ExchangeRecorder)?,
        didFinish: @escaping @Sendable (TransferOutcome) -> Void
    ) {
        self.outer = outer
        self.request = request
        self.recorder = recorder
        self.didFinish = didFinish
        var inner = outer.request
        // It was read for the rules.
        if case .source = inner.body { inner.body = .data(body ?? Data()) }
        transfer = outer
        transfer = Transfer(request: inner, handler: self)
    }

    func transfer(_ transfer: Transfer, didReceiveInterim head: ResponseHead) {
        outer.handler?.transfer(outer, didReceiveInterim: head)
    }

    func transfer(_ transfer: Transfer, didReceive head: ResponseHead) -> BodyDelivery {
        self.head = head
        content = Data()
        return outer.handler?.transfer(outer, didReceive: head) ?? .deliver
    }

    func transfer(_ transfer: Transfer, didReceive bytes: UnsafeRawBufferPointer) -> ReceiveResult {
        let result = outer.handler?.transfer(outer, didReceive: bytes) ?? .accepted
        if recorder != nil, case .accepted = result { content.append(contentsOf: bytes) }
        return result
    }

    func transfer(_ transfer: Transfer, didSend total: Int64) {
        // Where the content was read for the rules, that was told.
    }

    func transfer(_ transfer: Transfer, didFinish outcome: TransferOutcome) {
        if outcome.error == nil, let recorder, let head {
            let decoded = decodedContent(head)
            recorder.record(request, head, decoded ?? content, isCoded: decoded == nil, outcome.timings)
        }
        didFinish(outcome)
    }

    /// The content out of its codings, also where the engine leaves that to the one that made the request. Nil: it is a
    /// part of something, or does not decode.
    private func decodedContent(_ head: ResponseHead) -> Data? {
        let codings = outer.request.decodesContent ? [] : ContentDecoder.codings(of: head)
        guard !codings.isEmpty else { return content }
        guard head.statusCode != 206 else { return nil }
        let decoder = ContentDecoder(codings)
        var result = Data()
        do {
            try content.withUnsafeBytes { try decoder.decode($0) { result.append(contentsOf: $0) } }
            try decoder.finish()
            return result
        } catch {
            return nil
        }
    }
}
