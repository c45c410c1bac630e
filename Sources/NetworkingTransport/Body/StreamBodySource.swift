// SPDX-License-Identifier: MIT
internal import Dispatch
package import Foundation
internal import NetworkingSupport

/// A Foundation stream as a request's content: read on a separate queue, because a stream may block.
// Sendable because the stream is touched on the queue only once the source has it, and the rest on the network thread.
package final class StreamBodySource: BodySource, @unchecked Sendable {
    package let contentLength: Int64?
    private let queue = DispatchQueue(label: "OperationNetworking.StreamBodySource")
    private let reopen: (@Sendable () -> InputStream?)?
    /// Network thread. The stream of the next attempt.
    private var stream: InputStream?
    /// Network thread.
    private var wasOpened = false
    /// Network thread.
    private var pump: BodyPump?
    /// Network thread. The stream was read to its end, and gave nothing.
    private var isKnownEmpty = false
    /// Network thread. Ends the wait of the pump's stream.
    private var interrupt: (() -> Void)?

    /// - Parameters:
    ///   - stream: Open or not; the caller touches it no more. It is closed when the transfer has ended, and, if a read
    ///     blocks then, when that returns; an `InterruptibleInputStream` is interrupted first. One that was never read
    ///     is closed with this object.
    ///   - contentLength: Bytes that the stream will deliver; nil: unknown, sent chunked.
    ///   - reopen: Makes another stream with the same bytes, for a request that has to be sent again; called on the
    ///     network thread. nil: such a request fails, unless the server has refused it unseen and no more had gone out
    ///     than what was read first, 256 KiB at most.
    package init(
        stream: sending InputStream, contentLength: Int64?, reopen: (@Sendable () -> InputStream?)? = nil
    ) {
        self.stream = stream
        self.contentLength = contentLength
        self.reopen = reopen
    }

    package func open(wakeUp: @escaping @Sendable () -> Void) {
        guard let stream else {
            pump?.restart(wakeUp: wakeUp)
            return
        }
        self.stream = nil
        wasOpened = true
        closePump()
        let length = contentLength
        interrupt = (stream as? any InterruptibleInputStream).map { stream in { stream.interrupt() } }
        pump = BodyPump(queue: queue, wakeUp: wakeUp) { StreamProducer(stream: stream, length: length) }
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyRead {
        let result = pump?.read(into: buffer) ?? .end
        if case .end = result, contentLength == 0 { isKnownEmpty = true }
        return result
    }

    package func rewind(afterRefusal: Bool) -> Bool {
        if pump == nil, stream != nil || isKnownEmpty { return true }
        guard let another = reopen?() else { return afterRefusal && pump?.hasBeginning == true }
        closePump()
        stream = another
        return true
    }

    package func close() {
        closePump()
        // A stream that was never opened can still be sent by another transfer.
        guard wasOpened else { return }
        stream?.close()
        stream = nil
    }

    deinit { stream?.close() }

    /// True if nothing was read yet, or there is nothing to read. Network thread.
    package var isUntouched: Bool { !wasOpened || isKnownEmpty }

    private func closePump() {
        pump?.close()
        pump = nil
        interrupt?()
        interrupt = nil
    }
}

/// Reads the stream; the pump's queue only.
private final class StreamProducer: BodyProducer {
    private let stream: InputStream
    /// Bytes announced and not read yet; nil: unknown.
    private var left: Int64?

    init(stream: InputStream, length: Int64?) {
        self.stream = stream
        left = length
    }

    func finish() { stream.close() }

    func produce(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        if stream.streamStatus == .notOpen {
            stream.open()
            // Waits: who asked does not for long.
            if left == 0 { try readEnd() }
        }
        if left == 0 { return 0 }
        let count = try read(into: buffer)
        guard let left else { return count }
        guard Int64(count) <= left else { throw excess }
        guard count > 0 else { throw BodySourceError("The stream ended \(left) bytes short of what was announced.") }
        self.left = left - Int64(count)
        if self.left == 0, stream.hasBytesAvailable { try readEnd() }
        return count
    }

    /// Looks once more before the last bytes go out, or before none do: what comes then is too much. A stream that
    /// would block is believed, because its writer may never close it.
    private func readEnd() throws {
        var extra = [UInt8](repeating: 0, count: 1)
        guard try extra.withUnsafeMutableBytes({ try read(into: $0) }) == 0 else { throw excess }
    }

    private var excess: BodySourceError { BodySourceError("The stream delivered more bytes than were announced.") }

    private func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard let start = buffer.bindMemory(to: UInt8.self).baseAddress else { return 0 }
        let count = stream.read(start, maxLength: buffer.count)
        guard count >= 0, count <= buffer.count, stream.streamStatus != .error else {
            throw BodySourceError("The stream could not be read.", cause: stream.failure)
        }
        return count
    }
}
