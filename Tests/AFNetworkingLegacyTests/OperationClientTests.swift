// SPDX-License-Identifier: MIT
import AFNetworking
import TestServer
import Testing

@preconcurrency @testable import LegacySwift5

@MainActor
@Suite("Legacy clients on operations", .timeLimit(.minutes(1)))
struct OperationClientTests {
    let server: TestServer
    let directory: TemporaryDirectory

    init() throws {
        server = try TestServer()
        directory = try TemporaryDirectory()
    }

    @Test("A client that is made without arguments asks the server that its init(baseURL:) knows")
    func catalogue() async throws {
        server.respond(to: "/names", .json(#"["a", "b"]"#))
        CatalogueClient.serverURL = server.url()
        #expect(CatalogueClient.sharedClient.baseURL == server.url())
        #expect(await Legacy.result { done in CatalogueClient().names { done($0) } } == ["a", "b"])
        #expect(server.requests.last?["X-Client"] == "catalogue")
    }

    @Test("Redirect and cache blocks ask the connection for its requests")
    func connections() async throws {
        server.respond(to: "/1", .redirect(to: "/2"))
        server.respond(to: "/2", .redirect(to: "/3"))
        server.respond(
            to: "/3", ScriptedResponse(headers: [("Cache-Control", "max-age=60")], body: .text("three")))
        let log = RedirectLog()
        await Legacy.result { done in log.follow(server.url("/1")) { done(()) } }
        #expect(log.lines == ["/1: /1 -> /2", "/1: /2 -> /3"])
        let keeper = CacheKeeper()
        #expect(await Legacy.result { done in keeper.load(server.url("/1?again")) { done($0) } } == "three")
        #expect(keeper.storedPaths == ["/3"])
    }

    @Test("NSURL and NSData go into a form")
    func documents() async throws {
        server.respond(to: "/form", .ok())
        let file = directory.file("paper.txt")
        try Data("on paper".utf8).write(to: file)
        let uploader = DocumentUploader()
        let note = NSData(data: Data("a note".utf8))
        let isSent = await Legacy.result { done in
            uploader.upload(file as NSURL, note: note, to: server.url("/form").absoluteString) { done($0) }
        }
        let text = try #require(server.requests.last?.text)
        #expect(isSent && uploader.problem == nil)
        #expect(
            text.components(separatedBy: "on paper").count == 3 && text.components(separatedBy: "a note").count == 4)
        let missing = await Legacy.result { done in
            uploader.upload(NSURL(fileURLWithPath: "/no/such"), note: note, to: server.url("/form").absoluteString) {
                done($0)
            }
        }
        #expect(missing && uploader.problem?.contains("/no/such") == true)
    }

    @Test("Pins from a set of data, NSSet and an array of NSData")
    func pins() throws {
        let certificate = try TestCertificateAuthority().certificate.der
        let policies = [
            PinningPolicies.certificate(certificate),
            PinningPolicies.publicKey(NSSet(object: NSData(data: certificate))),
            PinningPolicies.array([NSData(data: certificate)]),
        ]
        #expect(policies.allSatisfy { $0.pinnedCertificates == [certificate] })
        #expect(policies.map(\.SSLPinningMode) == [.certificate, .publicKey, .publicKey])
    }

    @Test("A chain of requests, and a batch in NSMutableArray")
    func chains() async throws {
        server.respond(to: "/login", .json(#"{"token": "t7"}"#))
        server.respond(to: "/orders/tea", .ok("tea"))
        server.respond(to: "/a", .ok("12345"))
        let chain = OrderChain(baseURL: server.url())
        #expect(await Legacy.result { done in chain.order("tea") { done($0) } } == "tea")
        #expect(server.requests.last?["X-Token"] == "t7")
        let batch = GalleryBatch()
        let urls = ["/a", "/none", "/a"].map { server.url($0) }
        #expect(await Legacy.result { done in batch.load(urls) { done($0) } } == 10)
        #expect(batch.failed == ["/none"] && batch.progress == ["1/3", "2/3", "3/3"])
    }

    @Test("What is busy is asked again, and what is not done is watched")
    func patience() async throws {
        server.respond(to: "/busy") { [server] _ in server.count("/busy") < 3 ? .status(503) : .ok("now") }
        server.respond(to: "/jobs/7") { [server] _ in
            .json(server.count("/jobs/7") < 3 ? #"{"state": "running"}"# : #"{"state": "done"}"#)
        }
        let client = PatientClient()
        let operation = AFHTTPRequestOperation(request: URLRequest(url: server.url("/busy")))
        let text = await Legacy.result { done in client.run(operation) { text, _ in done(text) } }
        #expect(text == "now" && client.attempts == 3)
        let watcher = JobWatcher(baseURL: server.url())
        #expect(await Legacy.result { done in watcher.watch(7) { done($0) } })
        #expect(watcher.states == ["running", "running", "done"])
    }

    @Test("A suspended queue sends once there is a network")
    func offline() async throws {
        server.respond(to: "/messages", .json("{}"))
        let queue = OfflineQueue(baseURL: server.url())
        await Legacy.result { (done: @escaping @Sendable (()) -> Void) in
            queue.send("hello") { done(()) }
            #expect(server.requests.isEmpty)
            queue.networkDidChange(.reachableViaWiFi)
        }
        #expect(queue.sent == ["hello"] && server.requests.last?.text == "text=hello")
    }

    @Test("JSON both ways, property lists, and any JSON")
    func formats() async throws {
        server.respond(to: "/profile") { request in
            request.text.contains("bad")
                ? .json(#"{"message": "no"}"#, status: 422) : .json(#"{"name": "x", "age": null}"#)
        }
        let editor = ProfileEditor(baseURL: server.url())
        let saved = await Legacy.result { done in
            editor.save(["name": "x", "age": 3]) {
                if case .saved(let json) = $0 { done(json.count) } else { done(-1) }
            }
        }
        #expect(saved == 1 && server.requests.last?.text == #"{"age":3,"name":"x"}"#)
        let refused = await Legacy.result { done in
            editor.save(["bad": true]) {
                if case .refused(let text, let code) = $0 { done("\(text) \(code)") } else { done("") }
            }
        }
        #expect(refused == "no 422")
        let list = "<plist version=\"1.0\"><dict><key>interval</key><integer>5</integer></dict></plist>"
        server.respond(to: "/settings", .ok(list, type: "text/xml"))
        let loader = SettingsLoader()
        let interval = await Legacy.result { done in
            loader.load(server.url("/settings")) { done($0["interval"] as? Int) }
        }
        #expect(interval == 5)
        let fallback = await Legacy.result { done in loader.load(server.url("/none")) { done($0["interval"] as? Int) } }
        #expect(fallback == 60)
        server.respond(to: "/text", .ok("just text"))
        let text = await Legacy.result { done in
            TextThenJSON().load(server.url("/text")) { done($0?["text"] as? String) }
        }
        #expect(text == "just text")
    }

    @Test("A memory stream, a HEAD request, a query of one's own, a form by way of a file")
    func transfers() async throws {
        server.respond(to: "/file", ScriptedResponse(body: .pattern(count: 70_000)))
        server.respond(to: "/q", .ok())
        server.respond(to: "/form", .ok())
        let loader = MemoryStreamLoader()
        let data = await Legacy.result { done in loader.load(server.url("/file")) { data, _ in done(data) } }
        #expect(data == ScriptedResponse.pattern(count: 70_000) && loader.totals.last == 70_000)
        let size = await Legacy.result { done in SizeProbe().size(of: server.url("/file").absoluteString) { done($0) } }
        #expect(size == 70_000)
        let fields = FieldOrder(baseURL: server.url())
        #expect(await Legacy.result { done in fields.query([["b", "1"], ["a", "2"]]) { done($0) } } == 200)
        #expect(server.requests.last?.target == "/q?b=1;a=2")
        #expect(await Legacy.result { done in fields.query("x") { done($0) } } == 1)
        let upload = SpooledUpload()
        let status = await Legacy.result { done in
            upload.send("hello", to: server.url("/form").absoluteString, by: directory.file("form")) { done($0) }
        }
        #expect(status == 200 && upload.problem == nil && server.requests.last?.text.contains("hello") == true)
    }

    @Test("A search that the next letter cancels")
    func searches() async throws {
        let gate = Gate()
        server.respond(to: "/search") { request in
            request.target.hasSuffix("ab") ? .json(#"["abc"]"#) : .stalled(until: gate)
        }
        let field = SearchField(baseURL: server.url())
        field.textDidChange("a")
        await Legacy.result { done in field.textDidChange("ab") { done(()) } }
        try await eventually("the first one's end") { field.cancelledCount == 1 }
        #expect(field.results == ["abc"])
        gate.open()
    }
}
