// SPDX-License-Identifier: MIT
import AFNetworking
import TestServer
import Testing

@testable import LegacySwift5

@MainActor
@Suite("Legacy batches, dependencies and queues", .timeLimit(.minutes(1)))
struct QueueTests {
    let httpbin: HTTPBinServer

    init() throws {
        httpbin = try HTTPBinServer.shared()
    }

    @Test("A batch reports each member, and ends after their blocks")
    func batch() async throws {
        let loader = ThumbnailLoader()
        let urls = ["/base64/YQ==", "/base64/Yg==", "/status/404", "/base64/Yw=="].map { httpbin.url($0) }
        var fractions: [Float] = []
        await Legacy.result { done in loader.load(urls, progress: { fractions.append($0) }, completion: { done(()) }) }
        #expect(loader.thumbnails.mapValues { String(decoding: $0, as: UTF8.self) }.values.sorted() == ["a", "b", "c"])
        #expect(loader.failedURLs == [urls[2]])
        #expect(fractions == [0.25, 0.5, 0.75, 1])
        #expect(loader.progressText == "4 of 4")
    }

    @Test("A batch in the spelling of Swift 1 and 2, on the main operation queue")
    func oldBatch() async throws {
        let loader = ThumbnailLoader()
        let urls = ["/status/200", "/status/500", "/get"].map { httpbin.url($0) as NSURL }
        #expect(await Legacy.result { done in loader.loadTheOldWay(urls) { done($0) } } == 2)
        #expect(loader.progressText == "3/3")
    }

    @Test("An empty batch ends, too")
    func emptyBatch() async throws {
        #expect(await Legacy.result { done in ThumbnailLoader().loadTheOldWay([]) { done($0) } } == 0)
    }

    @Test("Requests are sent in the order of their dependencies")
    func dependencies() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .json("{}") }
        let pipeline = ReportPipeline(baseURL: server.url())
        let log = await Legacy.result { done in pipeline.run { done($0) } }
        let paths = server.requests.map(\.path)
        #expect(paths.first == "/anything/settings" && paths.last == "/anything/report" && paths.count == 4)
        #expect(Set(log).isSuperset(of: ["settings", "figures", "texts"]))
    }

    @Test("Leaving a screen cancels its requests, logging out all")
    func logOut() async throws {
        let server = try TestServer()
        let gate = Gate()
        server.respondToOthers { _ in ScriptedResponse.stalled(until: gate) }
        server.respond(to: "/quick", .ok())
        let controller = AccountController(baseURL: server.url())
        controller.load("quick", screen: "home")
        try await eventually("the quick one's end") { controller.finished == ["home"] }
        for (path, screen) in [("a", "home"), ("b", "mail"), ("c", "mail"), ("d", "news"), ("e", "home")] {
            controller.load(path, screen: screen)
        }
        controller.leave(screen: "mail")
        try await eventually("two cancelled requests") { controller.cancelled == ["mail", "mail"] }
        controller.cancelRequests(method: "GET", path: "/d")
        try await eventually("a third") { controller.cancelled == ["mail", "mail", "news"] }
        await Legacy.result { done in controller.logOut { done(()) } }
        #expect(
            controller.finished == ["home"]
                && controller.cancelled.sorted() == ["home", "home", "mail", "mail", "news"])
        try await eventually("an empty queue") { controller.manager.operationQueue.operationCount == 0 }
        gate.open()
    }

    @Test("Uploads that failed are archived, restored in a new outbox, and sent")
    func outbox() async throws {
        let server = try TestServer()
        server.enqueue(.status(503), .status(500))
        server.respondToOthers { _ in .json(#"{"ok": true}"#) }
        let directory = try TemporaryDirectory()
        let path = directory.file("outbox").path
        let outbox = UploadOutbox(path: path)
        for number in 1...2 {
            let url = server.url("/upload/\(number)").absoluteString
            #expect(await Legacy.result { done in outbox.upload(["n": number], to: url) { done($0) } } == false)
        }
        #expect(outbox.failedOperations.count == 2 && outbox.save())

        let next = UploadOutbox(path: path)
        next.restore()
        #expect(next.failedOperations.map { $0.request.url?.path } == ["/upload/1", "/upload/2"])
        #expect(next.failedOperations.allSatisfy { $0.isReady && !$0.isFinished })
        #expect(await Legacy.result { done in next.resend { done($0) } } == 2)
        #expect(next.failedOperations.isEmpty)
        let again = server.requests.suffix(2).sorted { $0.target < $1.target }
        #expect(again.map(\.text) == ["n=1", "n=2"] && again.map(\.method) == ["POST", "POST"])
    }

    @Test("What fails again stays in the outbox")
    func outboxAgain() async throws {
        let outbox = UploadOutbox(path: "/nowhere/outbox")
        let url = httpbin.url("/status/503").absoluteString
        #expect(await Legacy.result { done in outbox.upload(["n": 1], to: url) { done($0) } } == false)
        #expect(await Legacy.result { done in outbox.resend { done($0) } } == 0)
        #expect(outbox.failedOperations.count == 1 && !outbox.save())
    }

    @Test("A queue is waited for, and an operation polled, in the background")
    func polling() async throws {
        let urls = [200, 404, 503].map { httpbin.url("/status/\($0)") }
        let answers = await Legacy.result { done in
            DispatchQueue.global().async {
                let results = LinkChecker().checkAndWait(urls)
                let text = LinkChecker().poll(httpbin.url("/base64/cG9sbGVk"))
                let missing = LinkChecker().poll(httpbin.url("/status/404"))
                done((results, text, missing))
            }
        }
        #expect(answers.0 == [0: 200, 1: 404, 2: 503])
        #expect(answers.1 == "polled" && answers.2 == nil)
    }
}
