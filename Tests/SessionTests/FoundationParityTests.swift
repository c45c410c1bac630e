// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

/// What programs written for Foundation's sessions rely on, asked of both.
@Suite("As Foundation's sessions", .timeLimit(.minutes(1))) struct FoundationParityTests {
    private static let methods = ["HEAD", "GET", "PUT", "POST", "DELETE"]

    // MARK: Requests

    @Test(arguments: SessionKind.allCases)
    func aHeaderFieldOfTheRequestWinsHoweverItIsSpelled(_ kind: SessionKind) async throws {
        let server = try TestServer()
        server.respondToOthers { .ok(($0["header4"] ?? "-") + ($0["header3"] ?? "-")) }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["header3": "session", "header4": "session"]
        var request = URLRequest(url: server.url())
        request.setValue("request", forHTTPHeaderField: "Header4")
        #expect(await kind.make(configuration).outcome(request).text == "requestsession")
    }

    @Test("A task shows the request that it was made of", arguments: SessionKind.allCases)
    func originalRequest(_ kind: SessionKind) async throws {
        let server = try TestServer()
        server.respondToOthers { .ok($0["X-Session"] ?? "none") }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-Session": "session", "User-Agent": "tests"]
        configuration.timeoutIntervalForRequest = 12
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        let session = kind.make(configuration)
        var request = URLRequest(url: server.url())
        request.setValue("request", forHTTPHeaderField: "X-Request")
        var task: URLSessionTask?
        let outcome = await session.outcome(request) { made in
            task = made
            #expect(made.originalRequest == request && made.currentRequest == request)
            made.resume()
        }
        #expect(outcome.text == "session")
        #expect(task?.originalRequest?.allHTTPHeaderFields == ["X-Request": "request"])
        #expect(task?.originalRequest?.timeoutInterval == 60 && task?.currentRequest == request)
        let others = [
            session.uploadTask(with: request, from: Data("content".utf8)), session.downloadTask(with: request),
        ]
        #expect(others.allSatisfy { $0.originalRequest?.allHTTPHeaderFields == ["X-Request": "request"] })
        for other in others { other.cancel() }
    }

    @Test("Content of a POST has a type, and only that", arguments: SessionKind.allCases)
    func contentType(_ kind: SessionKind) async throws {
        let server = try TestServer()
        server.respondToOthers { .ok($0["Content-Type"] ?? "none") }
        let session = kind.make()
        var request = URLRequest(url: server.url())
        for (method, body, expected) in [
            ("POST", "a=b", "application/x-www-form-urlencoded"), ("PUT", "a=b", "none"), ("POST", "", "none"),
            ("DELETE", "", "none"),
        ] {
            request.httpMethod = method
            request.httpBody = Data(body.utf8)
            #expect(await session.outcome(request).text == expected, "\(method) \(body)")
        }
    }

    @Test("A request that cannot be sent fails by its reason", arguments: SessionKind.allCases)
    func unsendable(_ kind: SessionKind) async throws {
        let session = kind.make()
        var nowhere = URLRequest(url: URL(fileURLWithPath: "/"))
        nowhere.url = nil
        for (request, code) in [
            (nowhere, URLError.Code.unsupportedURL),
            (URLRequest(url: try #require(URL(string: "foobar://127.0.0.1/"))), .unsupportedURL),
            (URLRequest(url: try #require(URL(string: "path/without/scheme"))), .unsupportedURL),
        ] {
            let outcome = await session.outcome(request)
            #expect(outcome.code == code, "\(request)")
            #expect(outcome.data == nil && outcome.response == nil)
        }
    }

    // MARK: Redirects

    @Test(arguments: SessionKind.allCases, [301, 302, 303, 305, 306, 307, 308])
    func aRedirectChangesTheMethodOrKeepsIt(_ kind: SessionKind, _ status: Int) async throws {
        let server = try TestServer()
        server.respond(to: "/from", ScriptedResponse(status: status, headers: [("Location", "/to")]))
        server.respond(to: "/to") { ScriptedResponse(headers: [("X-Method", $0.method)], body: .text($0.method)) }
        for method in Self.methods {
            let delegate = RecordingDelegate()
            var request = URLRequest(url: server.url("/from"))
            request.httpMethod = method
            let task = kind.make(delegate: delegate).dataTask(with: request)
            task.resume()
            await delegate.isComplete.wait()
            let becomesGET = status == 303 || (status < 303 && method == "POST")
            let response = task.response as? HTTPURLResponse
            #expect(response?.statusCode == 200)
            #expect(response?.value(forHTTPHeaderField: "X-Method") == (becomesGET ? "GET" : method))
            #expect(delegate.events.first == "redirect \(status)")
        }
    }

    @Test("300 and 304 are responses, with or without a place to go to", arguments: SessionKind.allCases, [300, 304])
    func notFollowed(_ kind: SessionKind, _ status: Int) async throws {
        let server = try TestServer()
        server.respondToOthers { _ in
            ScriptedResponse(
                status: status, headers: [("Location", "/to")], body: status == 304 ? .data(Data()) : .text("choose"))
        }
        let outcome = await kind.make().outcome(server.url())
        #expect(outcome.status == status)
        #expect(outcome.text == (status == 304 ? "" : "choose"))
    }

    @Test("A cookie of a redirecting response is sent on", arguments: SessionKind.allCases)
    func cookieOfRedirect(_ kind: SessionKind) async throws {
        let server = try TestServer()
        server.respond(
            to: "/from",
            ScriptedResponse(status: 302, headers: [("Location", "/to"), ("Set-Cookie", "redirect=true; path=/")]))
        server.respond(to: "/to") { .ok($0["Cookie"] ?? "none") }
        #expect(await kind.make().outcome(server.url("/from")).text == "redirect=true")
    }

    // MARK: Responses

    @Test("A status beyond those there are is one; what is no status line is an error", arguments: SessionKind.allCases)
    func statusLines(_ kind: SessionKind) async throws {
        let server = try TestServer()
        server.respond(to: "/999", .script([.send("HTTP/1.1 999 Wrong\r\nA: b\r\n\r\n"), .close]))
        server.respond(to: "/bare", .script([.send("HTTP/1.1\r\n\r\n\r\n"), .close]))
        server.respond(to: "/20", .script([.send("HTTP/1.1 20 Too Few\r\nA: b\r\n\r\n"), .close]))
        server.respond(to: "/2000", .script([.send("HTTP/1.1 2000 Too Many\r\nA: b\r\n\r\n"), .close]))
        let session = kind.make()
        #expect(await session.outcome(server.url("/999")).status == 999)
        for path in ["/bare", "/20", "/2000"] {
            let outcome = await session.outcome(server.url(path))
            #expect(outcome.error != nil && outcome.response == nil && outcome.data == nil, "\(path)")
        }
    }

    @Test("What a server sends after the head for HEAD is nothing", arguments: SessionKind.allCases)
    func head(_ kind: SessionKind) async throws {
        let server = try TestServer()
        server.respondToOthers { _ in
            .script([.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody"), .close])
        }
        let delegate = RecordingDelegate()
        var request = URLRequest(url: server.url())
        request.httpMethod = "HEAD"
        kind.make(delegate: delegate).dataTask(with: request).resume()
        await delegate.isComplete.wait()
        #expect(delegate.events.filter { $0 != "metrics" && !$0.hasPrefix("cache") } == ["response", "complete"])
    }

    @Test("The bytes of a coded download are those of its file")
    func codedDownload() async throws {
        let server = try TestServer()
        let gzip = Data([
            0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 0x03, 0xf3, 0x48, 0xcd, 0xc9, 0xc9, 0xd7, 0x51, 0x08, 0xcf, 0x2f, 0xca,
            0x49, 0x51, 0x04, 0x00, 0xd0, 0xc3, 0x4a, 0xec, 0x0d, 0, 0, 0,
        ])
        server.respondToOthers { _ in
            ScriptedResponse(headers: [("Content-Encoding", "gzip")], body: .data(gzip))
        }
        let delegate = RecordingDelegate()
        OperationURLSession(configuration: .ephemeral, delegate: delegate).downloadTask(with: server.url()).resume()
        await delegate.isComplete.wait()
        #expect(delegate.file == Data("Hello, World!".utf8))
        #expect(delegate.bytesWritten == 13)
    }

    @Test("The delegate of one call is told of response and content, once each, or of what was written", .privateState)
    func contentForTheDelegateOfOneCall() async throws {
        let server = try TestServer()
        server.respondToOthers { .ok("content" + $0.text) }
        for kind in SessionKind.allCases {
            let (common, ofData, ofUpload, ofDownload) = (
                RecordingDelegate(), RecordingDelegate(), RecordingDelegate(), RecordingDelegate()
            )
            let session = kind.make(delegate: common)
            #expect(try await session.data(from: server.url(), delegate: ofData).0 == Data("content".utf8))
            try? await eventually("the content") { ofData.told == ["response", "data"] }
            #expect(ofData.told == ["response", "data"], "\(kind)")
            #expect(ofData.data == Data("content".utf8))
            var request = URLRequest(url: server.url())
            request.httpMethod = "PUT"
            _ = try await session.upload(for: request, from: Data("!".utf8), delegate: ofUpload)
            try? await eventually("the content") { ofUpload.told == ["sent", "response", "data"] }
            #expect(ofUpload.told == ["sent", "response", "data"], "\(kind)")
            #expect(ofUpload.data == Data("content!".utf8))
            let (file, _) = try await session.download(from: server.url(), delegate: ofDownload)
            try FileManager.default.removeItem(at: file)
            try? await eventually("what was written") { ofDownload.told == ["write"] }
            #expect(ofDownload.told == ["write"], "\(kind)")
            #expect(ofDownload.bytesWritten == 7)
            #expect(common.told.isEmpty)
        }
    }

    // MARK: Lives

    @Test("A cancelled task says so in Foundation's word, with its URL", arguments: SessionKind.allCases)
    func cancelled(_ kind: SessionKind) async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .script([.stall]) }
        let session = kind.make(delegate: RecordingDelegate())
        let outcome = await session.outcome(URLRequest(url: server.url("/path"))) { task in
            task.resume()
            session.invalidateAndCancel()
        }
        let error = try #require(outcome.error as? URLError)
        #expect(error.code == .cancelled)
        #expect(error.localizedDescription == "cancelled")
        #expect(error.userInfo[NSURLErrorFailingURLErrorKey] as? URL == server.url("/path"))
        #expect(error.userInfo["NSErrorFailingURLStringKey"] as? String == server.url("/path").absoluteString)
    }

    @Test("After its invalidation a session has no tasks, whatever is done to them")
    func invalidated() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .script([.stall]) }
        let delegate = RecordingDelegate()
        let session = OperationURLSession(configuration: .ephemeral, delegate: delegate)
        let tasks = (0..<3).map { _ in session.dataTask(with: server.url()) }
        tasks[0].resume()
        tasks[1].resume()
        session.invalidateAndCancel()
        #expect(await session.allTasks().isEmpty)
        tasks[2].resume()
        #expect(await session.allTasks().isEmpty)
        await delegate.isInvalid.wait()
        #expect(session.delegate == nil)
    }

    @Test("A copy of a task is the task", arguments: SessionKind.allCases)
    func copies(_ kind: SessionKind) throws {
        let task = kind.make().dataTask(with: try #require(URL(string: "http://127.0.0.1/")))
        #expect(task.isEqual(task.copy()))
    }
}

extension RecordingDelegate {
    /// Without the metrics, which only one of the two has.
    fileprivate var told: [String] { events.filter { $0 != "metrics" } }
}

extension URLSession {
    fileprivate func allTasks() async -> [URLSessionTask] {
        await withCheckedContinuation { continuation in getAllTasks { continuation.resume(returning: $0) } }
    }
}
