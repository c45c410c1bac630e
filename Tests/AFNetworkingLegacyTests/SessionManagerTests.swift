// SPDX-License-Identifier: MIT
import AFNetworking
import TestServer
import Testing

@testable import LegacySwift5

@MainActor
@Suite("Legacy session managers", .timeLimit(.minutes(1)))
struct SessionManagerTests {
    let httpbin: HTTPBinServer

    init() throws {
        httpbin = try HTTPBinServer.shared()
        Legacy.markMainQueue()
    }

    @Test("A singleton client with a configuration, serializers and both kinds of trailing closures")
    func client() async throws {
        let server = try TestServer()
        server.respond(to: "/books") { request in
            request.method == "GET" ? .json(#"[{"title": "Lavinia"}]"#) : .json("{}", status: 201)
        }
        let client = BooksAPIClient(baseURL: server.url())
        let (books, status) = await Legacy.result { done in
            _ = client.books { books, _ in
                client.add(title: "Tehanu") { status, _ in done((books, status)) }
            }
        }
        #expect(books == ["Lavinia"] && status == 201)
        #expect(server.requests.first?.path == "/books" && server.requests.first?["X-Client"] == "books/1.0")
        #expect(server.requests.last?.text == #"{"title":"Tehanu"}"#)
        #expect(BooksAPIClient.shared.baseURL?.host == "127.0.0.1")
    }

    @Test("An image in a form, with a bar that goes up to 1")
    func upload() async {
        let uploader = AvatarUploader(baseURL: httpbin.url())
        let image = Data(repeating: 7, count: 500_000)
        let (user, size, error) = await Legacy.result { done in
            uploader.upload(image, user: "ali") { json, error in
                let form = json?["form"] as? [String: String]
                let files = json?["files"] as? [String: String]
                done((form?["user"], files?["avatar"]?.utf8.count, error))
            }
        }
        #expect(error == nil && user == "ali" && (size ?? 0) >= image.count)
        #expect(uploader.fractions.last == 1 && uploader.fractions == uploader.fractions.sorted())
    }

    @Test("A download that is stopped goes on from its resume data")
    func resume() async throws {
        let server = try TestServer()
        let directory = try TemporaryDirectory()
        let gate = Gate()
        let content = ScriptedResponse.pattern(count: 200_000)
        server.respond(to: "/file.bin") { request in
            let response = ScriptedResponse.ranged(content, etag: "\"1\"")
            guard request["Range"] == nil else { return response }
            return response.holding(gate, at: .betweenPieces).with { $0.pieceSize = 120_000 }
        }
        let download = ResumableDownload(
            url: server.url("/file.bin"), directory: URL(fileURLWithPath: directory.path))
        download.onProgress = { count in
            guard count >= 120_000 else { return }
            download.onProgress = nil
            download.stop {}
        }
        let stopped = await Legacy.result { done in download.start { done($1) } }
        gate.open()
        #expect((stopped as NSError?)?.code == NSURLErrorCancelled)
        try await eventually("resume data") { download.resumeData != nil }
        let (url, error) = await Legacy.result { done in download.start { done(($0, $1)) } }
        #expect(error == nil && download.offset >= 120_000)
        #expect(try Data(contentsOf: #require(url)) == content)
    }

    @Test("A pinned certificate, and a block that trusts all")
    func pinning() async throws {
        let authority = try TestCertificateAuthority()
        let identity = try authority.issueForLocalhost()
        let server = try TestServer(tls: TLSSettings(identity))
        server.respondToOthers { _ in .json(#"{"balance": 7}"#) }
        let client = PinnedSessionClient(baseURL: server.url())
        var (balance, error) = await Legacy.result { done in client.balance { done(($0, $1)) } }
        #expect(balance == nil && error?.code == URLError.Code.serverCertificateHasUnknownRoot.rawValue)
        client.trustEverything()
        (balance, error) = await Legacy.result { done in client.balance { done(($0, $1)) } }
        #expect(balance == 7 && client.questions == 1)
        let pinned = PinnedSessionClient(baseURL: server.url())
        pinned.pin(identity.certificate.der)
        (balance, error) = await Legacy.result { done in pinned.balance { done(($0, $1)) } }
        #expect(balance == 7 && error == nil)
    }

    @Test("Handlers on a queue of the client's")
    func queue() async throws {
        let server = try TestServer()
        server.respond(to: "/text", .ok("one two three"))
        let parser = BackgroundParser()
        let count = await Legacy.result { done in parser.wordCount(server.url("/text")) { done($0) } }
        #expect(count == 3 && parser.wasOnQueue)
    }

    @Test("Requests wait until the server can be reached")
    func reachability() async throws {
        let gate = ReachabilityGate(baseURL: httpbin.url(), address: "127.0.0.1")
        let send = Task { @MainActor in
            await Legacy.result { done in gate.send("get") { done($0 is [String: Any]) } }
        }
        try await eventually("the request waits") { gate.waiting.count == 1 }
        gate.start()
        #expect(await send.value && gate.isOpen)
    }

    @Test("After a 401 a client gets a new token and sends the request again")
    func token() async throws {
        let server = try TestServer()
        server.respondToOthers { request in
            request["Authorization"] == "Bearer fresh" ? .json(#"{"ok": true}"#) : .json("{}", status: 401)
        }
        let client = TokenClient(baseURL: server.url())
        let ok = await Legacy.result { done in
            client.get(
                "x", parameters: nil, headers: nil, progress: nil,
                success: { _, object in done((object as? [String: Bool])?["ok"]) }, failure: { _, _ in done(nil) })
        }
        #expect(ok == true && client.refreshCount == 1 && server.requests.count == 2)
    }

    @Test("Several tasks and a dispatch group")
    func group() async {
        let loader = GroupLoader(baseURL: httpbin.url())
        let (objects, errors) = await Legacy.result { done in
            loader.load(["get", "ip", "status/404", "headers"]) { done((Set($0.keys), $1.mapValues(\.code))) }
        }
        #expect(objects == ["get", "ip", "headers"] && errors == ["status/404": NSURLErrorBadServerResponse])
    }

    @Test("Of several searches the last one counts")
    func search() async throws {
        let server = try TestServer()
        let gate = Gate()
        server.respond(to: "/suggest") { request in
            request.target.hasSuffix("q=lav") ? .json(#"["lavinia"]"#) : .json("[]").holding(gate, at: .beforeHead)
        }
        let box = SuggestionBox(baseURL: server.url())
        let suggestions = await Legacy.result { done in
            for text in ["l", "la", "lav"] { box.type(text) { done($0) } }
        }
        gate.open()
        #expect(suggestions == ["lavinia"])
        try await eventually("the others are cancelled") { box.cancelled == 2 }
    }

    @Test("All verbs against httpbin")
    func verbs() async {
        let api = NotesAPI(baseURL: httpbin.url())
        func run(_ call: (@escaping (Any?, (any Error)?) -> Void) -> Void) async -> [String] {
            await Legacy.result { done in
                call { object, error in
                    let json = object as? [String: Any]
                    let form = json?["form"] as? [String: String]
                    let query = json?["args"] as? [String: String]
                    done([
                        json?["method"] as? String ?? "", form?["text"] ?? "", query?["limit"] ?? query?["force"] ?? "",
                        error == nil ? "" : "\(error as NSError?)",
                    ])
                }
            }
        }
        #expect(await run { api.all($0) } == ["GET", "", "10", ""])
        #expect(await run { api.create("a", $0) } == ["POST", "a", "", ""])
        #expect(await run { api.replace("b", $0) } == ["PUT", "b", "", ""])
        #expect(await run { api.change("c", $0) } == ["PATCH", "c", "", ""])
        #expect(await run { api.remove($0) } == ["DELETE", "", "1", ""])
        #expect(await Legacy.result { done in api.exists { done($0) } })
    }

    @Test("User and password by a block, by a handler, and later")
    func login() async {
        let path = "basic-auth/user/secret"
        func run(_ session: LoginSession) async -> (String?, NSError?) {
            await Legacy.result { done in
                session.logIn(path) { done((($0 as? [String: Any])?["user"] as? String, $1)) }
            }
        }
        let failure = NSError(domain: "login", code: 7)
        let block = LoginSession(baseURL: httpbin.url())
        block.answerByBlock(user: "user", password: "secret")
        #expect(await run(block).0 == "user" && block.challenges == 1)
        let wrong = LoginSession(baseURL: httpbin.url())
        wrong.answerByBlock(user: "user", password: "1234")
        #expect(await run(wrong).1?.code == NSURLErrorCancelled && wrong.challenges == 2)
        let handler = LoginSession(baseURL: httpbin.url())
        handler.answerByHandler(user: "user", password: "secret", error: failure)
        #expect(await run(handler).0 == "user")
        handler.answerByHandler(user: nil, password: "", error: failure)
        let fresh = LoginSession(baseURL: httpbin.url())
        fresh.answerByHandler(user: nil, password: "", error: failure)
        #expect(await run(fresh).1?.domain == "login")
        let later = LoginSession(baseURL: httpbin.url())
        later.answerLater(user: "user", password: "secret")
        #expect(await run(later).0 == "user")
    }

    @Test("A bar for each transfer, and one for all")
    func transfers() async throws {
        let directory = try TemporaryDirectory()
        let list = TransferList(count: 2)
        let upload = await Legacy.result { done in
            list.upload(Data(repeating: 1, count: 100_000), to: httpbin.url("/post")) { done($0) }
        }
        let download = await Legacy.result { done in
            list.download(httpbin.url("/bytes/100000"), to: directory.file("bytes")) { done($0) }
        }
        #expect(upload == nil && download == nil && list.running == 0)
        #expect(list.bars.map(\.completedUnitCount) == [100_000, 100_000])
        #expect(list.total.fractionCompleted == 1)
        #expect(try Data(contentsOf: directory.file("bytes")).count == 100_000)
    }

    @Test("Redirects are followed or not, and a response that is too long is not read")
    func previews() async {
        func run(_ preview: LinkPreview, _ path: String) async -> (Int?, Int?, Int?) {
            await Legacy.result { done in
                preview.load(httpbin.url(path)) { response, data, error in
                    done(((response as? HTTPURLResponse)?.statusCode, data?.count, (error as NSError?)?.code))
                }
            }
        }
        let follower = LinkPreview(followsRedirects: true)
        #expect(await run(follower, "/redirect-to?url=%2Fbytes%2F500") == (200, 500, nil))
        #expect(follower.hops == ["/bytes/500"] && follower.received == 500)
        #expect(await run(LinkPreview(followsRedirects: false), "/redirect/1").0 == 302)
        let small = LinkPreview(followsRedirects: true, maximumSize: 1000)
        #expect(await run(small, "/bytes/5000").2 == NSURLErrorCancelled && small.received == 0)
    }

    @Test("Notifications of a task")
    func notifications() async throws {
        let logger = TaskLogger()
        logger.observe("/anything/logged")
        let manager = AFHTTPSessionManager(baseURL: httpbin.url())
        let task = manager.dataTask(
            with: URLRequest(url: httpbin.url("/anything/logged")), completionHandler: nil)
        task.resume()
        try await eventually("the end") { logger.lines.count == 2 }
        #expect(logger.lines.first == "resume")
        let last = logger.lines.last?.split(separator: " ") ?? []
        #expect(last.count == 5 && last.prefix(2) == ["complete", "0"] && last.last == "true")
        #expect(last.dropFirst(2).prefix(2).allSatisfy { $0 != "0" })
        let failing = TaskLogger()
        failing.observe("/status/410")
        manager.dataTask(with: URLRequest(url: httpbin.url("/status/410")), completionHandler: nil).resume()
        try await eventually("the failure") { failing.lines.count == 2 }
        #expect(failing.lines.last?.hasPrefix("complete \(NSURLErrorBadServerResponse) ") == true)
        withExtendedLifetime(manager) {}
    }

    @Test("The message that comes with a bad status")
    func errors() async throws {
        let server = try TestServer()
        server.respond(to: "/bad", .json(#"{"message": "no such book"}"#, status: 422))
        // A cancellation that comes late enough would come after the response.
        server.respond(to: "/good", .stalled())
        let reader = ErrorReader(baseURL: server.url())
        let (status, message, url) = await Legacy.result { done in reader.load("bad") { done(($0, $1, $2)) } }
        #expect(status == 422 && message == "no such book" && url == server.url("/bad"))
        let manager = reader.manager
        for (path, cancels, expected) in [("bad", false, 1), ("good", true, 3)] {
            let error: (any Error)? = await Legacy.result { done in
                let task = manager.get(
                    path, parameters: nil, headers: nil, progress: nil, success: { _, _ in done(nil) },
                    failure: { done($1) })
                if cancels { task?.cancel() }
            }
            #expect(reader.advice(error) == expected)
        }
        #expect(reader.advice(nil) == -1 && reader.advice(CocoaError(.fileNoSuchFile)) == 4)
        var problem: Int?
        _ = manager.requestSerializer.multipartFormRequest(
            withMethod: "POST", urlString: "http://127.0.0.1/", parameters: nil,
            constructingBodyWith: { problem = reader.problem(of: $0, with: URL(fileURLWithPath: "/no/such")) },
            error: nil)
        #expect(problem == NSURLErrorBadURL)
    }

    @Test("The spelling of Swift 2")
    func oldSpelling() async throws {
        let directory = try TemporaryDirectory()
        let client = OldSpelling(baseURL: httpbin.url())
        let (url, error) = await Legacy.result { done in
            _ = client.load("get") { done(($0?["url"] as? String, $1)) }
        }
        #expect(error == nil && url?.hasSuffix("/get") == true)
        let code = await Legacy.result { done in _ = client.load("status/500") { done($1?.code) } }
        #expect(code == NSURLErrorBadServerResponse)
        let form = await Legacy.result { done in
            client.send("hello") { json, _ in done(json?["form"] as? [String: String]) }
        }
        #expect(form == ["text": "hello", "again": "hello"])
        let status = await Legacy.result { done in client.raw(httpbin.url("/json")) { status, _ in done(status) } }
        #expect(status == 200)
        let file = directory.file("old")
        let path = await Legacy.result { done in
            client.download(httpbin.url("/bytes/10"), to: file) { path, _ in done(path) }
        }
        #expect(path == file)
    }

    @Test("A session that is ended, with and without another one after it")
    func shortSession() async throws {
        let session = ShortSession(baseURL: httpbin.url())
        #expect(await Legacy.result { done in session.load("get") { done($0?.code) } } == nil)
        session.logOut(andContinue: true)
        try await eventually("the session is invalid") { session.invalidations == 1 }
        #expect(await Legacy.result { done in session.load("get") { done($0?.code) } } == nil)
        let cancelled = await Legacy.result { done in
            session.load("delay/10") { done($0?.code) }
            session.logOut(andContinue: false)
        }
        #expect(cancelled == NSURLErrorCancelled)
        #expect(await Legacy.result { done in session.load("get") { done($0 != nil) } })
        #expect(makeBackgroundManager().session.configuration.identifier == nil)
    }
}
