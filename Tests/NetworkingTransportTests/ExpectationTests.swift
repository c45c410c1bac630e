// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import Testing

@testable import NetworkingTransport

/// `Expect: 100-continue` that is answered by the response itself (RFC 9110, section 10.1.1).
@Suite("Expectations", .timeLimit(.minutes(1)))
struct ExpectationTests {
    /// Answers a request with an expectation by its head, and reads on for its content, as it may.
    private final class Judge: Sendable {
        private let log = Locked<[String]>([])
        let status: Int

        init(status: Int) { self.status = status }

        /// What was taken for requests, by connection, with the content.
        var requests: [String] { log.withLock { $0 } }

        func serve(_ connection: ScriptedConnection) {
            while let request = connection.readHead() {
                let hasExpectation = request.value("Expect") != nil
                if hasExpectation { connection.respond("no", status: status) }
                let length = request.value("Content-Length").flatMap { Int($0) } ?? 0
                guard let content = connection.read(length) else { return }
                log.withLock {
                    $0.append("\(connection.number) \(request.lines[0]) \(String(decoding: content, as: UTF8.self))")
                }
                if !hasExpectation { connection.respond("yes") }
            }
        }
    }

    private func post(to url: String, streamed: Bool) -> TransferRequest {
        var request = TransferRequest(url, method: "POST")
        request.headers = [HeaderField("Expect", "100-continue")]
        request.body = .data(Data("content".utf8))
        guard streamed else { return request }
        let source = ManualBodySource(length: 7)
        source.supply("content")
        source.end()
        request.body = .source(source)
        return request
    }

    @Test("The next request is not taken for the content that was not sent", arguments: [200, 201], [false, true])
    func answered(status: Int, streamed: Bool) async {
        let judge = Judge(status: status)
        await withEngine(server: { judge.serve($0) }) { engine, server in
            let first = await engine.run(post(to: server.url, streamed: streamed))
            #expect(first.error == nil && first.status == status)
            let second = await engine.run(TransferRequest(server.url + "/next"))
            #expect(second.error == nil && second.text == "yes")
            #expect(judge.requests == ["2 GET /next HTTP/1.1 "])
        }
    }

    @Test("After a 417 the request is sent without it, on another connection", arguments: [false, true])
    func refused(streamed: Bool) async {
        let judge = Judge(status: 417)
        await withEngine(server: { judge.serve($0) }) { engine, server in
            let record = await engine.run(post(to: server.url, streamed: streamed))
            #expect(record.error == nil && record.status == 200 && record.text == "yes")
            #expect(judge.requests == ["2 POST / HTTP/1.1 content"])
        }
    }

    @Test("Content that the server asked for is sent, and the connection serves the next request")
    func met() async {
        let requests = Locked<[String]>([])
        await withEngine(server: { connection in
            while let request = connection.readHead() {
                if request.value("Expect") != nil { connection.write("HTTP/1.1 100 Continue\r\n\r\n") }
                let length = request.value("Content-Length").flatMap { Int($0) } ?? 0
                guard let content = connection.read(length) else { return }
                requests.withLock { $0.append("\(connection.number) \(String(decoding: content, as: UTF8.self))") }
                connection.respond("yes")
            }
        }) { engine, server in
            for streamed in [false, true] {
                #expect(await engine.run(post(to: server.url, streamed: streamed)).text == "yes")
            }
            #expect(requests.withLock { $0 } == ["1 content", "1 content"])
        }
    }
}
