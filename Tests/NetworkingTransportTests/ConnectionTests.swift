// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import NetworkingSupport
import TestServer
import Testing

@testable import NetworkingTransport

/// How connections are made, how many, and for how long they are kept.
@Suite("Connections", .timeLimit(.minutes(2)), .serialized)
struct ConnectionTests {
    private static func request(_ url: String, _ change: (inout ConnectionRoute) -> Void) -> TransferRequest {
        var request = TransferRequest(url)
        var route = ConnectionRoute()
        change(&route)
        request.origin = route.countedOrigin(request.origin)
        request.route = route
        return request
    }

    /// The sockets of this process that are connected to these ports of 127.0.0.1, by the kernel's word. On the network
    /// thread, which makes and closes them.
    private static func connectionCount(to ports: Set<Int>) -> Int {
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return descriptors.compactMap { Int32($0) }.count { descriptor in
            var (address, length) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
            let code = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
            }
            return code == 0 && address.sin_family == AF_INET
                && ports.contains(Int(UInt16(bigEndian: address.sin_port)))
        }
    }

    @Test("No more connections than allowed are open to all hosts together, and none has to wait for ever")
    func total() async {
        let servers = (0..<4).map { _ in ScriptedServer { $0.respondToAll("x") } }
        let engine = TransportEngine()
        defer {
            engine.shutdown()
            for server in servers { server.stop() }
        }
        engine.maximumConnections = 3
        // Servers may hear late of what was closed.
        let (ports, most) = (Set(servers.map(\.port)), Locked(0))
        let count: @Sendable () -> Void = {
            let open = Self.connectionCount(to: ports)
            most.withLock { $0 = max($0, open) }
        }
        let handlers = (0..<200).map { _ in
            RecordingHandler(
                onHead: { _, _ in
                    count()
                    return .deliver
                }, onFinish: { _ in count() })
        }
        for (index, handler) in handlers.enumerated() {
            engine.start(Transfer(request: TransferRequest(servers[index % 4].url), handler: handler))
        }
        for handler in handlers { #expect(await handler.finished().text == "x") }
        #expect(most.withLock { $0 } == 3)
        engine.maximumConnections = 0
        #expect(engine.maximumConnections == 1)
        for server in servers { #expect(await engine.run(TransferRequest(server.url)).text == "x") }
    }

    @Test("Nor over HTTP/2, where a server takes few requests at a time on each")
    func totalOverHTTP2() async throws {
        let backend = ScriptedServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.pause(milliseconds: 5)
            connection.respond("x")
        }
        let front = try FrontServer(http2: true, backend: backend, options: "http2_max_concurrent_streams 2;")
        let engine = TransportEngine()
        defer {
            engine.shutdown()
            front.stop()
            backend.stop()
        }
        engine.maximumConnections = 1
        #expect(await engine.run(front.request()).text == "content")
        let handlers = (0..<12).map { _ in RecordingHandler() }
        for handler in handlers { engine.start(Transfer(request: front.request("/script"), handler: handler)) }
        for handler in handlers { #expect(await handler.finished().text == "x") }
        #expect(front.relay.connectionCount == 1)
    }

    @Test("Where all connections are in use, a host that has many requests does not keep them from another")
    func turns() async {
        let other = ScriptedServer { $0.respondToAll("x") }
        defer { other.stop() }
        let order = Locked<[String]>([])
        await withEngine(server: { $0.respondToAll("x") }) { engine, server in
            engine.maximumConnections = 1
            let urls = Array(repeating: server.url, count: 30) + [other.url]
            let handlers = urls.map { url in
                RecordingHandler(onBegin: { _ in order.withLock { $0.append(url) } })
            }
            let transfers = zip(urls, handlers).map { Transfer(request: TransferRequest($0), handler: $1) }
            // In one command, so that the first is the only one that finds a connection.
            engine.perform { for transfer in transfers { engine.loop.start(transfer) } }
            for handler in handlers { #expect(await handler.finished().text == "x") }
            let turn = order.withLock { $0.firstIndex(of: other.url) }
            #expect((1...9).contains(turn ?? 0), "\(String(describing: turn))")
        }
    }

    @Test("A pool's own idle connections make room, too, where others' are in use")
    func ownIdle() async {
        let (isClosed, isHanging) = (Latch(), Latch())
        let idle = ScriptedServer {
            $0.respondToAll("x")
            isClosed.open()
        }
        let hanging = ScriptedServer {
            isHanging.open()
            $0.waitForEnd()
        }
        defer {
            idle.stop()
            hanging.stop()
        }
        await withEngine(server: { $0.respondToAll("x") }) { engine, server in
            engine.maximumConnections = 2
            #expect(await engine.run(TransferRequest(idle.url, policy: "a")).text == "x")
            let start = ContinuousClock.now
            let handler = RecordingHandler()
            let transfer = Transfer(request: TransferRequest(hanging.url, policy: "b"), handler: handler)
            engine.start(transfer)
            isHanging.wait()
            #expect(await engine.run(TransferRequest(server.url, policy: "a")).text == "x")
            isClosed.wait()
            // And not after the time for which idle ones are kept.
            #expect(ContinuousClock.now - start < .seconds(10 * Patience.factor))
            engine.cancel(transfer)
            _ = await handler.finished()
        }
    }

    @Test("A transfer that ends while room is made for a connection of another pool is heard of")
    func endWhileRoomIsMade() async {
        let more = Latch()
        let other = ScriptedServer { $0.respondToAll("other") }
        defer { other.stop() }
        await withEngine(server: { connection in
            guard let request = connection.readRequest() else { return }
            if request.head.contains("/paused") {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc")
                more.wait()
                connection.write("def")
            } else {
                connection.respond("x")
            }
            connection.waitForEnd()
        }) { engine, server in
            engine.maximumConnections = 2
            let isPaused = Latch()
            let pieces = Locked(0)
            let handler = RecordingHandler(onContent: { _, _ in
                let count = pieces.withLock { count in
                    count += 1
                    return count
                }
                guard count == 1 else { return .accepted }
                isPaused.open()
                return .pause
            })
            var request = TransferRequest(server.url + "/paused", policy: "a")
            request.idleTimeout = 5 * Patience.factor
            let transfer = Transfer(request: request, handler: handler)
            engine.start(transfer)
            isPaused.wait()
            // Leaves an idle connection, which has to go for that of the other pool.
            #expect(await engine.run(TransferRequest(server.url, policy: "a")).text == "x")
            more.open()
            let socket = await withCheckedContinuation { continuation in
                engine.perform { continuation.resume(returning: transfer.driver?.socket ?? -1) }
            }
            var readiness = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            #expect(poll(&readiness, 1, 10_000) == 1)
            let next = RecordingHandler()
            let nextTransfer = Transfer(request: TransferRequest(other.url, policy: "b"), handler: next)
            // The first ends when libcurl is called for the sake of the second.
            engine.perform {
                engine.resumeReceiving(transfer)
                engine.start(nextTransfer)
            }
            let record = await handler.finished()
            #expect(record.error == nil && record.text == "abcdef", "\(String(describing: record.error))")
            #expect(await next.finished().text == "other")
            #expect(server.connectionCount == 2)
        }
    }

    @Test("A pool that is closed keeps no connection, also where something happened in it in the same pass")
    func closedPool() async throws {
        let hasEnded = Locked(false)
        try await withEngine(server: { connection in
            connection.respondToAll("x")
            hasEnded.withLock { $0 = true }
        }) { engine, server in
            #expect(await engine.run(TransferRequest(server.url)).text == "x")
            engine.perform {
                guard let pool = engine.loop.pools.values.first else { return }
                engine.loop.touch(pool)
                engine.loop.close(pool)
            }
            try await eventually("the connection's end", timeout: 5) { hasEnded.withLock { $0 } }
        }
    }

    @Test("A connection that nobody uses is closed after a while")
    func idle() async throws {
        let ends = Locked(0)
        await withEngine(server: { connection in
            connection.respondToAll("x")
            ends.withLock { $0 += 1 }
        }) { engine, server in
            #expect(engine.idleConnectionTimeout == 60)
            engine.idleConnectionTimeout = 0.1
            #expect(await engine.run(TransferRequest(server.url)).text == "x")
            try? await eventually("closed") { ends.withLock { $0 } == 1 }
            let next = await engine.run(TransferRequest(server.url))
            #expect(next.text == "x" && !next.timings.reusedConnection)
            #expect(server.connectionCount == 2)
            engine.idleConnectionTimeout = -1
            #expect(engine.idleConnectionTimeout == 0)
            engine.idleConnectionTimeout = .infinity
            #expect(await engine.run(TransferRequest(server.url)).text == "x")
            #expect(await engine.run(TransferRequest(server.url)).timings.reusedConnection)
        }
    }

    @Test("HTTP/1.0 knows no chunks: the connection is not used again, whatever it says")
    func chunksOfHTTP10() async {
        await withEngine(server: { connection in
            while connection.readRequest() != nil {
                connection.write(
                    "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n"
                )
            }
        }) { engine, server in
            for _ in 0..<2 { #expect(await engine.run(TransferRequest(server.url)).text == "x") }
            #expect(server.connectionCount == 2)
        }
    }

    @Test("An address stands for a host's name; the server is asked for the name")
    func address() async {
        await withEngine(server: { connection in
            while let request = connection.readRequest() { connection.respond(request.value("Host") ?? "none") }
        }) { engine, server in
            let url = "http://nowhere.invalid:\(server.port)/"
            let record = await engine.run(Self.request(url) { $0.address = "127.0.0.1" })
            #expect(record.text == "nowhere.invalid:\(server.port)")
            #expect(await engine.run(TransferRequest(url)).error?.kind == .cannotFindHost)
            // As long as it is a way of its own.
            let other = await engine.run(Self.request(url) { $0.address = "127.0.0.3" })
            #expect(other.error?.kind == .cannotConnect)
            #expect(await engine.run(Self.request(url) { $0.address = "::1" }).error?.kind == .cannotConnect)
        }
    }

    @Test("Hosts at one address have connections of their own each, as many as are allowed to a host")
    func sharedAddress() async {
        let hasArrived = Latch()
        await withEngine(server: { connection in
            while let request = connection.readRequest() {
                guard request.value("Host")?.hasPrefix("a.test") != true else {
                    hasArrived.open()
                    return connection.waitForEnd()
                }
                connection.respond("b")
            }
        }) { engine, server in
            engine.maximumConnectionsPerHost = 1
            let handler = RecordingHandler()
            let silent = Self.request("http://a.test:\(server.port)/") { $0.address = "127.0.0.1" }
            let transfer = Transfer(request: silent, handler: handler)
            engine.start(transfer)
            hasArrived.wait()
            var request = Self.request("http://b.test:\(server.port)/") { $0.address = "127.0.0.1" }
            request.idleTimeout = Patience.factor
            let record = await engine.run(request)
            #expect(record.text == "b", "\(String(describing: record.error))")
            engine.cancel(transfer)
            #expect(await handler.finished().error?.kind == .cancelled)
        }
    }

    @Test("Connections come from the address, or the interface, that was chosen")
    func networkInterface() async throws {
        let nginx = try NginxServer.start(portCount: 1) { layout in
            "server { listen 127.0.0.1:\(layout.ports[0]); location / { return 200 $remote_addr; } }"
        }
        let engine = TransportEngine()
        defer {
            engine.shutdown()
            nginx.stop()
        }
        let url = nginx.url("/").absoluteString
        #expect(await engine.run(Self.request(url) { $0.networkInterface = "127.0.0.7" }).text == "127.0.0.7")
        #expect(await engine.run(Self.request(url) { $0.networkInterface = "lo" }).text == "127.0.0.1")
        #expect(await engine.run(TransferRequest(url)).text == "127.0.0.1")
        let none = await engine.run(Self.request(url) { $0.networkInterface = "none0" })
        #expect(none.error?.kind == .cannotConnect, "\(String(describing: none.error))")
    }

    @Test("What is neither an interface nor an address is not looked up as a host's name")
    func noInterface() async {
        await withEngine(server: { $0.respondToAll("x") }) { engine, server in
            let record = await engine.run(Self.request(server.url) { $0.networkInterface = "localhost" })
            #expect(record.error?.kind == .cannotConnect, "\(String(describing: record.error))")
            #expect(await engine.run(Self.request(server.url) { $0.networkInterface = "127.0.0.1" }).text == "x")
        }
    }

    @Test("A request goes through a Unix-domain socket")
    func unixSocket() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("s").path
        let nginx = try NginxServer.start(portCount: 1) { layout in
            """
            server { listen 127.0.0.1:\(layout.ports[0]); return 200 tcp; }
            server { listen unix:\(path); location / { return 200 "unix $host"; } }
            """
        }
        let engine = TransportEngine()
        defer {
            engine.shutdown()
            nginx.stop()
        }
        let url = "http://example.test/"
        #expect(await engine.run(Self.request(url) { $0.unixSocketPath = path }).text == "unix example.test")
        let again = await engine.run(Self.request(url) { $0.unixSocketPath = path })
        #expect(again.timings.reusedConnection)
        let lost = await engine.run(Self.request(url) { $0.unixSocketPath = path + "x" })
        #expect(lost.error?.kind == .cannotConnect)
    }

    @Test("Two sockets whose paths Unicode takes for the same are two")
    func equivalentSockets() async throws {
        let directory = try TemporaryDirectory()
        let paths = ["e\u{301}", "\u{e9}"].map { directory.path + "/" + $0 }
        let nginx = try NginxServer.start(portCount: 1) { layout in
            """
            server { listen 127.0.0.1:\(layout.ports[0]); return 200 tcp; }
            server { listen unix:\(paths[0]); return 200 0; }
            server { listen unix:\(paths[1]); return 200 1; }
            """
        }
        let engine = TransportEngine()
        defer {
            engine.shutdown()
            nginx.stop()
        }
        for index in [0, 1, 0, 1] {
            let record = await engine.run(Self.request("http://h.test/") { $0.unixSocketPath = paths[index] })
            #expect(record.text == "\(index)")
        }
    }

    @Test("An error for want of progress says what there was none in")
    func phases() async {
        func phase(_ script: @escaping @Sendable (ScriptedConnection) -> Void, scheme: String = "http") async -> String
        {
            let text = Locked("")
            await withEngine(server: script) { engine, server in
                var request = TransferRequest("\(scheme)://127.0.0.1:\(server.port)/")
                request.idleTimeout = 0.2
                let record = await engine.run(request)
                #expect(record.error?.kind == .timedOut)
                text.withLock { $0 = record.error?.message ?? "" }
            }
            return text.withLock { $0 }
        }
        #expect(await phase { $0.waitForEnd() }.hasSuffix("while the server had the request and had not answered."))
        let handshake = await phase({ $0.waitForEnd() }, scheme: "https")
        #expect(handshake.hasSuffix("while the TLS handshake was under way."), "\(handshake)")
        let partial = await phase { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab")
            connection.waitForEnd()
        }
        #expect(partial.hasSuffix("while the response was being received."))
        let hole = BlackHole()
        defer { hole.close() }
        let engine = TransportEngine()
        defer { engine.shutdown() }
        var request = TransferRequest(hole.url)
        request.idleTimeout = 0.2
        #expect(await engine.run(request).error?.message.hasSuffix("while the connection was being made.") == true)
    }

    @Test("What this libcurl can is known")
    func capabilities() {
        let capabilities = TransportEngine.capabilities
        #expect(capabilities.curlVersion.contains("."))
        #expect(capabilities.tlsVersion.hasPrefix("OpenSSL/"))
        #expect(capabilities.supportsHTTP2 && capabilities.supportsUnixSockets)
        #expect(capabilities.contentCodings.contains("gzip"))
    }
}
