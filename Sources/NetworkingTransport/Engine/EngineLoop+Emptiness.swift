// SPDX-License-Identifier: MIT
internal import Dispatch
internal import NetworkingSupport

/// Checks content that is announced with a length of 0. libcurl does not ask for such content, so the engine reads from
/// it before the request goes out: what is sent as empty is empty.
extension EngineLoop {
    /// Lets a transfer wait until its content is seen to be empty.
    func checkEmptiness(of source: any BodySource, for transfer: Transfer) {
        transfer.awaitsEmptiness = true
        heldWaiters[ObjectIdentifier(transfer)] = transfer
        source.open(wakeUp: { [self, weak transfer] in
            guard let transfer else { return }
            submit(.perform { [self] in lookForContent(of: transfer, isOverdue: false) })
        })
        lookForContent(of: transfer, isOverdue: false)
        guard transfer.awaitsEmptiness else { return }
        // A stream whose writer neither writes nor closes is believed, as it is after the last byte that was announced.
        DispatchQueue.global().asyncAfter(deadline: .now() + 1) { [self, weak transfer] in
            guard let transfer else { return }
            submit(.perform { [self] in lookForContent(of: transfer, isOverdue: true) })
        }
    }

    private func lookForContent(of transfer: Transfer, isOverdue: Bool) {
        guard transfer.phase == .waiting, transfer.awaitsEmptiness, case .source(let source) = transfer.request.body
        else { return }
        var byte: UInt8 = 0
        switch withUnsafeMutableBytes(of: &byte, { source.read(into: $0) }) {
        case .bytes:
            fail(transfer, TransferError(.bodySource, message: "The body is longer than the 0 bytes announced."))
        case .failed(let error):
            fail(transfer, TransferError(.bodySource, message: "The body could not be produced.", cause: error))
        case .wait where !isOverdue:
            return
        case .end, .wait:
            transfer.awaitsEmptiness = false
            guard !transfer.isHeld else { return }
            heldWaiters[ObjectIdentifier(transfer)] = nil
            enter(transfer)
            evictIdlePools()
        }
    }

    private func fail(_ transfer: Transfer, _ error: TransferError) {
        transfer.awaitsEmptiness = false
        heldWaiters[ObjectIdentifier(transfer)] = nil
        finish(transfer, error)
    }
}

extension TransferRequest {
    /// True if the source's content is announced with a length of 0.
    func announcesNothing(of source: any BodySource) -> Bool {
        if case .success(0) = RequestValidation.contentLength(of: source, headers: headers) { return true }
        return false
    }
}
