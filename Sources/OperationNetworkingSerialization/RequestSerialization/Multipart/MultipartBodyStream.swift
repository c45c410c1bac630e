// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport
internal import NetworkingTransport

/// The body of a multipart request: streams its parts in constant memory.
///
/// A failing source makes `read` return −1 and sets `streamError`; the body never ends early. Reads may wait for a
/// slow source or for the throttle, on the reader's thread; `close()` from another thread ends the wait.
///
/// Foundation declares streams not Sendable; this one may be closed and asked for its status from any thread: `body`
/// does not change, and `reader`, with the caller's streams, is touched only by the holder of the lease in `shared`.
final class MultipartBodyStream: UnscheduledInputStream, ReplayableBodyStream, InterruptibleInputStream {
    private struct Shared: Sendable {
        var status = Stream.Status.notOpen
        var error: (any Error)?
        /// True while a thread opens, reads or cleans up; only that thread touches `reader`.
        var isLeased = false
    }

    let body: MultipartBody
    private let shared = Locked(Shared())
    /// Touched by the holder of the lease only.
    private var reader: MultipartReader
    /// The time when the next packet may be given, on `MonotonicClock`. Touched by the holder of the lease only.
    private var nextPacketTime: UInt64 = 0
    /// Signalled by `close()`.
    private let closing = DispatchSemaphore(value: 0)

    init(_ body: MultipartBody) {
        self.body = body
        reader = MultipartReader(body)
        super.init(data: Data())
    }

    // MARK: Replay

    var contentLength: Int64? { body.contentLength }

    var isReplayable: Bool { !body.sources.contains { $0.singleUseName != nil } }

    func makeReplay() throws -> InputStream {
        if let name = body.sources.lazy.compactMap(\.singleUseName).first {
            throw RequestSerializationError(
                code: .bodyNotReplayable,
                reason: "The body must be sent again, but \(name) can be read only once.",
                detail: "Append data or a regular file instead.")
        }
        return MultipartBodyStream(body)
    }

    // MARK: InputStream

    override func open() {
        let mayOpen = shared.withLock { shared in
            guard shared.status == .notOpen else { return false }
            shared.status = .opening
            shared.isLeased = true
            return true
        }
        guard mayOpen else { return }
        do {
            try reader.check()
            endLease(.open, nil)
        } catch {
            endLease(.error, error)
        }
    }

    override func close() {
        let mayCleanUp = shared.withLock { shared in
            shared.status = .closed
            guard !shared.isLeased else { return false }
            shared.isLeased = true
            return true
        }
        closing.signal()
        if mayCleanUp { endLease(.closed, nil) }
    }

    func interrupt() { close() }

    /// −1 also before `open()` and after `close()`: 0 would look like the end of the body.
    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        enum Start { case read, end, refuse }
        let start = shared.withLock { shared in
            guard !shared.isLeased else { return Start.refuse }
            switch shared.status {
            case .open:
                shared.isLeased = true
                return .read
            case .atEnd: return .end
            default: return .refuse
            }
        }
        switch start {
        case .refuse: return -1
        case .end: return 0
        case .read: break
        }
        do {
            let packetSize = min(maxLength, body.packetSize ?? maxLength)
            waitForPacketTime()
            let count = try reader.read(
                into: UnsafeMutableRawBufferPointer(start: buffer, count: max(packetSize, 0)),
                isCancelled: { [shared] in shared.withLock { $0.status == .closed } })
            setNextPacketTime()
            return endLease(reader.isAtEnd ? .atEnd : .open, nil) ? count : -1
        } catch {
            endLease(.error, error)
            return -1
        }
    }

    /// Gives up the lease with the stream in `status`, unless it was closed meanwhile; releases the sources when it
    /// was closed or has failed. True: not closed.
    @discardableResult
    private func endLease(_ status: Stream.Status, _ error: (any Error)?) -> Bool {
        if status == .error { reader.close() }
        let isClosed = shared.withLock { shared in
            if shared.status == .closed { return true }
            shared.status = status
            shared.error = error
            shared.isLeased = false
            return false
        }
        guard isClosed else { return true }
        reader.close()
        shared.withLock { $0.isLeased = false }
        return false
    }

    private func waitForPacketTime() {
        let now = MonotonicClock.now
        guard nextPacketTime > now else { return }
        _ = closing.wait(timeout: .now() + .nanoseconds(Int(clamping: nextPacketTime - now)))
    }

    private func setNextPacketTime() {
        guard body.packetDelay > 0 else { return }
        // A delay beyond a year is as good as a year.
        let nanoseconds = UInt64(min(body.packetDelay, 31_536_000) * 1_000_000_000)
        nextPacketTime = MonotonicClock.now &+ nanoseconds
    }

    override var hasBytesAvailable: Bool { streamStatus == .open }

    override var streamStatus: Stream.Status { shared.withLock { $0.status } }

    override var streamError: (any Error)? { shared.withLock { $0.error } }
}
