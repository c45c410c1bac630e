// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import Testing

@testable import NetworkingTransport

/// Many credentials, pools and waiting requests at one host.
@Suite("Many users", .timeLimit(.minutes(1)))
struct ManyUsersTests {
    private static func basic(_ user: Int) -> TransferCredential {
        TransferCredential(user: "user\(user)", password: "secret", schemes: .basic)
    }

    @Test("The limit of connections to a host holds over all users and policies")
    func limit() async {
        let counts = Locked((now: 0, most: 0))
        await withEngine(server: { connection in
            while connection.readRequest() != nil {
                counts.withLock {
                    $0.now += 1
                    $0.most = max($0.most, $0.now)
                }
                connection.pause(milliseconds: 2)
                counts.withLock { $0.now -= 1 }
                connection.respond("x")
            }
        }) { engine, server in
            var handlers: [RecordingHandler] = []
            for user in 0..<20 {
                for _ in 0..<10 {
                    var request = TransferRequest(server.url)
                    request.credential = Self.basic(user)
                    let handler = RecordingHandler()
                    handlers.append(handler)
                    engine.start(Transfer(request: request, handler: handler))
                }
            }
            for handler in handlers { #expect(await handler.finished().text == "x") }
            #expect(server.connectionCount <= 6)
            // Pools of their own have connections of their own, but no more requests at a time.
            handlers = (0..<60).map { _ in RecordingHandler() }
            for (index, handler) in handlers.enumerated() {
                let request = TransferRequest(server.url, policy: "\(index % 20)")
                engine.start(Transfer(request: request, handler: handler))
            }
            for handler in handlers { #expect(await handler.finished().text == "x") }
            #expect(counts.withLock { $0.most } <= 6)
        }
    }

    @Test("One host under several spellings is one host")
    func spellings() async {
        let counts = Locked((now: 0, most: 0))
        let gate = Latch()
        let arrived = Latch()
        await withEngine(server: { connection in
            while connection.readRequest() != nil {
                let now = counts.withLock { counts in
                    counts.now += 1
                    counts.most = max(counts.most, counts.now)
                    return counts.now
                }
                if now == 2 { arrived.open() }
                gate.wait()
                counts.withLock { $0.now -= 1 }
                connection.respond("x")
            }
        }) { engine, server in
            engine.maximumConnectionsPerHost = 2
            let urls = ["http://localhost", "HTTP://LocalHost", "http://LOCALHOST"].map { "\($0):\(server.port)/" }
            let handlers = (0..<12).map { _ in RecordingHandler() }
            for (index, handler) in handlers.enumerated() {
                engine.start(Transfer(request: TransferRequest(urls[index % 3]), handler: handler))
            }
            arrived.wait()
            let waiting = await withCheckedContinuation { continuation in
                engine.perform {
                    let origin = "http://localhost:\(server.port)"
                    continuation.resume(returning: engine.loop.admissions.waitingCount(origin))
                }
            }
            #expect(waiting == 10)
            gate.open()
            for handler in handlers { #expect(await handler.finished().error == nil) }
            #expect(counts.withLock { $0.most } == 2)
        }
    }

    @Test("Users who come in turn share connections, however many, and each is who it is")
    func reuse() async {
        await withEngine(server: { connection in
            while let request = connection.readRequest() {
                connection.respond(request.value("Authorization") ?? "none")
            }
        }) { engine, server in
            for _ in 0..<3 {
                for user in 0..<40 {
                    var request = TransferRequest(server.url)
                    request.credential = Self.basic(user)
                    let expected = "Basic " + Data("user\(user):secret".utf8).base64EncodedString()
                    #expect(await engine.run(request).text == expected)
                    #expect(await engine.run(TransferRequest(server.url)).text == "none")
                }
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test("A digest challenge is answered for the user who was asked, and leaves nothing behind for the next")
    func digest() async {
        let fields = Locked<[String]>([])
        await withEngine(server: { connection in
            var number = 0
            while let request = connection.readRequest() {
                let field = request.value("Authorization") ?? "none"
                fields.withLock { $0.append(field) }
                guard field == "none" else {
                    connection.respond("in")
                    continue
                }
                number += 1
                let challenge = "Digest realm=\"r\", nonce=\"nonce-\(number)\", qop=\"auth\""
                connection.respond("out", status: 401, headers: "WWW-Authenticate: \(challenge)\r\n")
            }
        }) { engine, server in
            for user in ["alice", "bob", nil, "alice", nil] {
                var request = TransferRequest(server.url)
                request.credential = user.map { TransferCredential(user: $0, password: $0, schemes: .digest) }
                let record = await engine.run(request)
                #expect(record.status == (user == nil ? 401 : 200))
            }
            let seen = fields.withLock { $0 }
            // Each begins without an answer, and answers its own challenge.
            let expected = ["none", "alice nonce-1", "none", "bob nonce-2", "none", "none", "alice nonce-4", "none"]
            #expect(seen.count == expected.count)
            for (field, expected) in zip(seen, expected) {
                for part in expected.split(separator: " ") where expected != "none" {
                    #expect(field.contains("\"\(part)\""), "\(field)")
                }
                if expected == "none" { #expect(field == "none") }
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test("A request that is cancelled while it waits is let go of at once, with its content")
    func cancelledWaiters() async {
        let arrived = Latch()
        let count = Locked(0)
        await withEngine(server: { connection in
            guard connection.readRequest() != nil else { return }
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number == 6 { arrived.open() }
            connection.waitForEnd()
        }) { engine, server in
            let hanging = (0..<6).map { _ in
                Transfer(request: TransferRequest(server.url), handler: RecordingHandler())
            }
            for transfer in hanging { engine.start(transfer) }
            arrived.wait()
            final class Watch {
                weak var source: ManualBodySource?
                weak var transfer: Transfer?
            }
            // Fewer than any list would wait for before it is tidied up.
            for _ in 0..<3 {
                let watch = Watch()
                let handler = RecordingHandler()
                func startAndCancel() {
                    let source = ManualBodySource(length: nil)
                    var request = TransferRequest(server.url, method: "POST")
                    request.body = .source(source)
                    let transfer = Transfer(request: request, handler: handler)
                    watch.source = source
                    watch.transfer = transfer
                    engine.start(transfer)
                    engine.cancel(transfer)
                }
                startAndCancel()
                #expect(await handler.finished().error?.kind == .cancelled)
                // What the pass of the loop itself holds is gone after it.
                for _ in 0..<2 {
                    await withCheckedContinuation { continuation in engine.perform { continuation.resume() } }
                }
                #expect(watch.transfer == nil)
                #expect(watch.source == nil)
            }
            for transfer in hanging { engine.cancel(transfer) }
        }
    }

    @Test("Hundreds of pools are made, used, and closed when they stand idle")
    func manyPools() async {
        let gate = Latch()
        await withEngine(server: { connection in
            guard connection.readRequest() != nil else { return }
            gate.wait()
            connection.respond("x")
        }) { engine, server in
            engine.maximumConnectionsPerHost = 800
            let total = 400
            let handlers = (0..<total).map { _ in RecordingHandler(keepsContent: false) }
            for (index, handler) in handlers.enumerated() {
                var request = TransferRequest(server.url, policy: "\(index)")
                request.idleTimeout = 50
                engine.start(Transfer(request: request, handler: handler))
            }
            let (looked, active) = await withCheckedContinuation { continuation in
                engine.perform {
                    let pools = engine.loop.poolsByID.compactMap { $0 }
                    continuation.resume(returning: (pools.count, pools.filter { $0.activeCount == 1 }.count))
                }
            }
            #expect(looked == total && active == total)
            gate.open()
            for handler in handlers { #expect(await handler.finished().error == nil) }
            #expect(await engine.run(TransferRequest(server.url, policy: "last")).error == nil)
            let left = await withCheckedContinuation { continuation in
                engine.perform { continuation.resume(returning: engine.loop.pools.count) }
            }
            #expect(left <= EngineLoop.idlePoolLimit + 2)
        }
    }
}
