// SPDX-License-Identifier: MIT
import Foundation
import NetworkingTransport
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("Content between the network and a slower end", .timeLimit(.minutes(1))) struct ContentBufferTests {
    private static let end = ContentBuffer.End(
        highWater: 100, lowWater: 40, itemSize: 30, pace: "it was taken", remedy: "take it")

    private static func write(_ byte: UInt8, _ count: Int, to buffer: inout ContentBuffer) -> String {
        [UInt8](repeating: byte, count: count).withUnsafeBytes {
            switch buffer.write($0) {
            case .accepted: "accepted"
            case .pause: "pause"
            case .fail(let error): "\(error)"
            }
        }
    }

    /// All that comes out: letters for content, "|" where a response begins.
    private static func takeAll(_ buffer: inout ContentBuffer) -> String {
        var result = ""
        while let item = buffer.next() {
            switch item {
            case .beginning: result += "|"
            case .content(let data): result += String(decoding: data, as: UTF8.self)
            }
            _ = buffer.release()
        }
        return result
    }

    @Test("Content comes out in order, in items of a bounded size")
    func order() {
        var buffer = ContentBuffer(Self.end)
        buffer.begin(nil, as: .plain, isKept: false)
        #expect(Self.write(UInt8(ascii: "a"), 20, to: &buffer) == "accepted")
        #expect(Self.write(UInt8(ascii: "b"), 50, to: &buffer) == "accepted")
        #expect(buffer.bytesAccepted == 70 && buffer.pendingBytes == 70 && buffer.isTouched)
        guard case .beginning = buffer.next(), case .content(let first) = buffer.next() else {
            Issue.record("no content")
            return
        }
        #expect(first.count == 30)
        #expect(Self.takeAll(&buffer) == String(repeating: "b", count: 40))
        #expect(buffer.isEmpty && buffer.pendingBytes == 0)
    }

    @Test("The transfer pauses at the high mark, and goes on when what is worked on is done with, too")
    func marks() {
        var buffer = ContentBuffer(Self.end)
        #expect(Self.write(1, 101, to: &buffer) == "accepted")
        #expect(Self.write(1, 1, to: &buffer) == "pause")
        var resumed = 0
        while buffer.next() != nil {
            // Not yet: the item is not done with.
            #expect(buffer.pendingBytes > 0)
            if buffer.release() { resumed += 1 }
        }
        let isPaused = buffer.endPause()
        #expect(resumed == 1 && buffer.pendingBytes == 0 && !isPaused)
    }

    @Test("Content of an earlier response that is still worked on counts until it is done with, once")
    func startingAnew() {
        var buffer = ContentBuffer(Self.end)
        buffer.begin(nil, as: .plain, isKept: false)
        _ = Self.write(UInt8(ascii: "a"), 30, to: &buffer)
        _ = (buffer.next(), buffer.next())
        buffer.begin(nil, as: .plain, isKept: false)
        _ = Self.write(UInt8(ascii: "b"), 20, to: &buffer)
        #expect(buffer.pendingBytes == 50 && buffer.bytesAccepted == 20 && buffer.response == 2)
        _ = buffer.release()
        #expect(buffer.pendingBytes == 20)
        #expect(Self.takeAll(&buffer) == "|" + String(repeating: "b", count: 20))
    }

    @Test("What cannot be taken back is kept, and compared until the last response has repeated it")
    func repeating() {
        var buffer = ContentBuffer(Self.end)
        buffer.begin(nil, as: .plain, isKept: false)
        _ = Self.write(UInt8(ascii: "a"), 3, to: &buffer)
        buffer.begin(nil, as: .plain, isKept: true)
        buffer.begin(nil, as: .plain, isKept: true)
        #expect(buffer.isRepeating && !buffer.canContinue)
        _ = Self.write(UInt8(ascii: "b"), 3, to: &buffer)
        _ = (buffer.next(), buffer.next(), buffer.next())
        buffer.didRepeat()
        #expect(buffer.isRepeating, "another response is still to begin")
        _ = buffer.next()
        buffer.didRepeat()
        #expect(!buffer.isRepeating && buffer.canContinue)
        #expect(Self.takeAll(&buffer) == "bbb")
    }

    @Test("Content that cannot pause fails beyond its limit, and says what to do")
    func limit() {
        var buffer = ContentBuffer(Self.end)
        buffer.begin(nil, as: .decoded(limit: 150), isKept: false)
        #expect(Self.write(1, 150, to: &buffer) == "accepted")
        let failure = Self.write(1, 1, to: &buffer)
        #expect(failure.contains("faster than it was taken, beyond the limit of 150 bytes in memory; take it"))
        #expect(buffer.bytesAccepted == 150)
    }

    @Test("What waits of the present response can be taken back, and nothing of the one before")
    func takingBack() {
        var buffer = ContentBuffer(Self.end)
        buffer.begin(nil, as: .plain, isKept: false)
        _ = Self.write(UInt8(ascii: "a"), 5, to: &buffer)
        buffer.begin(nil, as: .coded([.gzip]), isKept: true)
        _ = Self.write(UInt8(ascii: "b"), 40, to: &buffer)
        let (content, form) = buffer.takeBackPresent()
        #expect(content.map(\.count) == [30, 10] && form.isCoded && buffer.pendingBytes == 5)
        #expect(Self.takeAll(&buffer) == "|aaaaa")
    }
}
