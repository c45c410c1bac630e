// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

/// A transfer that stubs answer.
// Sendable because everything mutable is touched on the network thread only.
final class StubFlow: @unchecked Sendable {
    enum Phase { case sending, waiting, receiving, ended }

    let transfer: Transfer
    private let startTime: TimeInterval
    var phase = Phase.sending
    var isHeld = false
    /// The handler takes no more at present.
    var isPaused = false
    /// The next event is on its way.
    var isPosted = false
    /// The content's source produces.
    var isSourceOpen = false
    /// As far as it was read; nil: none.
    var body: Data?
    var script: StubScript?
    /// Undoes what the engine undoes.
    var decoder: ContentDecoder?
    /// Content that the handler has not taken yet, decoded.
    private var pending = Data()
    /// The task that finds the answer.
    var reply: Task<Void, Never>?
    /// The real engine's transfer in the place of this one.
    var relay: StubRelay?
    /// Counts progress, so that an earlier alarm can be told from a present one.
    private(set) var idleNumber: UInt = 0
    private var headTime: TimeInterval = 0
    private var httpVersion = ""
    private var headLength: Int64 = 0
    private var received: Int64 = 0

    init(_ transfer: Transfer, uptime: TimeInterval) {
        self.transfer = transfer
        startTime = uptime
    }

    /// Something moves.
    func disarm() { idleNumber &+= 1 }

    func noteHead(_ head: ResponseHead, at uptime: TimeInterval) {
        headTime = uptime
        httpVersion = head.httpVersion
        headLength = Int64(head.rawFields.count)
    }

    /// Hands content to the handler. After `pause` what is left is handed on with the next call.
    func deliver(_ bytes: Data) -> ReceiveResult {
        received += Int64(bytes.count)
        if let decoder {
            do {
                try bytes.withUnsafeBytes { try decoder.decode($0) { pending.append(contentsOf: $0) } }
            } catch {
                return .fail(
                    error as? TransferError
                        ?? TransferError(.cannotDecodeContent, message: "The content does not decode.", cause: error))
            }
        } else {
            pending.append(bytes)
        }
        guard !pending.isEmpty, let handler = transfer.handler else { return .accepted }
        let result = pending.withUnsafeBytes { handler.transfer(transfer, didReceive: $0) }
        if case .accepted = result { pending = Data() }
        return result
    }

    /// The content has ended: whether its codings have, too.
    func finishDecoding() -> TransferError? {
        do {
            try decoder?.finish()
            return nil
        } catch {
            return error
        }
    }

    /// The present phase of the transfer.
    var transferPhase: TransferPhase {
        switch phase {
        case .sending: .sending
        case .waiting: .waiting
        case .receiving, .ended: headTime > 0 ? .receiving : .waiting
        }
    }

    func timings(at uptime: TimeInterval) -> TransferTimings {
        TransferTimings(
            phase: transferPhase, firstByte: headTime > 0 ? headTime - startTime : 0, total: uptime - startTime,
            bytesSent: Int64(body?.count ?? 0), bytesReceived: received, headerBytesReceived: headLength,
            httpVersion: httpVersion)
    }
}
