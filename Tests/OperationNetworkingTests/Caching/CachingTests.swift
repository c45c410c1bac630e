// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingTransport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("Operations and the cache", .timeLimit(.minutes(2))) struct CachingTests {
    private let server: TestServer
    private let manager: HTTPRequestOperationManager
    private let cache = URLCache(memoryCapacity: 8 << 20, diskCapacity: 0, diskPath: nil)

    init() throws {
        server = try TestServer()
        manager = .offMain(nil)
        manager.urlCache = cache
        manager.responseSerializer = HTTPResponseSerializer()
        server.respondToOthers { _ in Self.storable("content") }
    }

    private static func storable(_ text: String, _ control: String = "max-age=3600") -> ScriptedResponse {
        .ok(text).adding(header: "Cache-Control", control).adding(header: "ETag", "\"\(text)\"")
    }

    private func request(_ path: String = "/a", _ policy: URLRequest.CachePolicy = .useProtocolCachePolicy)
        -> URLRequest
    {
        URLRequest(url: server.url(path), cachePolicy: policy)
    }

    private func send(
        _ request: URLRequest, _ change: (HTTPRequestOperation) -> Void = { _ in }
    ) async -> HTTPRequestOperation {
        let operation = manager.httpRequestOperation(with: request)
        change(operation)
        _ = await operation.outcome()
        return operation
    }

    // MARK: Whose response it is

    @Test("Vary: Cookie compares with what was sent, not with what the response has set")
    func sentCookies() async throws {
        manager.cookieStorage = try HTTPCookieStorage.inMemory()
        server.respondToOthers { request in
            let user = request["Cookie"]?.contains("alice") == true ? "alice" : "nobody"
            return Self.storable(user).adding(header: "Vary", "Cookie").adding(
                header: "Set-Cookie", user == "alice" ? "sid=; Max-Age=0" : "sid=alice")
        }
        #expect(await send(request()).responseString == "nobody")
        // With the cookie that came.
        #expect(await send(request()).responseString == "alice")
        // Without it, since it is gone.
        #expect(await send(request()).responseString == "nobody")
    }

    @Test("What came from another address is no answer")
    func routes() async throws {
        let url = try #require(URL(string: "http://a.test:\(server.port)/"))
        manager.hostOverrides = ["a.test": "127.0.0.1"]
        #expect(await send(URLRequest(url: url)).responseString == "content")
        #expect(await send(URLRequest(url: url)).metrics?.cacheOutcome == .hit)
        manager.hostOverrides = ["a.test": "127.0.0.2"]
        #expect(await send(URLRequest(url: url)).error != nil)
    }

    // MARK: Outcomes and policies

    @Test("Miss, hit and validation, as metrics tell; nothing without a cache")
    func outcomes() async {
        let first = await send(request())
        #expect(first.metrics?.cacheOutcome == .miss)
        let second = await send(request())
        #expect(second.metrics?.cacheOutcome == .hit)
        #expect(second.responseString == "content")
        #expect(second.response?.url == server.url("/a"))
        #expect(second.response?.value(forHTTPHeaderField: "ETag") == "\"content\"")
        #expect(second.metrics?.bytesReceived == 0)
        #expect(server.requests.count == 1)
        manager.urlCache = nil
        let third = await send(request())
        #expect(third.metrics?.cacheOutcome == CacheOutcome.none)
        #expect(server.requests.count == 2)
        #expect(manager.urlCache == nil)
    }

    @Test("Policies that load do so, and what they load is stored")
    func reload() async {
        _ = await send(request())
        server.respondToOthers { _ in Self.storable("newer") }
        #expect(await send(request("/a", .reloadIgnoringLocalCacheData)).responseString == "newer")
        #expect(await send(request()).responseString == "newer")
        #expect(server.requests.last?["Cache-Control"] == nil)
        server.respondToOthers { _ in Self.storable("newest") }
        #expect(await send(request("/a", .reloadIgnoringLocalAndRemoteCacheData)).responseString == "newest")
        #expect(server.requests.last?["Cache-Control"] == "no-cache")
        #expect(server.requests.last?["Pragma"] == "no-cache")
        let revalidated = await send(request("/a", .reloadRevalidatingCacheData))
        #expect(server.requests.last?["If-None-Match"] == "\"newest\"")
        #expect(revalidated.responseString == "newest")
    }

    @Test("What says nothing of caches is stored for who takes whatever is there")
    func cacheFirstWithoutFields() async {
        server.respondToOthers { _ in .ok("plain") }
        #expect(await send(request("/c")).responseString == "plain")
        #expect(await send(request("/c", .returnCacheDataDontLoad)).errorCode == NSURLErrorResourceUnavailable)
        for outcome in [CacheOutcome.miss, .hit] {
            let operation = await send(request("/c", .returnCacheDataElseLoad))
            #expect(operation.responseString == "plain" && operation.metrics?.cacheOutcome == outcome)
        }
        #expect(await send(request("/c", .returnCacheDataDontLoad)).responseString == "plain")
        #expect(await send(request("/c")).metrics?.cacheOutcome == .miss)
        server.respondToOthers { _ in .ok("secret").adding(header: "Cache-Control", "no-store") }
        #expect(await send(request("/d", .returnCacheDataElseLoad)).responseString == "secret")
        #expect(await send(request("/d", .returnCacheDataDontLoad)).errorCode == NSURLErrorResourceUnavailable)
    }

    @Test("Policies that prefer the cache take what is there, however old; without the network −1008")
    func cacheFirst() async {
        let missing = await send(request("/a", .returnCacheDataDontLoad))
        #expect(missing.errorCode == NSURLErrorResourceUnavailable)
        #expect(server.requests.isEmpty)
        server.respondToOthers { _ in Self.storable("old", "max-age=0, must-revalidate") }
        #expect(await send(request("/a", .returnCacheDataElseLoad)).responseString == "old")
        #expect(await send(request("/a", .returnCacheDataElseLoad)).metrics?.cacheOutcome == .hit)
        #expect(await send(request("/a", .returnCacheDataDontLoad)).responseString == "old")
        #expect(server.requests.count == 1)
        var only = request("/b")
        only.setValue("only-if-cached", forHTTPHeaderField: "Cache-Control")
        #expect(await send(only).errorCode == NSURLErrorResourceUnavailable)
        manager.urlCache = nil
        #expect(await send(request("/a", .returnCacheDataDontLoad)).errorCode == NSURLErrorResourceUnavailable)
    }

    // MARK: Where content goes

    @Test("A hit goes to a file, at once and whole, to a stream, and to a serializer")
    func places() async throws {
        let text = String(repeating: "0123456789", count: 30_000)
        server.respondToOthers { _ in Self.storable(text, "max-age=60").removingTag }
        _ = await send(request())
        let directory = try TemporaryDirectory()
        let file = await send(request()) {
            $0.downloadDestination = DownloadDestination(fileURL: directory.file("a"))
        }
        #expect(file.error == nil)
        #expect(try String(contentsOf: directory.file("a"), encoding: .utf8) == text)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["a"])
        let stream = OutputStream.toMemory()
        let streamed = await send(request()) { $0.outputStream = stream }
        #expect(streamed.metrics?.cacheOutcome == .hit)
        #expect((stream.property(forKey: .dataWrittenToMemoryStreamKey) as? Data)?.count == text.utf8.count)
        #expect(server.requests.count == 1)
    }

    @Test(
        "A hit that is paused halfway goes on from the cache, whether it may ask the server or not",
        arguments: [false, true])
    func pausedHalfway(mayAsk: Bool) async throws {
        manager.urlCache = URLCache(memoryCapacity: 128 << 20, diskCapacity: 0, diskPath: nil)
        let content = Data.random(6_000_000)
        server.respondToOthers { _ in
            ScriptedResponse(body: .data(content)).adding(header: "Cache-Control", "max-age=60")
                .adding(header: "ETag", "\"a\"")
        }
        _ = await send(request())
        server.respondToOthers { _ in .status(503) }
        let operation = manager.httpRequestOperation(
            with: request("/a", mayAsk ? .returnCacheDataElseLoad : .returnCacheDataDontLoad))
        var received = Data()
        var isPaused = false
        for try await chunk in operation.chunks {
            received += chunk
            guard !isPaused else { continue }
            isPaused = true
            operation.pause()
            #expect(operation.isPaused)
            operation.resume()
        }
        #expect(isPaused && received == content)
        #expect(operation.metrics?.cacheOutcome == .hit && server.requests.count == 1)
    }

    @Test("A hit that does not fit into the limit of an operation ends it as a response would")
    func limit() async {
        _ = await send(request())
        let limited = await send(request()) { $0.maximumResponseBodySize = 3 }
        #expect(limited.errorCode == NSURLErrorDataLengthExceedsMaximum)
    }

    @Test("Coded content is stored decoded, and not given to those who decode for themselves")
    func codings() async throws {
        let zipped = try #require(Data(base64Encoded: "H4sIAAAAAAACA0vOzytJzSsBAKkwxf4HAAAA"))
        server.respondToOthers { _ in
            ScriptedResponse(
                headers: [("Cache-Control", "max-age=60"), ("Content-Encoding", "gzip")], body: .data(zipped))
        }
        let first = await send(request())
        let hit = await send(request())
        #expect(hit.metrics?.cacheOutcome == .hit)
        #expect(first.responseString == "content" && hit.responseString == "content")
        var own = request()
        own.setValue("gzip", forHTTPHeaderField: "Accept-Encoding")
        let raw = await send(own)
        #expect(raw.metrics?.cacheOutcome == .miss)
        #expect(raw.responseData == zipped)
        #expect(await send(request()).responseData == first.responseData)
    }

    // MARK: What is kept apart

    @Test("Users, with and without Authorization, do not get each other's answers")
    func users() async {
        server.respondToOthers { Self.storable($0["Authorization"] ?? "nobody") }
        for user in [nil, "Basic YTph", "Basic Yjpi", nil, "Basic YTph"] {
            var request = request()
            request.setValue(user, forHTTPHeaderField: "Authorization")
            #expect(await send(request).responseString == user ?? "nobody")
        }
        #expect(server.requests.count == 3)
    }

    @Test("What answered a challenge is not given to those without the credential")
    func challenge() async {
        server.respondToOthers { request in
            request["Authorization"] == nil
                ? ScriptedResponse(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")])
                : Self.storable("secret")
        }
        let known = await send(request()) {
            $0.credential = URLCredential(user: "a", password: "b", persistence: .none)
        }
        #expect(known.responseString == "secret")
        #expect(await send(request()).response?.statusCode == 401)
    }

    @Test("What came under one policy of trust is no answer under another")
    func trust() async throws {
        let authority = try TestCertificateAuthority(name: "Cache Root")
        let secure = try TestServer(tls: TLSSettings(try authority.issueForLocalhost()))
        secure.respondToOthers { _ in Self.storable("secure") }
        func send(_ policy: SecurityPolicy) async -> HTTPRequestOperation {
            await self.send(URLRequest(url: secure.url("/a"))) { $0.securityPolicy = policy }
        }
        let lax = SecurityPolicy.default()
        lax.allowInvalidCertificates = true
        lax.validatesDomainName = false
        #expect(await send(lax).responseString == "secure")
        #expect(await send(lax).metrics?.cacheOutcome == .hit)
        #expect(await send(.default()).error != nil)
        let pinned = SecurityPolicy(
            pinningMode: .certificate, pinnedCertificates: [try TestCertificateAuthority().certificate.der])
        #expect(await send(pinned).error != nil)
        let subclass = AskedPolicy(pinningMode: .none)
        subclass.anchorCertificates = [authority.certificate.der]
        #expect(await send(subclass).metrics?.cacheOutcome != .hit)
        #expect(await send(subclass).metrics?.cacheOutcome != .hit)
    }

    private final class AskedPolicy: SecurityPolicy, @unchecked Sendable {}

    // MARK: What passes the cache by

    @Test("Ranges, conditions and content of the request's own go to the server, and so does HEAD")
    func bypass() async {
        _ = await send(request())
        for (name, value) in [("Range", "bytes=0-1"), ("If-None-Match", "\"x\""), ("If-Modified-Since", "x")] {
            var request = request()
            request.setValue(value, forHTTPHeaderField: name)
            #expect(await send(request).metrics?.cacheOutcome == CacheOutcome.none)
        }
        var head = request()
        head.httpMethod = "HEAD"
        #expect(await send(head).metrics?.cacheOutcome == CacheOutcome.none)
        var body = request()
        body.httpBody = Data("x".utf8)
        #expect(await send(body).metrics?.cacheOutcome == CacheOutcome.none)
        #expect(server.requests.count == 6)
    }

    @Test("Content to files and streams, or larger than a twentieth of the cache, is not stored")
    func notStored() async throws {
        let directory = try TemporaryDirectory()
        _ = await send(request("/file")) { $0.downloadDestination = DownloadDestination(fileURL: directory.file("a")) }
        #expect(await send(request("/file")).metrics?.cacheOutcome == .miss)
        server.respondToOthers { _ in
            ScriptedResponse(headers: [("Cache-Control", "max-age=60")], body: .pattern(count: 1 << 20))
        }
        _ = await send(request("/large"))
        #expect(await send(request("/large")).metrics?.cacheOutcome == .miss)
    }

    @Test("Each request of a chain of redirects asks the cache; the redirects themselves are not kept")
    func redirects() async {
        server.respond(to: "/r", .redirect(301, to: "/a"))
        _ = await send(request("/r"))
        let second = await send(request("/r"))
        #expect(second.responseString == "content")
        #expect(second.metrics?.cacheOutcome == .hit)
        #expect(second.metrics?.redirectCount == 1)
        #expect(server.requests.map(\.target) == ["/r", "/a", "/r"])
    }

    // MARK: Errors and stale responses

    @Test("A stale response is served at once, and replaced in the background, once")
    func staleWhileRevalidate() async throws {
        server.respondToOthers { _ in Self.storable("old", "max-age=1, stale-while-revalidate=600") }
        _ = await send(request())
        cache.letPass(100, for: request())
        let gate = Gate()
        server.respondToOthers { _ in Self.storable("new").holding(gate) }
        for _ in 0..<3 {
            let stale = await send(request())
            #expect(stale.responseString == "old")
            #expect(stale.metrics?.cacheOutcome == .hit)
        }
        gate.open()
        try await eventually("the new one") {
            await send(request("/a", .returnCacheDataElseLoad)).responseString == "new"
        }
        #expect(server.requests.count == 2)
    }

    @Test("A server that answers 503 has its stale response, where that is allowed")
    func staleIfError() async {
        server.respondToOthers { _ in Self.storable("old", "max-age=1, stale-if-error=600") }
        _ = await send(request())
        cache.letPass(100, for: request())
        server.respondToOthers { _ in .status(503) }
        let stale = await send(request())
        #expect(stale.error == nil)
        #expect(stale.responseString == "old")
        cache.letPass(1000, for: request())
        #expect(await send(request()).response?.statusCode == 503)
    }

    @Test("A 304 about another representation brings the request without its condition")
    func foreignConfirmation() async {
        server.respondToOthers { _ in Self.storable("old", "max-age=0") }
        _ = await send(request())
        server.respondToOthers { request in
            request["If-None-Match"] == nil
                ? Self.storable("new") : ScriptedResponse(status: 304, headers: [("ETag", "\"another\"")])
        }
        let operation = await send(request())
        #expect(operation.responseString == "new")
        #expect(operation.metrics?.cacheOutcome == .miss)
    }

    // MARK: The block

    @Test("The block decides: nil is not stored, another answer is stored as it is, no-store is not asked about")
    func block() async throws {
        let asked = Journal<String>()
        func ask(_ path: String, _ answer: @escaping @Sendable (CachedURLResponse) -> CachedURLResponse?) async {
            _ = await send(request(path)) {
                $0.setCacheResponseBlock { operation, cached in
                    asked.append(operation.request.url?.path ?? "")
                    return answer(cached)
                }
            }
        }
        await ask("/nil") { _ in nil }
        #expect(await send(request("/nil")).metrics?.cacheOutcome == .miss)
        server.respondToOthers { _ in .ok("plain") }
        await ask("/forced") { cached in
            (cached.response.url.flatMap {
                HTTPURLResponse(
                    url: $0, statusCode: 200, httpVersion: nil,
                    headerFields: ["Cache-Control": "max-age=60", "X": "mine"])
            }).map { CachedURLResponse(response: $0, data: Data("changed".utf8)) }
        }
        let forced = await send(request("/forced"))
        #expect(forced.responseString == "changed")
        #expect(forced.response?.value(forHTTPHeaderField: "X") == "mine")
        await ResponseCache.of(cache).settle()
        #expect(cache.cachedResponse(for: request("/forced"))?.data == Data("changed".utf8))
        server.respondToOthers { _ in Self.storable("x", "no-store") }
        await ask("/no-store") { $0 }
        #expect(asked.all == ["/nil", "/forced"])
    }

    @Test("A pause and a cancel while the cache is asked and answers")
    func stops() async throws {
        _ = await send(request())
        for round in 0..<100 {
            let operation = manager.httpRequestOperation(with: request())
            let endings = Endings(operation)
            operation.start()
            if round.isMultiple(of: 2) {
                operation.pause()
                operation.resume()
            } else {
                operation.cancel()
            }
            await endings.reached()
            #expect(endings.completions.value == 1)
            let text = operation.responseString
            #expect(operation.isCancelledError || text == "content")
        }
    }
}

extension ScriptedResponse {
    fileprivate func holding(_ gate: Gate) -> ScriptedResponse {
        var response = self
        response.inserted[.beforeHead] = [.gate(gate)]
        return response
    }

    fileprivate var removingTag: ScriptedResponse {
        var response = self
        response.headers.removeAll { $0.name == "ETag" }
        return response
    }
}
