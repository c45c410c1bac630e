// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import Testing

@testable import NetworkingTransport

/// What a server says of its connection, and of its content's length, that is not so.
@Suite("Connections and lengths that are not what they say", .timeLimit(.minutes(1)), .serialized)
struct MislabeledConnectionTests {
    @Test("A connection that is said to be HTTP/2, and is not, is used for one request")
    func versionOfStatusLine() async throws {
        await withEngine(server: { connection in
            while let request = connection.readRequest() {
                let path = request.head.split(separator: " ")[1]
                connection.write("HTTP/2 200 OK\r\nContent-Length: \(path.utf8.count)\r\n\r\n\(path)")
            }
        }) { engine, server in
            let base = server.url
            let first = await engine.run(TransferRequest(base + "/first"))
            #expect(first.text == "/first" && first.error == nil)
            let texts = await withTaskGroup(of: (String, String?).self) { group in
                for index in 0..<30 {
                    group.addTask { ("/\(index)", await engine.run(TransferRequest(base + "/\(index)")).text) }
                }
                return await group.reduce(into: [(String, String?)]()) { $0.append($1) }
            }
            #expect(texts.allSatisfy { $0.0 == $0.1 })
            #expect(server.connectionCount == 31)
        }
    }

    @Test("With a transfer coding the length does not say when the response to an upload is whole")
    func codedLength() async throws {
        await withEngine(server: { connection in
            guard connection.readRequest() != nil else { return }
            connection.write(
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
        }) { engine, server in
            var request = TransferRequest(server.url, method: "POST")
            request.body = .data(Data("x".utf8))
            let record = await engine.run(request)
            #expect(record.error?.kind == .connectionLost)
        }
    }

    @Test("PING does not keep a request alive on which nothing moves")
    func pings() async throws {
        let record = await withEngine(server: { connection in
            guard connection.beginHTTP2(.settings()), connection.nextRequestStream() != nil else { return }
            while connection.write(HTTP2Frame.ping(1).bytes) { connection.pause(milliseconds: 100) }
        }) { engine, server in
            var request = HTTP2FrameTests.request(server)
            request.idleTimeout = 0.5
            return await engine.run(request)
        }
        #expect(record.error?.kind == .timedOut)
    }
}
