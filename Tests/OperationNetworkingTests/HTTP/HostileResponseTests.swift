// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

@Suite("What a hostile server puts into a response's head", .timeLimit(.minutes(3)), .serialized)
struct HostileResponseTests {
    let server: TestServer

    init() throws {
        server = try TestServer()
    }

    private static func script(_ fields: String, status: String = "200 OK", body: String = "") -> ScriptedResponse {
        .script([.send("HTTP/1.1 \(status)\r\n\(fields)\r\n\(body)"), .close])
    }

    /// As long as a line may be that libcurl takes.
    private static let marks = CombiningMarks.text(bytes: 90_000)
    private static let fewer = CombiningMarks.text(bytes: 40_000)

    static let slowFields = [
        "X\(marks): 1\r\n", "\(marks): 1\r\n",
        "Content-Type: text/\(marks); charset=\(CombiningMarks.text(bytes: 8))\r\n",
        "Content-Disposition: attachment; filename=\"\(marks)\"\r\n",
        "ETag: \"\(marks)\"\r\nAccept-Ranges: \(fewer)\r\n",
        "Content-Encoding: \(marks)\r\n", "Accept-Ranges: \(marks)\r\n", "Content-Range: \(marks)\r\n",
        "Last-Modified: \(marks)\r\n",
    ]

    @Test(
        "Combining marks in names and values take neither our time nor anybody else's", arguments: 0..<slowFields.count)
    func combiningMarks(index: Int) async throws {
        server.respond(to: "/", Self.script(Self.slowFields[index] + "Content-Length: 2\r\n", body: "ok"))
        let start = ContinuousClock.now
        let (status, wait) = try await Bystander().longestWait { () -> Int? in
            let operation = HTTPRequestOperation(server.url("/"), timeout: 20)
            _ = await operation.outcome()
            // Built when somebody asks.
            let fields = operation.response?.allHeaderFields
            return fields == nil ? nil : operation.response?.statusCode
        }
        #expect(status == 200)
        #expect(wait < .seconds(Patience.factor))
        #expect(ContinuousClock.now - start < .seconds(3 * Patience.factor))
    }

    @Test("Challenges of combining marks take nobody's time")
    func challenges() async throws {
        let line = "WWW-Authenticate: \(Self.fewer) realm=\"\(Self.fewer)\"\r\n"
        server.respond(
            to: "/",
            Self.script(line + "WWW-Authenticate: Basic realm=\"here\"\r\nContent-Length: 0\r\n", status: "401 No"))
        let (outcome, wait) = try await Bystander().longestWait {
            let operation = HTTPRequestOperation(server.url("/"), timeout: 20)
            operation.credential = URLCredential(user: "u", password: "p", persistence: .none)
            return await operation.outcome().status
        }
        #expect(outcome == 401 && wait < .seconds(Patience.factor))
        #expect(server.requests.last?["Authorization"] != nil, "the challenge that is one is answered")
    }

    @Test("A field whose name is no token is left out, the others count")
    func names() async throws {
        server.respond(
            to: "/",
            Self.script(
                "X-Good: 1\r\nX\u{E9}: 2\r\nX Bad: 3\r\nX(Bad): 4\r\nX\u{0}Bad: 5\r\nX-Last: 6\r\nContent-Length: 2\r\n",
                body: "ok"))
        let operation = HTTPRequestOperation(server.url("/"), timeout: 10)
        let outcome = await operation.outcome()
        // libcurl ends at a NUL.
        if let error = outcome.urlError {
            #expect(error.code == .cannotParseResponse)
        } else {
            let names = operation.response?.allHeaderFields.keys.compactMap { $0 as? String } ?? []
            #expect(Set(names) == ["X-Good", "X-Last", "Content-Length"])
        }
        server.respond(
            to: "/",
            Self.script("X-Good: 1\r\nX\u{E9}: 2\r\nX Bad: 3\r\nX-Last: 6\r\nContent-Length: 2\r\n", body: "ok"))
        let second = HTTPRequestOperation(server.url("/"), timeout: 10)
        #expect(await second.outcome().text == "ok")
        #expect(
            Set((second.response?.allHeaderFields.keys.compactMap { $0 as? String }) ?? [])
                == ["X-Good", "X-Last", "Content-Length"])
    }

    @Test("More than 2000 fields, or 256 KiB of them: -1103", arguments: [2001, 300])
    func floods(count: Int) async throws {
        let field = count == 300 ? "X: " + String(repeating: "v", count: 1000) + "\r\n" : "X: 1\r\n"
        server.respond(to: "/", Self.script(String(repeating: field, count: count) + "Content-Length: 0\r\n"))
        let error = await HTTPRequestOperation(server.url("/"), timeout: 10).outcome().urlError
        #expect(error?.code == .dataLengthExceedsMaximum)
        #expect(error?.localizedDescription.contains("head") == true)
        server.respond(to: "/", Self.script(String(repeating: "X: 1\r\n", count: 1900) + "Content-Length: 0\r\n"))
        #expect(await HTTPRequestOperation(server.url("/"), timeout: 10).outcome().status == 200)
    }

    // MARK: Lengths

    @Test(
        "A Content-Length that is not one length: -1017",
        arguments: [
            "Content-Length: 5, 6\r\n", "Content-Length: 5 5\r\n", "Content-Length: 0x5\r\n", "Content-Length: +5\r\n",
            "Content-Length: 5,\r\n", "Content-Length: ,5\r\n", "Content-Length:\r\n", "Content-Length: 5;\r\n",
            "Content-Length: 00000000000000000005\r\n", "Content-Length: 18446744073709551621\r\n",
            "Content-Length: 9223372036854775808\r\n", "Content-Length: 5\r\nContent-Length: 6\r\n",
            "Content-Length: 6\r\ncontent-length: 5\r\n", "Content-Length: 5\r\n 6\r\n", "Content-Length : 5\r\n",
            "Content-Length: 5\r\nX: 1\r\nCONTENT-LENGTH: 5x\r\n", "Content-Length: \u{665}\r\n",
        ])
    func lengths(fields: String) async throws {
        server.respond(to: "/", Self.script(fields, body: "hello"))
        for method in ["GET", "POST"] {
            let operation = HTTPRequestOperation(server.url("/"), method: method, timeout: 10)
            let error = await operation.outcome().urlError
            #expect(error?.code == .cannotParseResponse, "\(error as Any)")
            #expect(operation.responseData == nil)
        }
    }

    @Test(
        "Equal lengths are one, and leading zeros mean nothing",
        arguments: [
            "Content-Length: 5, 5\r\n", "Content-Length: 5\r\nContent-Length: 5\r\n", "Content-Length: 005\r\n",
            "Content-Length: \t5 \r\n",
        ])
    func equalLengths(fields: String) async throws {
        server.respond(to: "/", Self.script(fields, body: "hello"))
        #expect(await HTTPRequestOperation(server.url("/"), timeout: 10).outcome().text == "hello")
    }

    /// A server that sends the beginning, and after the pause something else.
    private func resumed(_ fields: String, body: String) async throws -> HTTPRequestOperation {
        let count = Journal<Int>()
        server.respondToOthers { request in
            count.append(1)
            let beginning = "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 26\r\n\r\nabcde"
            if request["Range"] != nil {
                return .script([.send("HTTP/1.1 206 Partial\r\nETag: \"a\"\r\n\(fields)\r\n\(body)"), .close])
            }
            // Asked for all of it once more, it has nothing new.
            return .script([.send(beginning), count.count == 1 ? .stall : .close])
        }
        let operation = HTTPRequestOperation(server.url("/resumed"), timeout: 10)
        let received = Journal<Int64>()
        operation.completionQueue = DispatchQueue(label: "test")
        operation.setDownloadProgressBlock { _, total, _ in received.append(total) }
        operation.start()
        try await eventually("five bytes") { received.all.last == 5 }
        operation.pause()
        _ = await operation.outcome { $0.resume() }
        return operation
    }

    @Test("A range of the largest length there is adds up to nothing")
    func overflow() async throws {
        for length in ["9223372036854775807", "9223372036854775803"] {
            let operation = try await resumed(
                "Content-Range: bytes 5-25/*\r\nContent-Length: \(length)\r\n", body: "fghijklmnopqrstuvwxyz")
            #expect((operation.error as? URLError)?.code == .networkConnectionLost)
        }
        let operation = try await resumed(
            "Content-Range: bytes 5-9223372036854775807/9223372036854775808\r\nContent-Length: 21\r\n",
            body: "fghijklmnopqrstuvwxyz")
        #expect(operation.isFinished)
    }

    @Test(
        "A range that is coded never continues what was not", arguments: ["gzip", "br", "x-unknown", "identity, gzip"])
    func codedRange(coding: String) async throws {
        let operation = try await resumed(
            "Content-Range: bytes 5-25/26\r\nContent-Encoding: \(coding)\r\nContent-Length: 21\r\n",
            body: "fghijklmnopqrstuvwxyz")
        #expect(operation.responseData == nil && operation.error != nil)
        #expect(server.requests.map { $0["Range"] }.prefix(3) == [nil, "bytes=5-", nil])
    }
}
