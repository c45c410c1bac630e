// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import enum TestServer.Patience
import func TestServer.processorSeconds
import Testing

@testable import NetworkingTransport

@Suite("Connection pools", .timeLimit(.minutes(1)))
struct ConnectionPoolTests {
    @Test("What Unicode takes for the same is another user, password, proxy and address")
    func equivalents() async {
        await withEngine(server: { connection in
            connection.respondToAll("\(connection.number)")
        }) { engine, server in
            func run(_ name: String, _ change: (inout TransferRequest, String) -> Void) async -> String {
                var request = TransferRequest(server.url)
                change(&request, name)
                return await engine.run(request).text
            }
            var number = 0
            for change: (inout TransferRequest, String) -> Void in [
                { $0.credential = TransferCredential(user: $1, password: "b", schemes: .negotiate) },
                { $0.credential = TransferCredential(user: "a", password: $1, schemes: .negotiate) },
            ] {
                for name in ["e\u{301}", "\u{e9}"] {
                    number += 1
                    #expect(await run(name, change) == "\(number)")
                }
                #expect(await run("e\u{301}", change) == "\(number - 1)")
            }
        }
        func proxies(_ make: (String) -> TransferProxy) -> [TransferProxy] { ["e\u{301}", "\u{e9}"].map(make) }
        for pair in [
            proxies { TransferProxy(scheme: .http, host: $0, port: 1) },
            proxies {
                TransferProxy(
                    scheme: .http, host: "h", port: 1,
                    credential: TransferCredential(user: $0, password: "b", schemes: .basic))
            },
        ] { #expect(pair[0] != pair[1]) }
        for field: WritableKeyPath<ConnectionRoute, String?> in [\.address, \.unixSocketPath, \.networkInterface] {
            let routes = ["e\u{301}", "\u{e9}"].map { name in
                var route = ConnectionRoute()
                route[keyPath: field] = name
                return route
            }
            #expect(routes[0] != routes[1] && routes[0] != ConnectionRoute() && routes[0] == routes[0])
            guard field == \.unixSocketPath else { continue }
            #expect(routes[0].countedOrigin("http://h") != routes[1].countedOrigin("http://h"))
        }
        let marks = String(repeating: "\u{301}\u{316}", count: 100_000)
        let seconds = processorSeconds {
            let users = ["a", "b"].map { TransferCredential(user: marks + $0, password: marks, schemes: .basic) }
            #expect(Set(users).count == 2)
        }
        #expect(seconds < 0.1 * Patience.factor)
    }

    @Test("A connection made under one policy or identity never serves another")
    func separation() async {
        await withEngine(server: { connection in
            connection.respondToAll("\(connection.number)")
        }) { engine, server in
            func run(_ change: (inout TransferRequest) -> Void = { _ in }) async -> String {
                var request = TransferRequest(server.url)
                change(&request)
                return await engine.run(request).text
            }
            func tls(_ identity: String, minimum: TLSVersion = .v1_2, client: String? = nil) -> TLSConfiguration {
                let material = client.map {
                    ClientIdentityMaterial(certificateChainPEM: Data(), privateKeyPEM: Data(), fingerprint: $0)
                }
                return TLSConfiguration(
                    identity: identity, minimumVersion: minimum, clientIdentity: material, verify: { _, _ in nil })
            }
            #expect(await run() == "1")
            #expect(await run { $0.tls = tls("strict") } == "2")
            #expect(await run { $0.tls = tls("strict", minimum: .v1_3) } == "3")
            let credential = TransferCredential(user: "a", password: "b", schemes: .negotiate)
            #expect(await run { $0.credential = credential } == "4")
            let other = TransferCredential(user: "a", password: "b", schemes: [.negotiate, .basic])
            #expect(await run { $0.credential = other } == "5")
            // And each goes back to its own.
            #expect(await run { $0.credential = credential } == "4")
            #expect(await run { $0.tls = tls("strict") } == "2")
            #expect(await run() == "1")
            #expect(
                ConnectionPoolKey(TransferRequest(server.url), generation: 0)
                    != {
                        var request = TransferRequest(server.url)
                        request.tls = tls("test", client: "f1")
                        return ConnectionPoolKey(request, generation: 0)
                    }())
        }
    }

    @Test("Idle pools beyond the limit are closed, the least recently used first")
    func eviction() async {
        await withEngine(server: { $0.respondToAll("\($0.number)") }) { engine, server in
            let limit = EngineLoop.idlePoolLimit
            for index in 0..<limit + 20 {
                #expect(await engine.run(TransferRequest(server.url, policy: "\(index)")).error == nil)
            }
            let recent = await engine.run(TransferRequest(server.url, policy: "\(limit + 19)"))
            #expect(recent.timings.reusedConnection)
            let old = await engine.run(TransferRequest(server.url, policy: "0"))
            #expect(!old.timings.reusedConnection)
            let count = await withCheckedContinuation { continuation in
                engine.perform { continuation.resume(returning: engine.loop.pools.count) }
            }
            #expect(count <= limit + 2)
        }
    }

    @Test("A multi handle that fails takes its active transfers with it, and no others")
    func brokenMulti() async {
        let gate = Latch()
        let arrived = Latch()
        let count = Locked(0)
        await withEngine(server: { connection in
            while connection.readRequest() != nil {
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                if number == 2 { arrived.open() }
                gate.wait()
                connection.respond("x")
            }
        }) { engine, server in
            engine.maximumConnectionsPerHost = 2
            let handlers = (0..<8).map { _ in RecordingHandler() }
            for handler in handlers { engine.start(Transfer(request: TransferRequest(server.url), handler: handler)) }
            arrived.wait()
            engine.perform {
                guard let pool = engine.loop.pools.values.first else { return }
                pool.brokenBy = .CURLM_OUT_OF_MEMORY
                engine.loop.touch(pool)
            }
            #expect(await handlers[0].finished().error?.isMultiCode == true)
            #expect(await handlers[1].finished().error?.kind == .outOfMemory)
            gate.open()
            for handler in handlers.dropFirst(2) { #expect(await handler.finished().text == "x") }
        }
    }

    @Test("Basic and digest challenges are answered inside one transfer", arguments: [true, false])
    func challenge(digest: Bool) async {
        await withEngine(server: { connection in
            while let request = connection.readRequest() {
                if let answer = request.value("Authorization") {
                    connection.respond(String(answer.prefix { $0 != " " }))
                } else {
                    let challenge = digest ? "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"" : "Basic realm=\"r\""
                    connection.respond("no", status: 401, headers: "WWW-Authenticate: \(challenge)\r\n")
                }
            }
        }) { engine, server in
            var request = TransferRequest(server.url)
            request.credential = TransferCredential(
                user: "user", password: "secret", schemes: digest ? .digest : [.basic, .digest])
            for _ in 0..<2 {
                let record = await engine.run(request)
                #expect(record.error == nil)
                #expect(record.heads.map(\.statusCode) == [200])
                #expect(record.text == (digest ? "Digest" : "Basic"))
            }
            let bare = await engine.run(TransferRequest(server.url))
            #expect(bare.status == 401)
            #expect(bare.text == "no")
        }
    }

    @Test("A head is not taken for that of the request which follows it")
    func acceptedNegotiation() async {
        await withEngine(server: { connection in
            while let request = connection.readRequest() {
                switch (request.value("Authorization"), request.value("Content-Length")) {
                case (nil, "4"): connection.respond("no", status: 401)
                case (nil, _): connection.respond("who?", status: 401, headers: "WWW-Authenticate: NTLM\r\n")
                default: connection.respond("done")
                }
            }
        }) { engine, server in
            var request = TransferRequest(server.url, method: "POST")
            request.body = .data(Data("text".utf8))
            request.credential = TransferCredential(user: "user", password: "secret", schemes: .ntlm)
            let record = await engine.run(request)
            #expect(record.heads.map(\.statusCode) == [401] && record.text == "no")
        }
    }

    @Test("Challenges without end are an error", arguments: [false, true])
    func endlessChallenge(isTunnel: Bool) async {
        let count = Locked(0)
        // A second message, which libcurl answers with a third.
        let message =
            "TlRMTVNTUAACAAAAAAAAADgAAAABAoAAASNFZ4mrze8AAAAAAAAAAAAAAAAAAAAA"
        await withEngine(server: { connection in
            while connection.readRequest() != nil {
                count.withLock { $0 += 1 }
                let field =
                    isTunnel
                    ? "Proxy-Authenticate: Digest realm=\"r\", nonce=\"n\", stale=true\r\n"
                    : "WWW-Authenticate: NTLM \(message)\r\n"
                connection.respond("", status: isTunnel ? 407 : 401, headers: field)
            }
        }) { engine, server in
            let credential = TransferCredential(user: "user", password: "secret", schemes: isTunnel ? .digest : .ntlm)
            var request = TransferRequest(isTunnel ? "https://127.0.0.1:1/" : server.url)
            if isTunnel {
                request.proxy = TransferProxy(
                    scheme: .http, host: "127.0.0.1", port: server.port, credential: credential)
            } else {
                request.credential = credential
            }
            let record = await engine.run(request)
            #expect(record.error?.kind == (isTunnel ? .proxyAuthentication : .badResponse))
            #expect(6...25 ~= count.withLock { $0 })
        }
    }

    @Test("A challenge that the credential does not satisfy is reported, with its content")
    func wrongCredential() async {
        await withEngine(server: { connection in
            connection.respondToAll("wrong", status: 401, headers: "WWW-Authenticate: Basic realm=\"r\"\r\n")
        }) { engine, server in
            var request = TransferRequest(server.url)
            request.credential = TransferCredential(user: "user", password: "wrong", schemes: [.basic, .digest])
            let record = await engine.run(request)
            #expect(record.heads.map(\.statusCode) == [401])
            #expect(record.text == "wrong")
            #expect(record.events == ["head", "content", "finish"])
        }
    }

    @Test("Credentials in a URL do not stay behind for the next request")
    func userInfo() async {
        await withEngine(server: { connection in
            while let request = connection.readRequest() {
                connection.respond(request.value("Authorization") ?? "none")
            }
        }) { engine, server in
            let with = await engine.run(TransferRequest("http://user:secret@127.0.0.1:\(server.port)/"))
            #expect(with.text.hasPrefix("Basic "))
            #expect(await engine.run(TransferRequest(server.url)).text == "none")
        }
    }

    @Test("The host that is verified is the host that is connected to")
    func host() {
        let cases = [
            ("https://example.com/a", "example.com"), ("https://Example.com:8443", "Example.com"),
            ("https://user:pass@example.com/", "example.com"), ("https://[::1]:4/", "::1"),
            ("https://127.0.0.1/", "127.0.0.1"), ("https://example.com./", "example.com"),
        ]
        for (url, host) in cases { #expect(TransferDriver.host(of: url) == host) }
        #expect(TransferDriver.host(of: "https://") == nil)
    }
}
