// SPDX-License-Identifier: MIT
internal import NetworkingSupport

/// One request on its way: made on any thread, driven by the network thread only.
// Sendable because `request` and `handler` are immutable and everything else is touched on the network thread only.
package final class Transfer: @unchecked Sendable {
    /// The state of a transfer.
    enum Phase {
        case created
        /// Without a slot: in the engine's waiting list or, while it is held, outside.
        case waiting
        /// Handed to libcurl.
        case active
        case finished
    }

    package let request: TransferRequest
    /// Cleared when the transfer has finished, so that no cycle outlives it.
    package internal(set) var handler: (any TransferHandler)?

    // All that follows: network thread, which calls nothing while it changes a field: no checks for overlapping accesses.

    @exclusivity(unchecked) var phase = Phase.created
    /// Cancelled before it was started.
    @exclusivity(unchecked) var isCancelled = false
    /// See `TransportEngine.hold(_:)`.
    @exclusivity(unchecked) var isHeld = false
    /// Others may have its slot: it is active, and held.
    @exclusivity(unchecked) var hasLentSlot = false
    /// Its pool may have one connection more because of it.
    @exclusivity(unchecked) var hasExtraConnection = false
    /// The driver of the transfer while it is active.
    @exclusivity(unchecked) var driver: TransferDriver?
    /// Its place in the waiting list; nil: it is not in the list.
    @exclusivity(unchecked) var ticket: AdmissionTable<Transfer>.Ticket?
    /// The origin that it has a slot of while it is active.
    @exclusivity(unchecked) var origin = 0
    /// The time at which it was started.
    @exclusivity(unchecked) var startTime: UInt64 = 0
    /// Its place in the order in which transfers were started.
    @exclusivity(unchecked) var arrival: UInt64 = 0
    @exclusivity(unchecked) var ledger = SendLedger()
    /// Its content was announced as empty and has not been checked yet: it does not begin before.
    @exclusivity(unchecked) var awaitsEmptiness = false
    /// Descriptors were freed for it once.
    @exclusivity(unchecked) var hasReclaimedDescriptors = false

    package init(request: TransferRequest, handler: any TransferHandler) {
        self.request = request
        self.handler = handler
    }

    /// True if a server may have seen something of the request: it had a connection and was about to be sent. Network
    /// thread.
    package var mayHaveReachedServer: Bool { ledger.hasSent }

    /// Reports the end, once. Network thread. For the engine, and for what answers in its place.
    package func finish(_ outcome: TransferOutcome) {
        guard phase != .finished else { return }
        phase = .finished
        driver = nil
        ticket = nil
        if case .source(let source) = request.body { source.close() }
        let handler = handler
        self.handler = nil
        handler?.transfer(self, didFinish: outcome)
    }
}
