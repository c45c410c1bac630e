// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworking
import TestServer
import Testing

/// What objects of the user's protocol classes may tell, beyond a response and its end.
@Suite("Protocol classes", .serialized, .timeLimit(.minutes(1))) struct ProtocolClassTests {
    private func session(_ delegate: RecordingDelegate? = nil) -> OperationURLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Teller.self]
        return OperationURLSession(configuration: configuration, delegate: delegate)
    }

    private func url(_ path: String) throws -> URL { try #require(URL(string: "http://teller.invalid/\(path)")) }

    @Test("A redirect is followed, and the delegate's answer is the next request")
    func redirect() async throws {
        let outcome = await session().outcome(try url("from"))
        #expect(outcome.text == "GET /to" && outcome.response?.url?.path == "/to" && outcome.error == nil)
        #expect(try await session().data(from: url("from")).0 == Data("GET /to".utf8))
        let delegate = RecordingDelegate()
        delegate.redirect = {
            var request = $0
            request.httpMethod = "PUT"
            return request
        }
        let task = session(delegate).dataTask(with: try url("from"))
        task.resume()
        await delegate.isComplete.wait()
        #expect(delegate.data == Data("PUT /to".utf8) && delegate.error == nil)
        #expect(task.originalRequest?.url?.path == "/from" && task.currentRequest?.url?.path == "/to")
        #expect(delegate.events.filter { $0 != "metrics" } == ["redirect 301", "response", "data", "complete"])
    }

    @Test(
        "A redirect that is not followed is the response, unless the object tells another one",
        arguments: ["from", "from-and-content"])
    func refusedRedirect(_ path: String) async throws {
        let delegate = RecordingDelegate()
        delegate.redirect = { _ in nil }
        let outcome = await session(delegate).outcome(try url(path))
        #expect(outcome.status == 301 && outcome.error == nil)
        #expect(outcome.text == (path == "from" ? "" : "moved"))
        #expect(delegate.events.filter { $0 != "metrics" } == ["redirect 301"])
    }

    @Test("A redirect to what no class takes is an error, and so is one without an end")
    func redirectElsewhere() async throws {
        let server = try TestServer()
        var request = URLRequest(url: try url("elsewhere"))
        for target in [server.url("/path").absoluteString, "unknown://host/", "file:///etc/hostname"] {
            request.setValue(target, forHTTPHeaderField: "X-Target")
            #expect(await session().outcome(request).code == .unsupportedURL)
        }
        #expect(server.requests.isEmpty)
        #expect(await session().outcome(try url("loop")).code == .httpTooManyRedirects)
    }

    @Test("Credentials stay in their origin when a class redirects with the request's fields")
    func confinedFields() async throws {
        var request = URLRequest(url: try url("away"))
        request.setValue("Bearer b", forHTTPHeaderField: "Authorization")
        for (target, expected) in [("http://teller.invalid/field", "Bearer b"), ("http://other.invalid/field", "none")]
        {
            request.setValue(target, forHTTPHeaderField: "X-Target")
            #expect(await session().outcome(request).text == expected)
        }
    }

    @Test("A delegate's own answer has the configuration's fields, and a credential only in its origin")
    func configuredAnswer() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Teller.self]
        configuration.httpAdditionalHeaders = ["Authorization": "Bearer c"]
        let delegate = RecordingDelegate()
        delegate.redirect = { $0.url.map { URLRequest(url: $0) } }
        let session = OperationURLSession(configuration: configuration, delegate: delegate)
        var request = URLRequest(url: try url("away"))
        for (target, expected) in [("http://teller.invalid/field", "Bearer c"), ("http://other.invalid/field", "none")]
        {
            request.setValue(target, forHTTPHeaderField: "X-Target")
            #expect(await session.outcome(request).text == expected)
        }
    }

    @Test("A file that is uploaded to a class is read when the task begins; one that is not there is an error")
    func uploadedFile() async throws {
        let folder = try TemporaryDirectory()
        let file = folder.file("content")
        let session = session()
        let request = try {
            var request = URLRequest(url: try url("content"))
            request.httpMethod = "PUT"
            return request
        }()
        let missing = await session.upload(request) {
            session.uploadTask(with: request, fromFile: file, completionHandler: $0)
        }
        #expect(missing.code == .fileDoesNotExist && missing.data == nil)
        let outcome = await session.upload(request) { handler in
            let task = session.uploadTask(with: request, fromFile: file, completionHandler: handler)
            try? Data("content".utf8).write(to: file)
            return task
        }
        #expect(outcome.text == "content")
    }

    @Test("What comes during a suspension is told after it, and once")
    func suspension() async throws {
        for _ in 0..<100 {
            let outcome = await session().outcome(URLRequest(url: try url("slow"))) { task in
                task.resume()
                task.suspend()
                task.resume()
            }
            #expect(outcome.text == "slow")
        }
    }

    @Test("The task of an object is the one that the user has")
    func identity() async throws {
        let session = session()
        let isSame = Notes<Bool>()
        let outcome = await session.outcome(URLRequest(url: try url("task"))) { task in
            Teller.whenStarted.withLock { $0 = { isSame.add($0 === task) } }
            task.resume()
        }
        Teller.whenStarted.withLock { $0 = nil }
        #expect(outcome.error == nil && isSame.all == [true])
    }

    @Test("What an object tells after the end, or after a cancellation, has no effect")
    func late() async throws {
        #expect(await session().outcome(try url("again")).text == "once")
        for _ in 0..<200 {
            let outcome = await session().outcome(URLRequest(url: try url("slow"))) { task in
                task.resume()
                task.cancel()
            }
            #expect(outcome.code == .cancelled || outcome.text == "slow")
            // In the midst of what the object tells.
            let other = await session().outcome(URLRequest(url: try url("slow"))) { task in
                task.resume()
                DispatchQueue.global().async { task.cancel() }
            }
            #expect(other.code == .cancelled || other.text == "slow")
        }
    }

    @Test("With a user name and a password for a 401 the class is asked again")
    func authentication() async throws {
        let delegate = RecordingDelegate()
        delegate.challenge = {
            ($0.previousFailureCount == 0 ? .rejectProtectionSpace : .cancelAuthenticationChallenge, nil)
        }
        #expect(await session(delegate).outcome(try url("private")).status == 401)
        delegate.challenge = { _ in (.useCredential, URLCredential(user: "bob", password: "b", persistence: .none)) }
        let outcome = await session(delegate).outcome(try url("private"))
        #expect(outcome.status == 200 && outcome.text == "Basic Ym9iOmI=")
        #expect(delegate.events.filter { $0 != "metrics" } == ["challenge r 0", "challenge r 0"])
    }

    @Test("A class that asks for a credential is not asked again for what was uploaded from a stream")
    func authenticationOfUpload() async throws {
        let delegate = RecordingDelegate()
        delegate.challenge = { _ in (.useCredential, URLCredential(user: "bob", password: "b", persistence: .none)) }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try Data("content".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        var request = URLRequest(url: try url("private"))
        request.httpMethod = "PUT"
        let session = session(delegate)
        let status = await withCheckedContinuation { continuation in
            session.uploadTask(with: request, fromFile: file) { _, response, _ in
                continuation.resume(returning: (response as? HTTPURLResponse)?.statusCode)
            }.resume()
        }
        #expect(status == 401)
    }

    @Test("Metrics have what classes answered", .privateState)
    func metrics() async throws {
        let delegate = RecordingDelegate()
        session(delegate).dataTask(with: try url("from")).resume()
        await delegate.isComplete.wait()
        let metrics = try #require(delegate.metrics)
        #expect(metrics.transactionMetrics.map { $0.request.url?.path } == ["/from", "/to"])
        #expect(metrics.transactionMetrics.map { ($0.response as? HTTPURLResponse)?.statusCode } == [301, 200])
        #expect(metrics.redirectCount == 1)
        for transaction in metrics.transactionMetrics {
            let start = try #require(transaction.fetchStartDate)
            #expect(transaction.resourceFetchType == .unknown && transaction.connectStartDate == nil)
            #expect(try #require(transaction.responseEndDate) >= start && start >= metrics.taskInterval.start)
        }
    }

    @Test("Objects and sessions go when their tasks are over")
    func lifetime() async throws {
        weak var session: OperationURLSession?
        do {
            let strong = self.session()
            session = strong
            for path in ["to", "from", "again"] { _ = await strong.outcome(try url(path)) }
            _ = await strong.outcome(URLRequest(url: try url("never"))) { task in
                task.resume()
                task.cancel()
            }
        }
        try await eventually("the session goes") { session == nil && Teller.count.withLock { $0 } == 0 }
    }
}

/// Tells what the path says.
private final class Teller: URLProtocol {
    static let whenStarted = Locked<(@Sendable (URLSessionTask?) -> Void)?>(nil)
    static let count = Locked(0)

    required init(request: URLRequest, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?) {
        super.init(request: request, cachedResponse: cachedResponse, client: client)
        Self.count.withLock { $0 += 1 }
    }

    deinit { Self.count.withLock { $0 -= 1 } }

    override class func canInit(with request: URLRequest) -> Bool {
        ["teller.invalid", "other.invalid"].contains(request.url?.host)
    }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func stopLoading() {}

    override func startLoading() {
        if request.url?.path == "/task" { Self.whenStarted.withLock { $0 }?(task) }
        switch request.url?.path {
        case "/never": break
        case "/from": redirect("http://teller.invalid/to")
        case "/from-and-content":
            redirect("http://teller.invalid/to")
            // The answer to the redirect is here before.
            Thread.sleep(forTimeInterval: 0.02)
            respond(301, "moved")
        case "/loop": redirect("http://teller.invalid/loop")
        case "/elsewhere": redirect(request.value(forHTTPHeaderField: "X-Target") ?? "")
        case "/away":
            var next = request
            next.url = request.value(forHTTPHeaderField: "X-Target").flatMap(URL.init(string:))
            guard let response = response(301, [:]) else { return }
            client?.urlProtocol(self, wasRedirectedTo: next, redirectResponse: response)
        case "/field": respond(200, request.value(forHTTPHeaderField: "Authorization") ?? "none")
        case "/content": respond(200, content)
        case "/again":
            respond(200, "once")
            respond(200, "twice")
        case "/slow":
            nonisolated(unsafe) let object = self
            DispatchQueue.global().async {
                for _ in 0..<3 { object.respond(200, "slow") }
            }
        case "/private":
            let field = request.value(forHTTPHeaderField: "Authorization")
            respond(field == nil ? 401 : 200, field ?? "no", ["WWW-Authenticate": "Basic realm=\"r\""])
        default: respond(200, "\(request.httpMethod ?? "") \(request.url?.path ?? "")")
        }
    }

    /// The beginning of what was uploaded.
    private var content: String {
        guard let stream = request.httpBodyStream else { return "none" }
        stream.open()
        defer { stream.close() }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = stream.read(&bytes, maxLength: bytes.count)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    private func response(_ status: Int, _ fields: [String: String]) -> HTTPURLResponse? {
        request.url.flatMap { HTTPURLResponse(url: $0, statusCode: status, httpVersion: nil, headerFields: fields) }
    }

    private func redirect(_ target: String) {
        guard let response = response(301, ["Location": target]), let url = URL(string: target) else { return }
        client?.urlProtocol(self, wasRedirectedTo: URLRequest(url: url), redirectResponse: response)
    }

    private func respond(_ status: Int, _ text: String, _ fields: [String: String] = [:]) {
        guard let response = response(status, fields) else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data(text.utf8))
        client?.urlProtocolDidFinishLoading(self)
    }
}
