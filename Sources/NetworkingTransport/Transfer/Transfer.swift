internal import NetworkingSupport

/// One request on its way: made on any thread, driven by the network thread only.
// Sendable because `request` and `handler` are immutable and everything else is touched on the network thread only.
package final class Transfer: @unchecked Sendable {
    /// Where a transfer stands.
    enum Phase {
        case created
        /// In the engine's waiting list.
        case waiting
        /// Handed to libcurl.
        case active
        case finished
    }

    package let request: TransferRequest
    /// Cleared when the transfer has finished, so that no cycle outlives it.
    package internal(set) var handler: (any TransferHandler)?

    /// Network thread.
    var phase = Phase.created
    /// Network thread. Cancelled before it was started.
    var isCancelled = false
    /// Network thread. What drives it while it is active.
    var driver: TransferDriver?
    /// Network thread. Where it waits, or counts as active.
    var origin: OriginQueue?
    /// Network thread. When it was started.
    var startTime: UInt64 = 0

    package init(request: TransferRequest, handler: any TransferHandler) {
        self.request = request
        self.handler = handler
    }

    /// Reports the end. Network thread, once.
    func finish(_ outcome: TransferOutcome) {
        precondition(phase != .finished)
        phase = .finished
        driver = nil
        origin = nil
        if case .source(let source) = request.body { source.close() }
        let handler = handler
        handler?.transfer(self, didFinish: outcome)
        self.handler = nil
    }
}
