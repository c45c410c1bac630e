// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import Testing

@testable import NetworkingTransport

/// What becomes of a request whose connection ends without an answer.
@Suite("Sending again", .timeLimit(.minutes(1)))
struct ResendTests {
    /// Answers the first request of each connection, takes the second and closes; but lets requests through for good once
    /// `drops` have been dropped. Counts what was asked for.
    private final class Dropper: Sendable {
        private let state = Locked((requests: [String](), drops: 0))
        let maximumDrops: Int
        init(drops: Int) { maximumDrops = drops }

        var requests: [String] { state.withLock { $0.requests } }

        func serve(_ connection: ScriptedConnection) {
            while let request = connection.readRequest() {
                let maximum = maximumDrops
                let isDropped = state.withLock { state -> Bool in
                    state.requests.append(String(request.head.prefix { $0 != " " }))
                    guard state.requests.count > 1, state.drops < maximum else { return false }
                    state.drops += 1
                    return true
                }
                if isDropped { return }
                connection.respond("x")
            }
        }
    }

    @Test(
        "A request whose repetition changes nothing is sent once more; another is sent once",
        arguments: ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "POST", "PATCH", "FOO"], [false, true])
    func methods(method: String, hasContent: Bool) async {
        let dropper = Dropper(drops: 1)
        await withEngine(server: { dropper.serve($0) }) { engine, server in
            #expect(await engine.run(TransferRequest(server.url)).error == nil)
            var request = TransferRequest(server.url, method: method)
            if hasContent, method != "HEAD" { request.body = .data(Data("content".utf8)) }
            let isIdempotent = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"].contains(method)
            #expect(request.isIdempotent == isIdempotent)
            let record = await engine.run(request)
            #expect(dropper.requests == ["GET", method] + (isIdempotent ? [method] : []))
            #expect(record.outcomes.count == 1)
            guard !isIdempotent else {
                #expect(record.error == nil)
                return
            }
            #expect(record.error?.kind == .connectionLost)
            #expect(record.error?.message.contains("may have reached") == true)
        }
    }

    @Test("It is not sent a third time, whatever open connections there are")
    func once() async {
        let dropped = Locked(0)
        let gate = Latch()
        let arrived = Latch()
        let count = Locked(0)
        await withEngine(server: { connection in
            // Four connections that have answered once, and then drop.
            guard connection.readRequest() != nil else { return }
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number == 4 { arrived.open() }
            if number <= 4 {
                gate.wait()
                connection.respond("x")
                guard connection.readRequest() != nil else { return }
            }
            dropped.withLock { $0 += 1 }
        }) { engine, server in
            let handlers = (0..<4).map { _ in RecordingHandler() }
            for handler in handlers { engine.start(Transfer(request: TransferRequest(server.url), handler: handler)) }
            arrived.wait()
            gate.open()
            for handler in handlers { #expect(await handler.finished().error == nil) }
            let record = await engine.run(TransferRequest(server.url))
            #expect(record.error?.kind == .connectionLost)
            // The fresh connection was asked once.
            #expect(dropped.withLock { $0 } == 2)
            #expect(server.connectionCount == 5)
        }
    }

    @Test("A challenge is answered with a second request, and that one is not a repetition")
    func challenge() async {
        await withEngine(server: { connection in
            while let request = connection.readRequest() {
                if request.value("Authorization") == nil {
                    connection.respond(
                        "", status: 401, headers: "WWW-Authenticate: Digest realm=\"r\", nonce=\"n\"\r\n")
                } else {
                    connection.respond(String(decoding: request.content, as: UTF8.self))
                }
            }
        }) { engine, server in
            for _ in 0..<2 {
                var request = TransferRequest(server.url, method: "POST")
                request.body = .data(Data("content".utf8))
                request.credential = TransferCredential(user: "a", password: "b", schemes: .digest)
                let record = await engine.run(request)
                #expect(record.text == "content", "\(String(describing: record.error))")
            }
        }
    }
}
