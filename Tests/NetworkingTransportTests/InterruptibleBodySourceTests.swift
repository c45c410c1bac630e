// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport
internal import Testing

@Suite("Body sources of interruptible streams", .timeLimit(.minutes(1)))
struct InterruptibleBodySourceTests {
    /// Has nothing to read until it is interrupted.
    private final class SilentStream: InputStream, InterruptibleInputStream {
        let reading = DispatchSemaphore(value: 0)
        let interrupted = DispatchSemaphore(value: 0)
        let closed = DispatchSemaphore(value: 0)

        init() { super.init(data: Data()) }

        override func open() {}
        override func close() { closed.signal() }
        override var streamStatus: Stream.Status { .open }
        override var streamError: (any Error)? { nil }
        override var hasBytesAvailable: Bool { false }

        override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
            reading.signal()
            interrupted.wait()
            return -1
        }

        func interrupt() { interrupted.signal() }
    }

    @Test("Closing the source ends a read that waits, and closes the stream")
    func close() {
        let stream = SilentStream()
        let (reading, closed) = (stream.reading, stream.closed)
        nonisolated(unsafe) let given = stream
        let source = StreamBodySource(stream: given, contentLength: nil)
        source.open {}
        #expect(reading.wait(timeout: .now() + 20) == .success)
        source.close()
        #expect(closed.wait(timeout: .now() + 20) == .success)
    }
}
