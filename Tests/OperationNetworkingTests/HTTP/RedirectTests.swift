// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

@Suite("Redirects", .timeLimit(.minutes(2))) struct RedirectTests {
    let server: TestServer

    init() throws {
        server = try TestServer()
        server.respond(to: "/target", .ok("arrived"))
    }

    struct Rule: Sendable, CustomTestStringConvertible {
        let status: Int
        let method: String
        let changesToGet: Bool
        var testDescription: String { "\(status) \(method)" }
    }

    static let rules: [Rule] = [301, 302, 303, 307, 308].flatMap { status in
        ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"].map { method in
            let changes: Bool
            switch status {
            case 303: changes = method != "GET" && method != "HEAD"
            case 301, 302: changes = method == "POST"
            default: changes = false
            }
            return Rule(status: status, method: method, changesToGet: changes)
        }
    }

    @Test("Each status keeps or changes the method, and content goes with its header fields", arguments: rules)
    func table(rule: Rule) async throws {
        server.respond(to: "/start", .redirect(rule.status, to: "/target"))
        let hasContent = !["GET", "HEAD"].contains(rule.method)
        var headers = ["X-Kept": "yes", "Authorization": "Bearer 1"]
        if hasContent { headers["Content-Type"] = "text/x-test" }
        let operation = HTTPRequestOperation(
            server.url("/start"), method: rule.method, body: hasContent ? Data("body".utf8) : nil, headers: headers)
        let outcome = await operation.outcome()
        #expect(outcome.status == 200)
        #expect(operation.metrics?.redirectCount == 1)
        #expect(operation.response?.url == server.url("/target"))
        #expect(operation.request.url == server.url("/start"), "the request is what the user asked for")
        let request = try #require(server.requests.last)
        #expect(request.method == (rule.changesToGet ? "GET" : rule.method))
        let keepsContent = hasContent && !rule.changesToGet
        #expect(request.text == (keepsContent ? "body" : ""))
        #expect(request["Content-Type"] == (keepsContent ? "text/x-test" : nil))
        #expect(request["Content-Length"] == (keepsContent ? "4" : nil))
        #expect(request["X-Kept"] == "yes" && request["Authorization"] == "Bearer 1")
    }

    @Test("Authorization and Cookie stay within scheme, host and port")
    func confinement() async throws {
        let other = try TestServer()
        let authority = try TestCertificateAuthority()
        let secure = try TestServer(tls: TLSSettings(authority.issueForLocalhost()))
        let byName = try TestServer(addresses: ["127.0.0.1"])
        let targets = [
            (server, server.url("/target"), true), (other, other.url("/target"), false),
            (byName, byName.url("/target", host: "localhost"), false), (secure, secure.url("/target"), false),
        ]
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = [authority.certificate.der]
        for (target, url, keeps) in targets {
            target.respond(to: "/target", .ok("arrived"))
            let start = target === byName ? byName : server
            start.respond(to: "/start", .redirect(to: url.absoluteString))
            let operation = HTTPRequestOperation(
                start.url("/start"), headers: ["Authorization": "Bearer 1", "Cookie": "a=b", "X-Kept": "yes"])
            operation.securityPolicy = policy
            #expect(await operation.outcome().text == "arrived")
            let request = try #require(target.requests.last)
            #expect(request.path == "/target" && request["X-Kept"] == "yes")
            #expect(request["Authorization"] == (keeps ? "Bearer 1" : nil))
            #expect(request["Cookie"]?.contains("a=b") ?? false == keeps)
        }
    }

    @Test("Once dropped, Authorization does not come back with a redirect to the first origin")
    func thereAndBack() async throws {
        let other = try TestServer()
        server.respond(to: "/start", .redirect(to: other.url("/middle").absoluteString))
        other.respond(to: "/middle", .redirect(to: server.url("/target").absoluteString))
        let operation = HTTPRequestOperation(server.url("/start"), headers: ["Authorization": "Bearer 1"])
        #expect(await operation.outcome().text == "arrived")
        #expect(server.requests.last?["Authorization"] == nil)
    }

    @Test(
        "A Location is resolved against the present URL",
        arguments: [
            ("/target", "/target"), ("target", "/target"), ("../target", "/target"), ("//HOST/target", "/target"),
            ("?a=b", "/dir/start?a=b"), ("/target?x=%20y", "/target?x=%20y"), ("/tar get", "/tar%20get"),
            ("/ümlaut", "/%C3%BCmlaut"),
        ])
    func locations(location: String, target: String) async {
        let path = location == "target" ? "/start" : "/dir/start"
        server.respond(to: path) { request in
            request.query == nil
                ? .redirect(to: location.replacingOccurrences(of: "HOST", with: request["Host"] ?? "")) : .ok("arrived")
        }
        for path in ["/tar%20get", "/%C3%BCmlaut"] { server.respond(to: path, .ok("arrived")) }
        let outcome = await HTTPRequestOperation(server.url(path)).outcome()
        #expect(outcome.text == "arrived")
        #expect(server.requests.last?.target == target)
    }

    @Test("A fragment is not sent, and is inherited unless the Location has its own")
    func fragments() async {
        server.respond(to: "/plain", .redirect(to: "/target"))
        server.respond(to: "/own", .redirect(to: "/target#own"))
        for (path, fragment) in [("/plain", "first"), ("/own", "own")] {
            let operation = HTTPRequestOperation(server.url(path + "#first"))
            #expect(await operation.outcome().text == "arrived")
            #expect(operation.response?.url?.fragment == fragment)
        }
        #expect(server.requests.map(\.target) == ["/plain", "/target", "/own", "/target"])
    }

    @Test("A redirect to where nobody answers fails there, and is followed once")
    func deadTarget() async throws {
        let dead = try RefusedPort()
        server.respond(to: "/dead", .redirect(to: dead.urlString))
        let error = await HTTPRequestOperation(server.url("/dead")).outcome().urlError
        #expect(error?.code == .cannotConnectToHost)
        #expect(error?.userInfo[NSURLErrorFailingURLErrorKey] as? URL == URL(string: dead.urlString))
        #expect(server.requests.count == 1)
    }

    @Test("A loop ends after 20 redirects")
    func loop() async throws {
        server.respond(to: "/loop", .redirect(to: "/loop"))
        let error = try #require(await HTTPRequestOperation(server.url("/loop")).outcome().urlError)
        #expect(error.code == .httpTooManyRedirects)
        #expect(error.userInfo[NSURLErrorFailingURLErrorKey] as? URL == server.url("/loop"))
        #expect(server.requests.count == 21)
    }

    @Test(
        "A Location with another scheme is not followed",
        arguments: ["ftp://127.0.0.1/x", "file:///etc/passwd", "gopher://127.0.0.1:1/", "javascript:alert(1)"])
    func unsupportedScheme(location: String) async throws {
        server.respond(to: "/start", .redirect(to: location))
        let outcome = await HTTPRequestOperation(server.url("/start")).outcome()
        #expect(outcome.urlError?.code == .unsupportedURL)
    }

    @Test(
        "Without a Location that is a URL, the redirecting response is the result", arguments: [nil, "", "http://[x"])
    func noLocation(location: String?) async {
        server.respond(
            to: "/start",
            ScriptedResponse(status: 302, headers: location.map { [("Location", $0)] } ?? [], body: .text("body")))
        let outcome = await HTTPRequestOperation(server.url("/start")).outcome()
        #expect(outcome.status == 302 && outcome.text == "body")
        #expect((outcome.error as? ResponseSerializationError)?.code == .badServerResponse)
    }

    @Test("300, 304, 305 and 306 are not followed", arguments: [300, 304, 305, 306])
    func notRedirects(status: Int) async {
        server.respond(to: "/start", .redirect(status, to: "/target"))
        #expect(await HTTPRequestOperation(server.url("/start")).outcome().status == status)
        #expect(server.requests.count == 1)
    }

    @Test("A redirect is followed whatever becomes of its content, with a block, too", arguments: [false, true])
    func contentOfRedirect(hasBlock: Bool) async {
        server.respond(
            to: "/long", ScriptedResponse.redirect(to: "/target").with { $0.body = .pattern(count: 2 << 20) })
        server.respond(
            to: "/cut",
            ScriptedResponse.redirect(to: "/target").with { $0.body = .text("cut off") }
                .ending(.reset, afterBodyBytes: 3))
        for path in ["/long", "/cut"] {
            let operation = HTTPRequestOperation(server.url(path))
            operation.maximumResponseBodySize = 1000
            if hasBlock { operation.setRedirectResponseBlock { _, request, _ in request } }
            #expect(await operation.outcome().text == "arrived", "\(path)")
        }
        #expect(server.requests.map(\.path) == ["/long", "/target", "/cut", "/target"])
    }

    @Test("With a block the content of a redirect is waited for until the time-out, and the redirect followed then")
    func silentContentOfRedirect() async {
        server.respond(
            to: "/silent",
            ScriptedResponse.redirect(to: "/target").with { $0.body = .pattern(count: 1000) }
                .ending(.stall, afterBodyBytes: 3))
        let operation = HTTPRequestOperation(server.url("/silent"), timeout: 1 * Patience.factor)
        operation.setRedirectResponseBlock { _, request, _ in request }
        #expect(await operation.outcome().text == "arrived")
        #expect(server.requests.map(\.path) == ["/silent", "/target"])
    }

    @Test("Nil for a redirect whose content is not whole makes what became of that the error")
    func stoppingWithoutContent() async {
        let content = ScriptedResponse.redirect(to: "/target").with { $0.body = .pattern(count: 2000) }
        server.respond(to: "/long", content)
        server.respond(to: "/cut", content.ending(.closeUnannounced, afterBodyBytes: 3))
        let codes: [(String, URLError.Code)] = [
            ("/long", .dataLengthExceedsMaximum), ("/cut", .networkConnectionLost),
        ]
        for (path, code) in codes {
            let operation = HTTPRequestOperation(server.url(path))
            operation.maximumResponseBodySize = 1000
            let asked = Journal<Int>()
            operation.setRedirectResponseBlock { _, request, response in
                guard let response else { return request }
                asked.append(response.statusCode)
                return nil
            }
            #expect(await operation.outcome().urlError?.code == code, "\(path)")
            #expect(asked.all == [302], "\(path)")
        }
        #expect(server.requests.map(\.path) == ["/long", "/cut"])
    }

    @Test("The content of a redirect is waited for a second at most")
    func slowContentOfRedirect() async throws {
        let slow = ScriptedResponse.redirect(to: "/target").with { $0.body = .pattern(count: 1000) }
        server.respond(to: "/slow", slow.dripping(1, every: 0.2))
        server.respond(to: "/silent", slow.ending(.stall, afterBodyBytes: 3))
        for path in ["/slow", "/silent"] {
            let begin = ContinuousClock.now
            let outcome = await HTTPRequestOperation(server.url(path), timeout: 60).outcome()
            #expect(outcome.text == "arrived", "\(path)")
            #expect(ContinuousClock.now - begin < .seconds(10 * Patience.factor))
        }
    }

    // MARK: The redirect block

    @Test("The block sees the first request without a response and each redirect with one, and what it returns is sent")
    func editing() async throws {
        server.respond(to: "/edited", .redirect(to: "/elsewhere"))
        let seen = Journal<String>()
        let operation = HTTPRequestOperation(server.url("/start"))
        operation.setRedirectResponseBlock { _, request, response in
            seen.append("\(request.url?.path ?? "") \(response?.statusCode ?? 0)")
            var edited = request
            edited.url = request.url.flatMap { URL(string: response == nil ? "/edited" : "/target", relativeTo: $0) }
            edited.setValue("\(response?.statusCode ?? 0)", forHTTPHeaderField: "X-Seen")
            return edited
        }
        let outcome = await operation.outcome()
        #expect(outcome.text == "arrived")
        #expect(seen.all == ["/start 0", "/elsewhere 302"])
        #expect(server.requests.map(\.target) == ["/edited", "/target"])
        #expect(server.requests.map { $0["X-Seen"] } == ["0", "302"])
    }

    @Test("Nil for a redirect makes the redirecting response with its content the result")
    func stopping() async {
        server.respond(
            to: "/start", ScriptedResponse.redirect(307, to: "/target").with { $0.body = .text("look there") })
        let operation = HTTPRequestOperation(server.url("/start"))
        operation.setRedirectResponseBlock { _, request, response in response == nil ? request : nil }
        let outcome = await operation.outcome()
        #expect(outcome.status == 307 && outcome.text == "look there")
        #expect(operation.response?.value(forHTTPHeaderField: "Location") == "/target")
        #expect(server.requests.count == 1)
    }

    @Test("Nil for the first request cancels the operation")
    func refusing() async {
        let operation = HTTPRequestOperation(server.url("/start"))
        operation.setRedirectResponseBlock { _, _, _ in nil }
        #expect(await operation.outcome().urlError?.code == .cancelled)
        #expect(server.requests.isEmpty)
    }

    @Test("A block that takes its time holds up nobody else, and cancelling meanwhile ends the operation")
    func slowBlock() async throws {
        server.respond(to: "/start", .redirect(to: "/target"))
        let gate = Gate()
        let asked = Gate()
        let operation = HTTPRequestOperation(server.url("/start"))
        operation.setRedirectResponseBlock { _, request, response in
            if response != nil {
                asked.open()
                _ = gate.wait(timeout: 30)
            }
            return request
        }
        async let outcome = operation.outcome()
        await asked.wait()
        #expect(await HTTPRequestOperation(server.url("/target")).outcome().text == "arrived")
        operation.cancel()
        #expect(await outcome.urlError?.code == .cancelled)
        gate.open()
        #expect(server.requests.count == 2)
    }

    // MARK: Content that is sent again

    @Test("A multipart form is sent again after 307")
    func multipartReplay() async throws {
        server.respond(to: "/start", .redirect(307, to: "/target"))
        let manager = HTTPRequestOperationManager.offMain(server.url("/"))
        manager.responseSerializer = HTTPResponseSerializer()
        let outcome = await manager.outcome { success, failure in
            manager.post(
                "start", parameters: ["a": "b"],
                constructingBodyWith: {
                    $0.appendPart(withFileData: Data("file".utf8), name: "f", fileName: "f.txt", mimeType: "text/plain")
                }, success: success, failure: failure)
        }
        #expect(outcome.text == "arrived")
        let bodies = server.requests.map(\.text)
        #expect(bodies.count == 2 && bodies[0] == bodies[1] && bodies[0].contains("filename=\"f.txt\""))
    }

    @Test("A stream that the block sets in place of the one that was read is what the target gets")
    func replacedStream() async {
        server.respond(to: "/start", .redirect(307, to: "/target"))
        let operation = HTTPRequestOperation(server.url("/start"), method: "PUT")
        operation.inputStream = InputStream(data: Data("first".utf8))
        operation.setRedirectResponseBlock { _, request, response in
            guard response != nil else { return request }
            var request = request
            request.httpBodyStream = InputStream(data: Data("second".utf8))
            return request
        }
        #expect(await operation.outcome().text == "arrived")
        #expect(server.requests.map(\.text) == ["first", "second"])
    }

    @Test("What the block makes of the first request is not given to it again: by retries, resumes and copies")
    func editsOnce() async throws {
        let count = Tally()
        server.respond(to: "/x") { _ in count.increment() == 1 ? .status(503) : .ok("arrived") }
        let operation = HTTPRequestOperation.make(server.url("/x?a=b"))
        operation.retryPolicy = RetryPolicy(backoff: .constant(0.01))
        operation.setRedirectResponseBlock { _, request, response in
            guard response == nil, let url = request.url else { return request }
            var request = request
            request.url = URL(string: url.absoluteString + "&sig=1")
            request.addValue("1", forHTTPHeaderField: "X-Signed")
            return request
        }
        await operation.run()
        let copy = try #require(operation.copy() as? HTTPRequestOperation)
        await copy.run()
        #expect(copy.responseString == "arrived" && operation.retryCount == 1)
        #expect(server.requests.map(\.query) == Array(repeating: "a=b&sig=1", count: 3))
        #expect(server.requests.map { $0["X-Signed"] } == Array(repeating: "1", count: 3))
    }

    @Test("A stream that was read is not sent again by a retry, though a redirect brought another one")
    func replacedStreamIsLost() async {
        server.respond(to: "/start", .redirect(307, to: "/lost"))
        server.respond(to: "/lost", .script([.reset]))
        let operation = HTTPRequestOperation(server.url("/start"), method: "PUT")
        operation.inputStream = InputStream(data: Data("first".utf8))
        operation.retryPolicy = RetryPolicy(backoff: .constant(0.01))
        operation.setRedirectResponseBlock { _, request, response in
            guard response != nil else { return request }
            var request = request
            request.httpBodyStream = InputStream(data: Data("second".utf8))
            return request
        }
        #expect(await operation.outcome().urlError?.code == .networkConnectionLost)
        #expect(server.requests.map(\.path) == ["/start", "/lost"] && operation.retryCount == 0)
    }

    @Test("A plain stream cannot be sent again: 307 ends with an error that says so, 303 does not need it")
    func streamReplay() async throws {
        for (status, succeeds) in [(307, false), (303, true)] {
            server.respond(to: "/start", .redirect(status, to: "/target"))
            let operation = HTTPRequestOperation(server.url("/start"), method: "POST")
            operation.inputStream = InputStream(data: Data("once".utf8))
            let outcome = await operation.outcome()
            if succeeds {
                #expect(outcome.text == "arrived")
            } else {
                let error = try #require(outcome.urlError)
                #expect(error.code == .requestBodyStreamExhausted)
                #expect(error.localizedDescription.contains("read only once"))
            }
        }
    }
}
