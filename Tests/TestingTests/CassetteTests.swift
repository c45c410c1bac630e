// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import NetworkingTransport
import OperationNetworkingTesting
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// Recording and replaying.
@Suite("Cassettes", .timeLimit(.minutes(1)))
struct CassetteTests {
    private func manager(_ cassette: Cassette) -> HTTPRequestOperationManager {
        let manager = makeManager(cassette.stubs)
        manager.responseSerializer = HTTPResponseSerializer()
        return manager
    }

    private func send(
        _ text: String, by manager: HTTPRequestOperationManager, method: String = "GET", body: String? = nil
    ) async throws -> String {
        var request = try makeRequest(text, method: method, body: body.map { Data($0.utf8) })
        request.setValue("Bearer geheim", forHTTPHeaderField: "Authorization")
        return String(decoding: try await manager.httpRequestOperation(with: request).data().0, as: UTF8.self)
    }

    @Test(
        "A recorded Location leads where the server's did, whatever it is in, and masking changes nothing beside the secret"
    )
    func locations() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("x.har")
        let server = try TestServer()
        server.respondToOthers { .ok($0.target.replacingOccurrences(of: "secret", with: "?")) }
        let locations = ["/x?u=%2F&a[b]=1&key=secret&t=%E9%26#%20[", "/caf\u{e9}%2F", "/ok?%6Bey=secret&a+b=%2B"]
        for (index, location) in locations.enumerated() {
            let line = "HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: \(location)\r\n\r\n"
            server.respond(to: "/\(index)", .script([.send(try #require(line.data(using: .isoLatin1)))]))
        }
        let base = "http://127.0.0.1:\(server.port)"
        var masking = Cassette.Masking()
        masking.queryItems = ["key"]
        let recording = try Cassette(file, mode: .record, masking: masking)
        var answers: [String] = []
        for index in locations.indices { answers.append(try await send(base + "/\(index)", by: manager(recording))) }
        #expect(
            answers == ["/x?u=%2F&a%5Bb%5D=1&key=?&t=%E9%26", "/caf%E9%2F", "/ok?%6Bey=?&a+b=%2B"])
        try recording.finish()
        server.stop()
        let text = try String(contentsOf: file, encoding: .utf8).replacingOccurrences(of: "\\/", with: "/")
        #expect(text.contains("/x?u=%2F&a[b]=1&key=***&t=%E9%26#%20[") && text.contains("/ok?%6Bey=***&a+b=%2B"))
        #expect(!text.contains("secret") && text.contains("/caf%E9%2F"))
        let replaying = try Cassette(file, matching: .strict, masking: masking)
        for index in locations.indices {
            #expect(try await send(base + "/\(index)", by: manager(replaying)) == answers[index])
        }
    }

    @Test("What a server answered is answered again without it, secrets left out of the file", arguments: [0, 1])
    func roundTrip(kind: Int) async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("x.har")
        let server = try TestServer()
        let count = Locked(0)
        server.respond(to: "/a") { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return ScriptedResponse(
                headers: [("Set-Cookie", "session=geheim"), ("X-Number", "\(number)")],
                body: .text("answer \(number)"))
        }
        server.respond(to: "/post") { .ok("posted " + String(decoding: $0.body, as: UTF8.self)) }
        let base = "http://127.0.0.1:\(server.port)"
        var masking = Cassette.Masking()
        masking.queryItems = ["key"]
        let recording = try Cassette(file, mode: kind == 0 ? .record : .replayOrRecord, masking: masking)
        let first = manager(recording)
        #expect(try await send(base + "/a?key=geheim&b=1", by: first) == "answer 1")
        #expect(try await send(base + "/a?key=geheim&b=1", by: first) == "answer 2")
        #expect(try await send(base + "/post", by: first, method: "POST", body: "one") == "posted one")
        try recording.finish()
        server.stop()
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(!text.contains("geheim"))
        #expect(text.contains("\"1.2\""))

        let replayed = try Cassette(file, matching: .strict, masking: masking)
        #expect(replayed.count == 3)
        let second = manager(replayed)
        #expect(try await send(base + "/a?key=other&b=1", by: second) == "answer 1")
        #expect(try await send(base + "/a?key=other&b=1", by: second) == "answer 2")
        #expect(throws: CassetteError.unplayed(["POST \(base)/post"])) { try replayed.finish() }
        await #expect(throws: CassetteError.self) {
            try await send(base + "/post", by: second, method: "POST", body: "two")
        }
        #expect(try await send(base + "/post", by: second, method: "POST", body: "one") == "posted one")
        try replayed.finish()
        await #expect(throws: CassetteError.self) { try await send(base + "/a", by: second) }
    }

    @Test("Secrets in the query of a URL are left out of the fields that name one, too, and redirects are followed")
    func fieldsWithURLs() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("x.har")
        let server = try TestServer()
        server.respond(to: "/start", .redirect(to: "/end?key=geheim&b=1"))
        server.respond(to: "/end", .ok("end").adding(header: "Content-Location", "/end?b=2&key=geheim"))
        let base = "http://127.0.0.1:\(server.port)"
        var masking = Cassette.Masking()
        masking.queryItems = ["key"]
        var request = try makeRequest(base + "/start")
        request.setValue(base + "/from?key=geheim", forHTTPHeaderField: "Referer")
        let recording = try Cassette(file, mode: .record, masking: masking)
        let recorded = try await manager(recording).httpRequestOperation(with: request).data().0
        #expect(recorded == Data("end".utf8))
        #expect(server.requests.map(\.target) == ["/start", "/end?key=geheim&b=1"])
        try recording.finish()
        server.stop()
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(!text.contains("geheim"))
        for field in ["Location", "Content-Location", "Referer"] { #expect(text.contains("\"\(field)\"")) }

        let replayed = try Cassette(file, matching: .strict, masking: masking)
        #expect(replayed.count == 2)
        #expect(try await send(base + "/start", by: manager(replayed)) == "end")
        try replayed.finish()
    }

    @Test("An archive of HTTPArchive is replayed, in any order and again")
    func foreignArchive() async throws {
        let folder = try TemporaryDirectory()
        let stubs = HTTPStubs()
        stubs.on("GET", "/v1/text", respond: .text("text"))
        stubs.on("GET", "/v1/bytes", respond: StubResponse(body: Data([0xFF, 0, 1])))
        stubs.on("GET", "/v1/lost", respond: .failure(.networkConnectionLost))
        let manager = makeManager(stubs)
        manager.responseSerializer = HTTPResponseSerializer()
        let archive = HTTPArchive(maximumBodySize: 1 << 20)
        archive.record(manager)
        for path in ["text", "bytes", "lost"] { _ = await manager.request(path).failure() }
        try await eventually { try archive.data().count > 2500 }
        try archive.write(to: folder.file("x.har"))

        let cassette = try Cassette(folder.file("x.har"))
        let replaying = self.manager(cassette)
        for _ in 0..<2 {
            #expect(try await replaying.request("bytes").data().0 == Data([0xFF, 0, 1]))
            #expect(try await replaying.request("text").data().0 == Data("text".utf8))
        }
        #expect(await replaying.request("lost").failure() is CassetteError)
        #expect(
            await replaying.request("none").failure() as? CassetteError
                == .noExchange(request: "GET https://api.example.org/v1/none", expected: nil))
        try cassette.finish()
    }

    /// What a download, a reader, and a request that says itself what it accepts get of a URL.
    private func contents(
        of text: String, by manager: HTTPRequestOperationManager, _ folder: TemporaryDirectory
    ) async throws -> [String] {
        let download = manager.httpRequestOperation(with: try makeRequest(text))
        download.downloadDestination = DownloadDestination(fileURL: folder.file("content"))
        _ = try await download.data()
        let reader = manager.httpRequestOperation(with: try makeRequest(text))
        var read = ""
        for try await line in reader.lines { read += line + "\n" }
        var request = try makeRequest(text)
        request.setValue("gzip", forHTTPHeaderField: "Accept-Encoding")
        let own = try await manager.httpRequestOperation(with: request).data().0
        return [
            try String(contentsOf: folder.file("content"), encoding: .utf8), read, String(decoding: own, as: UTF8.self),
        ]
    }

    @Test("JSON is the same in whatever order its keys are")
    func orderOfKeys() async throws {
        let folder = try TemporaryDirectory()
        let file = try folder.write(
            #"""
            {"log": {"entries": [{
                "request": {
                    "method": "POST", "url": "https://api.example.org/v1/x",
                    "headers": [{"name": "content-type", "value": "application/json; charset=utf-8"}],
                    "postData": {"text": "{\"b\": 1, \"a\": [{\"d\": null, \"c\": \"é\"}, 2]}"}
                },
                "response": {"status": 200, "content": {"text": "found"}}
            }]}}
            """#, to: "x.har")
        let manager = manager(try Cassette(file))
        for (type, body, isThere) in [
            ("application/json", #"{"a":[{"c":"\u00e9","d":null},2],"b":1}"#, true),
            ("application/json", #"{"a":[2,{"c":"é","d":null}],"b":1}"#, false),
            ("application/json", #"{"a":[{"c":"é","d":null},2],"b":1"#, false),
            ("text/plain", #"{"a":[{"c":"é","d":null},2],"b":1}"#, false),
        ] {
            var request = try makeRequest("https://api.example.org/v1/x", method: "POST", body: Data(body.utf8))
            request.setValue(type, forHTTPHeaderField: "Content-Type")
            let error = await manager.httpRequestOperation(with: request).failure()
            #expect(isThere ? error == nil : error is CassetteError, "\(type) \(body)")
        }
    }

    @Test("Multipart forms are the same with whatever boundary")
    func boundaries() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("x.har")
        let server = try TestServer()
        server.respond(to: "/form", .ok("received"))
        let url = "http://127.0.0.1:\(server.port)/form"
        func send(_ text: String, by manager: HTTPRequestOperationManager) async throws -> String {
            let operation = try manager.makeOperation(
                method: "POST", url, parameters: ["b": "2"],
                constructingBodyWith: { $0.appendPart(withForm: Data(text.utf8), name: "a") })
            return String(decoding: try await operation.data().0, as: UTF8.self)
        }
        let recording = try Cassette(file, mode: .record)
        #expect(try await send("text", by: manager(recording)) == "received")
        try recording.finish()
        server.stop()

        let replayed = try Cassette(file, matching: .strict)
        await #expect(throws: CassetteError.self) { try await send("other", by: manager(replayed)) }
        #expect(try await send("text", by: manager(replayed)) == "received")
        try replayed.finish()
    }

    @Test("Coded content is recorded decoded, and masked, whoever decodes it")
    func codedContent() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("x.har")
        let (plain, masked) = ("one\ngeheim\n", "one\n***\n")
        let server = try TestServer()
        let coded = try GzipEncoder.encode(Data(plain.utf8))
        server.respond(
            to: "/x",
            ScriptedResponse(
                headers: [("Content-Type", "text/plain"), ("Content-Encoding", "gzip")], body: .data(coded)))
        let url = "http://127.0.0.1:\(server.port)/x"
        var masking = Cassette.Masking()
        masking.content = { content, _ in
            Data(String(decoding: content, as: UTF8.self).replacingOccurrences(of: "geheim", with: "***").utf8)
        }
        let recording = try Cassette(file, mode: .record, masking: masking)
        let live = try await contents(of: url, by: manager(recording), folder)
        #expect(live == [plain, plain, String(decoding: coded, as: UTF8.self)])
        try recording.finish()
        server.stop()
        #expect(try !String(contentsOf: file, encoding: .utf8).contains("geheim"))

        let replayed = try Cassette(file, matching: .strict, masking: masking)
        #expect(try await contents(of: url, by: manager(replayed), folder) == [masked, masked, masked])
        try replayed.finish()
    }

    @Test("A part of coded content is replayed as it came")
    func codedPart() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("x.har")
        let server = try TestServer()
        let part = try Data(GzipEncoder.encode(Data("text".utf8)).prefix(10))
        server.respond(
            to: "/x",
            ScriptedResponse(
                status: 206, headers: [("Content-Encoding", "gzip"), ("Content-Range", "bytes 0-9/24")],
                body: .data(part)))
        var request = try makeRequest("http://127.0.0.1:\(server.port)/x")
        request.setValue("bytes=0-9", forHTTPHeaderField: "Range")
        let recording = try Cassette(file, mode: .record)
        #expect(try await manager(recording).httpRequestOperation(with: request).data().0 == part)
        try recording.finish()
        server.stop()

        let replaying = manager(try Cassette(file))
        let (content, response) = try await replaying.httpRequestOperation(with: request).data()
        #expect(content == part && response.statusCode == 206)
        #expect(response.value(forHTTPHeaderField: "Content-Encoding") == "gzip")
        #expect(response.value(forHTTPHeaderField: "X-Cassette-Coded") == nil)
    }

    @Test("What could not be written is an error until it is written")
    func unwritten() async throws {
        let folder = try TemporaryDirectory()
        let missing = folder.file("missing")
        let file = missing.appendingPathComponent("x.har")
        let server = try TestServer()
        server.respond(to: "/x", .ok("text"))
        let recording = try Cassette(file, mode: .replayOrRecord)
        #expect(try await send("http://127.0.0.1:\(server.port)/x", by: manager(recording)) == "text")
        server.stop()
        for _ in 0..<2 { #expect(throws: (any Error).self) { try recording.finish() } }
        try FileManager.default.createDirectory(at: missing, withIntermediateDirectories: true)
        try recording.finish()
        #expect(try Cassette(file).count == 1)
    }

    @Test("The length that a HEAD was answered is that of its replay")
    func head() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("x.har")
        let server = try TestServer()
        server.respond(to: "/x", .ok("0123456789"))
        let request = try makeRequest("http://127.0.0.1:\(server.port)/x", method: "HEAD")
        let recording = try Cassette(file, mode: .record)
        let recorded = try await manager(recording).httpRequestOperation(with: request).data().1
        try recording.finish()
        server.stop()

        let replaying = manager(try Cassette(file))
        let replayed = try await replaying.httpRequestOperation(with: request).data().1
        #expect(recorded.value(forHTTPHeaderField: "Content-Length") == "10")
        #expect(replayed.value(forHTTPHeaderField: "Content-Length") == "10")
    }

    @Test(
        "A file that is no archive is an error",
        arguments: [
            "", "{}", #"{"log":{"entries":[{"request":{}}]}}"#,
            #"{"log":{"entries":[{"request":{"method":"GET","url":"x"},"response":{"status":200,"content":{"text":"%","encoding":"base64"}}}]}}"#,
        ])
    func damaged(text: String) throws {
        let folder = try TemporaryDirectory()
        let file = try folder.write(text, to: "x.har")
        #expect(throws: DecodingError.self) { try Cassette(file) }
        #expect(throws: CocoaError.self) { try Cassette(folder.file("none")) }
    }
}
