// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import Testing

@testable import NetworkingTransport

@Suite("gzip", .timeLimit(.minutes(1)))
struct GzipEncoderTests {
    private static func content(_ count: Int, isRandom: Bool) -> Data {
        var state: UInt32 = 1
        return Data(
            (0..<count).map { _ in
                state = state &* 1_664_525 &+ 1_013_904_223
                return isRandom ? UInt8(state >> 24) : 0x61
            })
    }

    @Test(
        "libcurl decodes what was encoded, whatever its size and however it is cut",
        arguments: [0, 1, 511, 512, 1000, 1001, 300_000], [false, true])
    func decoded(count: Int, isRandom: Bool) async throws {
        let content = Self.content(count, isRandom: isRandom)
        for pieceSize in [1000, 1 << 30] {
            let encoded = try GzipEncoder.encode(content, pieceSize: pieceSize)
            let record = await withEngine(server: { connection in
                guard connection.readRequest() != nil else { return }
                _ = connection.write(
                    "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(encoded.count)\r\n\r\n")
                _ = connection.write([UInt8](encoded))
                connection.waitForEnd()
            }) { engine, server in
                await engine.run(TransferRequest(server.url))
            }
            #expect(record.error == nil)
            #expect(record.content == [UInt8](content))
        }
    }

    @Test("A slice is encoded from its own start")
    func slice() throws {
        let content = Self.content(5000, isRandom: true)
        #expect(try GzipEncoder.encode(content[1000..<3000]) == GzipEncoder.encode(Data(content[1000..<3000])))
    }
}
