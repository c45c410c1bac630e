// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import NetworkingSupport
import TestServer
import Testing

@testable import NetworkingTransport

@Suite("Transport engine", .timeLimit(.minutes(1)))
struct TransportEngineTests {
    @Test("A GET reports its head, its content and its end, once each and in order")
    func get() async {
        await withEngine(server: { $0.respondToAll("hello", headers: "X-A: 1\r\n") }) { engine, server in
            let record = await engine.run(TransferRequest(server.url + "/path?q=1"))
            #expect(record.error == nil)
            #expect(record.status == 200)
            #expect(record.text == "hello")
            #expect(record.events == ["head", "content", "finish"])
            #expect(record.heads.first?.firstValue(for: "x-a") == "1")
            #expect(record.timings.httpVersion == "1.1")
            #expect(record.timings.remoteAddress == "127.0.0.1")
            #expect(record.timings.remotePort == server.port)
            #expect(record.timings.total > 0)
        }
    }

    @Test("An idle connection is used again")
    func reuse() async {
        await withEngine(server: { $0.respondToAll("x") }) { engine, server in
            for index in 0..<5 {
                let record = await engine.run(TransferRequest(server.url))
                #expect(record.timings.reusedConnection == (index > 0))
            }
            #expect(server.connectionCount == 1)
        }
    }

    @Test("A folded first field has nothing to do with the response before", arguments: ["GET", "POST"])
    func foldedFirstField(method: String) async {
        // libcurl before 8.2 appends it to what it has freed: that ends the process, or gives the field another value.
        await withEngine(server: { connection in
            while let request = connection.readRequest() {
                let line = request.head.prefix { $0 != "\r\n" }
                let fields = line.contains("/fold") ? " Folded: b\r\nX-Last: c" : "X-Last: \(line)"
                guard connection.write("HTTP/1.1 200 OK\r\n\(fields)\r\nContent-Length: 1\r\n\r\nx") else { return }
            }
        }) { engine, server in
            for length in 0..<40 {
                let path = "/" + String(repeating: "a", count: length * 16)
                #expect(await engine.run(TransferRequest(server.url + path, method: method)).text == "x")
                let record = await engine.run(TransferRequest(server.url + "/fold", method: method))
                // Since 8.0 libcurl takes it for a field of its own.
                #expect(record.error.map { $0.kind == .badResponse } ?? (record.text == "x"))
            }
        }
    }

    @Test("A request sends its fields as given, in order, and none of libcurl's for content")
    func fields() async {
        await withEngine(server: { connection in
            while let request = connection.readRequest() { connection.respond(request.head) }
        }) { engine, server in
            var request = TransferRequest(server.url + "/a/../b", method: "POST")
            request.headers = [
                HeaderField("X-First", "1"), HeaderField("X-Empty", ""), HeaderField("Accept", " \t "),
                HeaderField("X-Blank", " "), HeaderField("X-Last", "a: b"),
            ]
            request.body = .data(Data("abc".utf8))
            let lines = await engine.run(request).text.split(separator: "\r\n").map(String.init)
            #expect(lines.first == "POST /a/../b HTTP/1.1")
            #expect(lines.contains("Content-Length: 3"))
            #expect(lines.filter { $0.hasPrefix("X-") } == ["X-First: 1", "X-Empty:", "X-Blank:", "X-Last: a: b"])
            #expect(lines.filter { $0.hasPrefix("Accept:") } == ["Accept:"], "blank, it does not drop libcurl's own")
            let names = Set(lines.dropFirst().map { $0.prefix { $0 != ":" }.lowercased() })
            #expect(
                names == [
                    "host", "accept", "accept-encoding", "content-length", "x-first", "x-empty", "x-blank", "x-last",
                ])
        }
    }

    @Test("A field's octets are those of its own request, also where the last one had what Unicode takes for the same")
    func equivalentFields() async {
        await withEngine(server: { connection in
            while let request = connection.readRequest() { connection.respond(request.head) }
        }) { engine, server in
            var request = TransferRequest(server.url)
            for value in ["e\u{301}", "\u{e9}", "e\u{301}"] {
                request.headers = [HeaderField("X-Name", value)]
                let lines = await engine.run(request).text.split(separator: "\r\n").map { Array($0.utf8) }
                #expect(lines.contains(Array("X-Name: \(value)".utf8)))
            }
            // Compared by its characters, it would keep the network thread busy for some ten seconds.
            let marks = String(repeating: "\u{301}\u{316}", count: 100_000)
            let seconds = processorSeconds {
                #expect(HeaderField("X-Name", marks + "a") != HeaderField("X-Name", marks + "b"))
            }
            #expect(seconds < 0.1 * Patience.factor)
        }
    }

    @Test(
        "Every method goes out as typed",
        arguments: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "get", "MyMethod"])
    func methods(method: String) async {
        await withEngine(server: { connection in
            while let request = connection.readRequest() {
                let isHead = request.head.hasPrefix("HEAD ")
                connection.write("HTTP/1.1 200 OK\r\nX-Line: \(request.lines[0])\r\n")
                connection.write("X-Length: \(request.value("Content-Length") ?? "none")\r\nContent-Length: 5\r\n\r\n")
                if !isHead { connection.write("12345") }
            }
        }) { engine, server in
            let bare = await engine.run(TransferRequest(server.url + "/", method: method))
            #expect(bare.error == nil)
            #expect(bare.heads.first?.firstValue(for: "X-Line") == "\(method) / HTTP/1.1")
            let announces = ["POST", "PUT", "PATCH"].contains(method)
            #expect(bare.heads.first?.firstValue(for: "X-Length") == (announces ? "0" : "none"))
            #expect(bare.text == (method == "HEAD" ? "" : "12345"))
            guard method != "HEAD" else { return }
            for size in [0, 3, 200_000] {
                var request = TransferRequest(server.url + "/", method: method)
                request.body = .data(Data(repeating: 65, count: size))
                let record = await engine.run(request)
                #expect(record.error == nil)
                #expect(record.heads.first?.firstValue(for: "X-Line") == "\(method) / HTTP/1.1")
                #expect(record.heads.first?.firstValue(for: "X-Length") == "\(size)")
                #expect(record.sent == Int64(size))
                #expect(record.timings.bytesSent == Int64(size))
            }
            // The plain request after all that is plain again.
            let after = await engine.run(TransferRequest(server.url + "/", method: method))
            #expect(after.heads.first?.firstValue(for: "X-Length") == (announces ? "0" : "none"))
        }
    }

    @Test("Interim responses are told apart from the response")
    func interim() async {
        await withEngine(server: { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n")
            connection.respond("late", status: 201)
        }) { engine, server in
            let record = await engine.run(TransferRequest(server.url))
            #expect(record.heads.map(\.statusCode) == [201])
            #expect(record.heads.first?.firstValue(for: "Link") == nil)
            #expect(record.text == "late")
        }
    }

    @Test("Trailer fields are told at the end, also after a line that looks like that of a status")
    func trailers() async {
        await withEngine(server: { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n")
            connection.write("3\r\nabc\r\n0\r\nX-T: 1\r\nHTTP/1.1 500 No\r\n\r\n")
        }) { engine, server in
            let record = await engine.run(TransferRequest(server.url))
            #expect(record.heads.map(\.statusCode) == [200])
            #expect(record.text == "abc")
            #expect(record.events == ["head", "content", "finish"])
        }
    }

    @Test("A response without content reports its head before its end", arguments: [204, 304, 200])
    func empty(status: Int) async {
        await withEngine(server: { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 \(status) X\r\n\(status == 200 ? "Content-Length: 0\r\n" : "")\r\n")
            connection.waitForEnd()
        }) { engine, server in
            let record = await engine.run(TransferRequest(server.url))
            #expect(record.error == nil)
            #expect(record.events == ["head", "finish"])
        }
    }

    @Test("Content codings are offered and decoded, and passed through on request")
    func codings() async {
        let gzip: [UInt8] = [
            0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0, 0x86, 0xa6, 0x10, 0x36, 5, 0, 0,
            0,
        ]
        await withEngine(server: { connection in
            while let request = connection.readRequest() {
                let offered = request.value("Accept-Encoding") ?? "none"
                connection.write("HTTP/1.1 200 OK\r\nX-Offered: \(offered)\r\nContent-Encoding: gzip\r\n")
                connection.write("Content-Length: \(gzip.count)\r\n\r\n")
                connection.write(gzip)
            }
        }) { engine, server in
            let decoded = await engine.run(TransferRequest(server.url))
            #expect(decoded.text == "hello")
            #expect(decoded.heads.first?.firstValue(for: "X-Offered")?.contains("gzip") == true)
            var raw = TransferRequest(server.url)
            raw.decodesContent = false
            let passed = await engine.run(raw)
            #expect(passed.content == gzip)
            #expect(passed.heads.first?.firstValue(for: "X-Offered") == "none")
            var own = TransferRequest(server.url)
            own.headers = [HeaderField("Accept-Encoding", "gzip;q=0.5")]
            let kept = await engine.run(own)
            #expect(kept.content == gzip)
            #expect(kept.heads.first?.firstValue(for: "X-Offered") == "gzip;q=0.5")
        }
    }

    @Test("A long response that is to be discarded ends the connection, not the transfer")
    func discard() async {
        await withEngine(server: { connection in
            while connection.readRequest() != nil {
                let size = connection.number == 1 ? 100_000 : 10_000_000
                connection.write("HTTP/1.1 302 Found\r\nContent-Length: \(size)\r\n\r\n")
                guard connection.write([UInt8](repeating: 65, count: size)) else { return }
                if connection.number == 1 { return }
            }
        }) { engine, server in
            for _ in 0..<2 {
                let record = await engine.run(
                    TransferRequest(server.url), RecordingHandler(onHead: { _, _ in .discard }))
                #expect(record.error == nil)
                #expect(record.status == 302)
                #expect(record.receivedCount == 0)
                #expect(record.outcomes.count == 1)
            }
        }
    }

    @Test("A handler that fails at the head or at content ends the transfer with its error", arguments: [true, false])
    func handlerFailure(atHead: Bool) async {
        await withEngine(server: { $0.respondToAll("content") }) { engine, server in
            let error = TransferError(.bodySink, message: "disk full")
            let handler =
                atHead
                ? RecordingHandler(onHead: { _, _ in .fail(error) })
                : RecordingHandler(onContent: { _, _ in .fail(error) })
            let record = await engine.run(TransferRequest(server.url), handler)
            #expect(record.error?.kind == .bodySink)
            #expect(record.error?.message == "disk full")
            #expect(record.outcomes.count == 1)
        }
    }

    @Test("A paused response waits, loses nothing and goes on when resumed")
    func pause() async {
        let size = 1_000_000
        await withEngine(server: { connection in
            guard connection.readRequest() != nil else { return }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
            connection.write((0..<size).map { UInt8(truncatingIfNeeded: $0 / 1000) })
        }) { engine, server in
            let calls = Locked(0)
            let handler = RecordingHandler(onContent: { transfer, _ in
                let call = calls.withLock { count in
                    count += 1
                    return count
                }
                // Every other delivery is refused, and asked for again from another thread.
                guard call % 2 == 1 else { return .accepted }
                startThread { engine.resumeReceiving(transfer) }
                return .pause
            })
            let record = await engine.run(TransferRequest(server.url), handler)
            #expect(record.error == nil)
            #expect(record.content == (0..<size).map { UInt8(truncatingIfNeeded: $0 / 1000) })
        }
    }

    @Test("Work runs on the network thread, which has a name")
    func perform() async {
        let engine = TransportEngine()
        let name = await withCheckedContinuation { continuation in
            engine.perform {
                continuation.resume(returning: (engine.isCurrentThread, NetworkThread.currentName))
            }
        }
        #expect(name.0)
        #expect(name.1 == "OperationNetwor")
        #expect(!engine.isCurrentThread)
        engine.shutdown()
    }

    @Test("SIGPIPE is blocked on the network thread, and nowhere else")
    func brokenPipe() async {
        @Sendable func isBlocked() -> Bool {
            var set = sigset_t()
            pthread_sigmask(SIG_BLOCK, nil, &set)
            return sigismember(&set, SIGPIPE) == 1
        }
        @Sendable func processAction() -> Int {
            var action = sigaction()
            sigaction(SIGPIPE, nil, &action)
            return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        }
        let before = processAction()
        let (onNetworkThread, onMaker) = await withCheckedContinuation { continuation in
            // A thread of the test's own: what those of a pool block is not known.
            Thread.detachNewThread {
                var set = sigset_t()
                sigemptyset(&set)
                sigaddset(&set, SIGPIPE)
                pthread_sigmask(SIG_UNBLOCK, &set, nil)
                let engine = TransportEngine()
                let answer = Locked<Bool?>(nil)
                let done = DispatchSemaphore(value: 0)
                engine.perform {
                    answer.withLock { $0 = isBlocked() }
                    done.signal()
                }
                done.wait()
                engine.shutdown()
                continuation.resume(returning: (answer.withLock { $0 }, isBlocked()))
            }
        }
        #expect(onNetworkThread == true && !onMaker)
        #expect(processAction() == before)
    }

    @Test("Shutting down ends everything, joins the thread, and may be repeated")
    func shutdown() async {
        let server = ScriptedServer { $0.waitForEnd() }
        defer { server.stop() }
        let engine = TransportEngine()
        let handlers = (0..<20).map { _ in RecordingHandler() }
        for handler in handlers { engine.start(Transfer(request: TransferRequest(server.url), handler: handler)) }
        engine.shutdown()
        engine.shutdown()
        for handler in handlers {
            let record = await handler.finished()
            #expect(record.error?.kind == .cancelled)
            #expect(record.outcomes.count == 1)
        }
        let late = await engine.run(TransferRequest(server.url))
        #expect(late.error?.kind == .cancelled)
        let done = Locked(false)
        engine.perform { done.withLock { $0 = true } }
        #expect(done.withLock { $0 })
    }

    @Test("A finished transfer lets go of its handler, and the engine of both")
    func release() async {
        await withEngine(server: { $0.respondToAll("x") }) { engine, server in
            weak var weakHandler: RecordingHandler?
            weak var weakTransfer: Transfer?
            do {
                let handler = RecordingHandler()
                let transfer = Transfer(request: TransferRequest(server.url), handler: handler)
                weakHandler = handler
                weakTransfer = transfer
                engine.start(transfer)
                _ = await handler.finished()
            }
            await withCheckedContinuation { continuation in engine.perform { continuation.resume() } }
            #expect(weakHandler == nil)
            #expect(weakTransfer == nil)
        }
    }
}
