// SPDX-License-Identifier: MIT
import AFNetworking
import TestServer
import Testing

@testable import LegacySwift6

@MainActor
@Suite("Legacy clients in the Swift 6 language mode", .timeLimit(.minutes(1)))
struct Swift6Tests {
    let httpbin: HTTPBinServer

    init() throws {
        httpbin = try HTTPBinServer.shared()
    }

    @Test("A subclassed manager sends and reads JSON in both spellings")
    func notes() async throws {
        #expect(NotesClient.shared === NotesClient.shared && NotesClient.shared.baseURL == nil)
        let client = NotesClient(baseURL: httpbin.url())
        let note = NotesClient.Note(text: "Möwe", tags: ["bird", "sea"])
        let saved = await withCheckedContinuation { continuation in
            client.save(
                note, success: { continuation.resume(returning: $0) },
                failure: { _ in
                    continuation.resume(returning: nil as NotesClient.Note?)
                })
        }
        #expect(saved == note)
        let method = await withCheckedContinuation { continuation in
            client.rename(3) { continuation.resume(returning: $0) }
        }
        #expect(method == "PATCH")
    }

    @Test("What a failing request's server said is the failure's text")
    func refusedNote() async throws {
        let client = NotesClient(baseURL: httpbin.url("/status/418/"))
        client.requestSerializer = AFHTTPRequestSerializer()
        let text = await withCheckedContinuation { continuation in
            client.put(
                httpbin.url("/status/418").absoluteString,
                success: { _, _ in
                    continuation.resume(returning: nil as String?)
                }, failure: { operation, _ in continuation.resume(returning: operation?.responseString) })
        }
        #expect(text?.contains("teapot") == true)
    }

    @Test("A model on the main actor is changed by blocks on the main queue")
    func gallery() async throws {
        let model = GalleryModel()
        let urls = ["/base64/YQ==", "/status/404", "/base64/Yg=="].map { httpbin.url($0) }
        await withCheckedContinuation { continuation in
            model.load(urls) { continuation.resume() }
        }
        #expect(model.names.sorted() == ["YQ==", "Yg=="] && model.message == "failed with 404" && model.progress == 1)
    }

    @Test("A model's requests are cancelled, and its batch ends")
    func cancelledGallery() async throws {
        let server = try TestServer()
        let gate = Gate()
        server.respondToOthers { _ in ScriptedResponse.stalled(until: gate) }
        let model = GalleryModel()
        let completion = Task { @MainActor in
            await withCheckedContinuation { continuation in
                model.load([server.url("/a"), server.url("/b")]) { continuation.resume() }
            }
        }
        try await eventually("two requests") { server.requests.count == 2 }
        model.cancel()
        await completion.value
        gate.open()
        #expect(model.names.isEmpty && model.message == "failed with -999")
    }

    @Test("A subclassed operation sends itself again as long as the server is busy", arguments: [1, 3])
    func retry(failures: Int) async throws {
        let server = try TestServer()
        for _ in 0..<failures { server.enqueue(.status(503)) }
        server.enqueue(.ok("done"))
        let operation = RetryingOperation(request: URLRequest(url: server.url("/busy")))
        let (text, attempt, failed) = await withCheckedContinuation { continuation in
            RetryingOperation.run(operation, attempts: 3) { operation, error in
                continuation.resume(returning: (operation.responseString, operation.attemptNumber, error != nil))
            }
        }
        #expect(server.requests.count == (failures == 1 ? 2 : 3) && attempt == server.requests.count)
        #expect(failed == (failures == 3) && (failed || text == "done"))
    }

    @Test("A response serializer of the app's own in a compound one")
    func tags() async throws {
        let server = try TestServer()
        server.respond(to: "/json", .json(#"["a", "b"]"#))
        server.respond(to: "/text", .ok("c,d"))
        server.respond(to: "/broken", ScriptedResponse(status: 404, headers: [("Content-Type", "text/plain")]))
        server.respond(to: "/number", ScriptedResponse(headers: [("Content-Type", "text/csv")], body: .text("1,2")))
        for (path, expected) in [("/json", ["a", "b"]), ("/text", ["c", "d"])] {
            let (tags, _) = await withCheckedContinuation { continuation in
                TagService().load(server.url(path)) { continuation.resume(returning: ($0, $1)) }
            }
            #expect(tags == expected)
        }
        let (_, message) = await withCheckedContinuation { continuation in
            TagService().load(server.url("/broken")) { continuation.resume(returning: ($0, $1)) }
        }
        #expect(message == "com.alamofire.error.serialization.response -1011")
        for (counts, expected) in [(true, 3), (false, nil as Int?)] {
            let count = await withCheckedContinuation { continuation in
                TagService(counts: counts).count(server.url("/number")) { continuation.resume(returning: $0) }
            }
            #expect(count == expected)
        }
    }
}
