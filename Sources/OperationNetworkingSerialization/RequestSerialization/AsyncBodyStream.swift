// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport
internal import NetworkingTransport

/// A request's content from an asynchronous sequence, as the stream that a `URLRequest` carries.
///
/// Foundation declares streams not Sendable; this one may be closed and asked for its status from any thread:
/// everything mutable is in `shared` or in the feed, which have locks.
final class AsyncBodyStream: UnscheduledInputStream, ReplayableBodyStream, InterruptibleInputStream {
    private struct Shared: Sendable {
        var status = Stream.Status.notOpen
        var error: (any Error)?
    }

    let contentLength: Int64?
    private let feed = BodyFeed()
    private let start: @Sendable (BodyFeed) -> Void
    private let shared = Locked(Shared())

    /// - Parameter start: makes the feed take the sequence's elements.
    init(contentLength: Int64?, start: @escaping @Sendable (BodyFeed) -> Void) {
        self.contentLength = contentLength
        self.start = start
        super.init(data: Data())
    }

    deinit { feed.close() }

    // MARK: Replay

    var isReplayable: Bool { false }

    func makeReplay() throws -> InputStream {
        throw RequestSerializationError(
            code: .bodyNotReplayable,
            reason: "The body must be sent again, but an asynchronous sequence can be read only once.",
            detail: "Set the body as data or a file instead.")
    }

    // MARK: InputStream

    override func open() {
        let isFirst = shared.withLock { shared in
            guard shared.status == .notOpen else { return false }
            shared.status = .open
            return true
        }
        if isFirst { start(feed) }
    }

    override func close() {
        shared.withLock { $0.status = .closed }
        feed.close()
    }

    func interrupt() { close() }

    /// −1 also before `open()` and after `close()`: 0 would look like the end of the body.
    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        switch streamStatus {
        case .open: break
        case .atEnd: return 0
        default: return -1
        }
        switch feed.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: max(0, maxLength))) {
        case .bytes(let count):
            return count
        case .end:
            become(.atEnd, nil)
            return 0
        case .failed(let error):
            if let error { become(.error, error) }
            return -1
        }
    }

    private func become(_ status: Stream.Status, _ error: (any Error)?) {
        shared.withLock { shared in
            guard shared.status == .open else { return }
            shared.status = status
            shared.error = error
        }
    }

    /// True if a read would not wait.
    override var hasBytesAvailable: Bool { streamStatus == .open && feed.hasPiece }

    override var streamStatus: Stream.Status { shared.withLock { $0.status } }

    override var streamError: (any Error)? { shared.withLock { $0.error } }
}
