// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

@Suite("Progress blocks", .timeLimit(.minutes(2))) struct ProgressTests {
    let server: TestServer

    init() throws {
        server = try TestServer()
    }

    /// The calls of the blocks and a "done" from the completion, in the order of their queue.
    private func run(
        _ operation: HTTPRequestOperation, upload: Bool = false
    ) async -> (calls: [ProgressCall], afterCompletion: Int, outcome: HTTPOutcome) {
        let calls = Journal<ProgressCall>()
        let queue = DispatchQueue(label: "test")
        operation.completionQueue = queue
        let block: @Sendable (Int, Int64, Int64) -> Void = {
            calls.append(ProgressCall(bytes: $0, total: $1, expected: $2))
        }
        if upload { operation.setUploadProgressBlock(block) } else { operation.setDownloadProgressBlock(block) }
        let before = Journal<Int>()
        let outcome: HTTPOutcome = await withCheckedContinuation { continuation in
            operation.setCompletionBlockWithSuccess(
                { operation, object in
                    before.append(calls.count)
                    continuation.resume(returning: HTTPOutcome(operation: operation, object: object, error: nil))
                },
                failure: { operation, error in
                    before.append(calls.count)
                    continuation.resume(returning: HTTPOutcome(operation: operation, object: nil, error: error))
                })
            operation.start()
        }
        await blocking { queue.sync {} }
        return (calls.all, calls.count - (before.all.first ?? 0), outcome)
    }

    private func check(_ calls: [ProgressCall], sum: Int, expected: Int64) {
        #expect(calls.reduce(0) { $0 + $1.bytes } == sum)
        #expect(calls.last?.total == Int64(sum))
        #expect(zip(calls, calls.dropFirst()).allSatisfy { $0.total < $1.total })
        #expect(calls.allSatisfy { $0.bytes > 0 && $0.expected == expected })
    }

    @Test("Download: the sums are right, totals rise, the expected total is Content-Length, and completion comes last")
    func download() async {
        let size = 700_000
        server.respond(to: "/", ScriptedResponse(body: .pattern(count: size)))
        let (calls, late, outcome) = await run(HTTPRequestOperation(server.url("/")))
        #expect(outcome.data?.count == size && late == 0)
        check(calls, sum: size, expected: Int64(size))
    }

    @Test("Download: pieces that come one by one are told one by one")
    func pieces() async {
        let gates = (0..<3).map { _ in Gate() }
        let steps: [ScriptStep] = gates.enumerated().flatMap { [.gate($1), .send("\($0)\($0)")] }
        server.respond(to: "/", .script([.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n")] + steps))
        let totals = Journal<Int64>()
        let operation = HTTPRequestOperation(server.url("/"))
        operation.completionQueue = DispatchQueue(label: "test")
        operation.setDownloadProgressBlock { _, total, _ in
            totals.append(total)
            if total < 6 { gates[Int(total) / 2].open() }
        }
        gates[0].open()
        let outcome = await operation.outcome()
        #expect(outcome.text == "001122")
        #expect(totals.all == [2, 4, 6])
    }

    @Test("Download: the expected total is -1 for chunked and for coded content")
    func unknownLength() async throws {
        server.respond(to: "/chunked", ScriptedResponse(body: .chunks(["abc", "def"])))
        let (calls, _, _) = await run(HTTPRequestOperation(server.url("/chunked")))
        check(calls, sum: 6, expected: -1)
        // gzip of "hello"
        let coded = Data([
            0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0xCB, 0x48, 0xCD, 0xC9, 0xC9, 7, 0, 0x86, 0xA6, 0x10, 0x36, 5, 0, 0, 0,
        ])
        server.respond(to: "/gzip", ScriptedResponse(headers: [("Content-Encoding", "gzip")], body: .data(coded)))
        let (gzipCalls, _, outcome) = await run(HTTPRequestOperation(server.url("/gzip")))
        #expect(outcome.text == "hello")
        check(gzipCalls, sum: 5, expected: -1)
    }

    @Test("Download: content that goes to a stream is counted too")
    func downloadToStream() async {
        server.respond(to: "/", ScriptedResponse(body: .pattern(count: 100_000)))
        let operation = HTTPRequestOperation(server.url("/"))
        operation.outputStream = .toMemory()
        let (calls, late, _) = await run(operation)
        #expect(late == 0)
        check(calls, sum: 100_000, expected: 100_000)
    }

    @Test("Download: an empty content is not told about")
    func emptyDownload() async {
        server.respond(to: "/", .status(204))
        let (calls, _, _) = await run(HTTPRequestOperation(server.url("/")))
        #expect(calls.isEmpty)
    }

    @Test("Download: only the content that counts is counted, not a redirect's or a challenge's")
    func dropped() async {
        server.respond(to: "/a", ScriptedResponse.redirect(to: "/b").with { $0.body = .text("moved") })
        server.respond(to: "/b") { request in
            request["Authorization"] == nil
                ? ScriptedResponse(
                    status: 401, headers: [("WWW-Authenticate", "Basic realm=\"x\"")], body: .text("denied"))
                : .ok("content")
        }
        for asks in [false, true] {
            let operation = HTTPRequestOperation(server.url("/a"))
            operation.credential = URLCredential(user: "u", password: "p", persistence: .none)
            if asks {
                operation.setRedirectResponseBlock { _, request, _ in request }
                operation.setWillSendRequestForAuthenticationChallengeBlock { _, _ in .performDefaultHandling }
            }
            let (calls, _, outcome) = await run(operation)
            #expect(outcome.text == "content")
            check(calls, sum: 7, expected: 7)
        }
    }

    @Test("Download: a redirect's content is counted when the redirect block makes it the result")
    func heldContent() async {
        server.respond(to: "/", ScriptedResponse.redirect(to: "/b").with { $0.body = .text("moved") })
        let operation = HTTPRequestOperation(server.url("/"))
        operation.setRedirectResponseBlock { _, request, response in response == nil ? request : nil }
        let (calls, late, outcome) = await run(operation)
        #expect(outcome.text == "moved" && late == 0)
        check(calls, sum: 5, expected: 5)
    }

    @Test("Upload of data: the sums are right, and the expected total is the size", arguments: [1, 65_537, 1 << 20])
    func upload(size: Int) async {
        server.respond(to: "/", .ok())
        let (calls, late, outcome) = await run(
            HTTPRequestOperation(server.url("/"), method: "POST", body: ScriptedResponse.longPattern(count: size)),
            upload: true)
        #expect(outcome.error == nil && late == 0)
        check(calls, sum: size, expected: Int64(size))
    }

    @Test("Upload of a stream: the expected total is -1 without Content-Length and the length with it")
    func streamUpload() async {
        server.respond(to: "/", .ok())
        for length in [nil, 200_000] {
            let operation = HTTPRequestOperation(server.url("/"), method: "POST")
            var request = operation.request
            request.httpBodyStream = InputStream(data: ScriptedResponse.longPattern(count: 200_000))
            if let length { request.setValue("\(length)", forHTTPHeaderField: "Content-Length") }
            let (calls, late, outcome) = await run(HTTPRequestOperation(request: request), upload: true)
            #expect(outcome.error == nil && late == 0)
            check(calls, sum: 200_000, expected: Int64(length ?? -1))
        }
    }

    @Test("Upload: little content is told when it has gone out, also where the server stays silent")
    func silentServer() async throws {
        server.respondToOthers { _ in .stalled() }
        let operation = HTTPRequestOperation(server.url("/"), method: "POST", body: Data("12345".utf8), timeout: 1)
        let told = Journal<ProgressCall>()
        let queue = DispatchQueue(label: "test")
        operation.completionQueue = queue
        operation.setUploadProgressBlock { told.append(ProgressCall(bytes: $0, total: $1, expected: $2)) }
        operation.start()
        try await eventually("the progress") { told.count == 1 }
        #expect(operation.isExecuting)
        check(told.all, sum: 5, expected: 5)
        try await eventually("the end") { operation.isFinished }
        #expect(operation.metrics?.bytesSent == 5 && told.count == 1)
    }
}
