// SPDX-License-Identifier: MIT
import Foundation
import TestServer

/// A stream whose reader waits until somebody has something to say, as the input end of a bound pair does.
final class SilentInputStream: InputStream {
    private let gate: Gate
    private let content: Data
    private var isAtEnd = false
    private var status = Stream.Status.notOpen

    init(_ text: String, until gate: Gate) {
        self.gate = gate
        content = Data(text.utf8)
        super.init(data: Data())
    }

    override func open() { status = .open }
    override func close() { status = .closed }
    override var streamStatus: Stream.Status { status }
    override var streamError: (any Error)? { nil }
    override var hasBytesAvailable: Bool { !isAtEnd }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
        guard !isAtEnd, gate.wait(timeout: 60) else { return 0 }
        isAtEnd = true
        content.copyBytes(to: buffer, count: min(length, content.count))
        return min(length, content.count)
    }
}
