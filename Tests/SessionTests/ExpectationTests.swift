// SPDX-License-Identifier: MIT
import Dispatch
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
@testable import OperationNetworkingSessions

/// More of what programs written for Foundation's sessions rely on, beside `FoundationParityTests`.
@Suite("As documented for Foundation's sessions", .timeLimit(.minutes(1))) struct ExpectationTests {
    // MARK: Lives

    @Test("An invalidated session lets go of its delegate, even one that keeps the session")
    func delegateGoes() async throws {
        final class Keeper: NSObject, URLSessionDelegate, Sendable {
            let session = Locked<URLSession?>(nil)
            let isInvalid: Gate
            init(_ isInvalid: Gate) { self.isInvalid = isInvalid }
            func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { isInvalid.open() }
        }
        let isInvalid = Gate()
        weak var keeper: Keeper?
        weak var session: URLSession?
        do {
            let made = Keeper(isInvalid)
            let kept = OperationURLSession(configuration: .ephemeral, delegate: made)
            made.session.withLock { $0 = kept }
            (keeper, session) = (made, kept)
            kept.invalidateAndCancel()
        }
        await isInvalid.wait()
        try await eventually("both go") { keeper == nil && session == nil }
    }

    @Test("What is done to a session's configuration does not change the session's", arguments: SessionKind.allCases)
    func configuration(_ kind: SessionKind) {
        let given = URLSessionConfiguration.ephemeral
        given.httpAdditionalHeaders = ["A": "b"]
        let session = kind.make(given)
        given.httpAdditionalHeaders = nil
        #expect(session.configuration.httpAdditionalHeaders?["A"] as? String == "b")
        guard kind == .operations else { return }
        session.configuration.httpAdditionalHeaders = nil
        #expect(session.configuration.httpAdditionalHeaders?["A"] as? String == "b")
    }

    @Test("Metrics come before the end of a task, however it ends")
    func metrics() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .script([.stall]) }
        let urls = [server.url(), try #require(URL(string: "unknown://host/")), URL(fileURLWithPath: "/nowhere/file")]
        for url in urls {
            for isResumed in [true, false] {
                let delegate = RecordingDelegate()
                let session = OperationURLSession(configuration: .ephemeral, delegate: delegate)
                let task = session.dataTask(with: url)
                if isResumed { task.resume() }
                task.cancel()
                await delegate.isComplete.wait()
                #expect(delegate.events == ["metrics", "error"], "\(url) \(isResumed)")
                #expect(delegate.metrics != nil && task.state == .completed && task.error != nil)
            }
        }
    }

    @Test("A delegate that knows of the session only is asked about a server that is not trusted")
    func sessionDelegate() async throws {
        final class Delegate: NSObject, URLSessionDelegate, Sendable {
            let methods = Notes<String>()
            func urlSession(
                _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
                completionHandler: @Sendable @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
            ) {
                methods.add(challenge.protectionSpace.authenticationMethod)
                completionHandler(.performDefaultHandling, nil)
            }
        }
        let server = try TestServer(tls: TLSSettings(try TestCertificateAuthority().issueForLocalhost()))
        server.respondToOthers { _ in .ok() }
        let delegate = Delegate()
        let session = OperationURLSession(configuration: .ephemeral, delegate: delegate)
        #expect(await session.outcome(server.url()).error != nil)
        #expect(delegate.methods.all == [ServerTrustProtectionSpace.serverTrustMethod])
    }

    // MARK: Requests

    @Test("A URL with a port that is none is a bad URL", arguments: SessionKind.allCases)
    func badPort(_ kind: SessionKind) async throws {
        guard let url = URL(string: "http://127.0.0.1:-1/path") else { return }
        let session = kind.make()
        let outcome = await session.outcome(url)
        #expect(outcome.code == .badURL && outcome.data == nil && outcome.response == nil)
    }

    @Test("Names of header fields go out as they were given", arguments: SessionKind.allCases)
    func spelling(_ kind: SessionKind) async throws {
        let server = try TestServer()
        server.respondToOthers { .ok($0.headers.map { "\($0.name): \($0.value)" }.joined(separator: ",")) }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["fromSession": "s", "both": "s"]
        var request = URLRequest(url: server.url())
        request.allHTTPHeaderFields = ["fromRequest": "r", "Both": "r"]
        let text = try #require(await kind.make(configuration).outcome(request).text)
        for line in ["fromSession: s", "fromRequest: r", "Both: r"] { #expect(text.contains(line), "\(text)") }
        #expect(!text.contains("both:"))
        #expect(text.hasPrefix("Host: "))
    }

    @Test("A stream of a POST has the type of a form, unless it has another", arguments: [nil, "text/plain"])
    func streamType(_ type: String?) async throws {
        let server = try TestServer()
        server.respondToOthers { .ok("\($0.method) \($0["Content-Type"] ?? "none") \($0.text)") }
        let delegate = RecordingDelegate()
        delegate.bodyStream = { InputStream(data: Data("a=b".utf8)) }
        let session = OperationURLSession(configuration: .ephemeral, delegate: delegate)
        for (method, expected) in [("POST", type ?? "application/x-www-form-urlencoded"), ("PUT", type ?? "none")] {
            var request = URLRequest(url: server.url())
            request.httpMethod = method
            request.setValue(type, forHTTPHeaderField: "Content-Type")
            let streamed = request
            let outcome = await session.upload(streamed) { handler in
                request.httpBodyStream = InputStream(data: Data("a=b".utf8))
                return session.dataTask(with: request, completionHandler: handler)
            }
            #expect(outcome.text == "\(method) \(expected) a=b")
            let other = RecordingDelegate()
            other.bodyStream = { InputStream(data: Data("c=d".utf8)) }
            OperationURLSession(configuration: .ephemeral, delegate: other).uploadTask(withStreamedRequest: streamed)
                .resume()
            await other.isComplete.wait()
            #expect(String(decoding: other.data, as: UTF8.self) == "\(method) \(expected) c=d")
        }
    }

    @Test("An address of IPv6 is an address, for data and downloads")
    func addresses() async throws {
        let server = try TestServer(addresses: ["::1"])
        server.respondToOthers { .ok($0["Host"] ?? "-") }
        let session = OperationURLSession(configuration: .ephemeral)
        let host = "[::1]:\(server.port)"
        #expect(await session.outcome(server.url()).text == host)
        #expect(try await session.data(from: server.url()).0 == Data(host.utf8))
        let download = await session.downloading { session.downloadTask(with: server.url(), completionHandler: $0) }
        #expect(download.file == Data(host.utf8))
    }

    // MARK: Redirects

    @Test("A redirect that the delegate never answers holds the task, beyond its time-out")
    func unanswered() async throws {
        final class Delegate: NSObject, URLSessionDataDelegate, Sendable {
            let events = Notes<String>()
            let isAsked = Gate()
            func urlSession(
                _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
                newRequest request: URLRequest, completionHandler: @Sendable @escaping (URLRequest?) -> Void
            ) {
                events.add("redirect \(request.timeoutInterval)")
                isAsked.open()
            }
            func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
                events.add("complete")
            }
        }
        let server = try TestServer()
        server.respond(to: "/from", .redirect(to: "/to"))
        server.respond(to: "/stall", .script([.stall]))
        let (delegate, configuration) = (Delegate(), URLSessionConfiguration.ephemeral)
        configuration.timeoutIntervalForRequest = 0.25
        let session = OperationURLSession(configuration: configuration, delegate: delegate)
        session.dataTask(with: server.url("/from")).resume()
        await delegate.isAsked.wait()
        let other = OperationURLSession(configuration: configuration)
        for _ in 0..<2 { #expect(await other.outcome(server.url("/stall")).code == .timedOut) }
        #expect(delegate.events.all == ["redirect 0.25"])
        session.invalidateAndCancel()
    }

    @Test(
        "What a redirect's Location may look like",
        arguments: [
            ("/to?q=%3Fa%20b", "/to?q=%3Fa%20b"), ("to", "/dir/to"), ("/a b", "/a%20b"), ("/\u{FC}", "/%C3%BC"),
            ("//127.0.0.1:PORT/x", "/x"), ("?y", "/dir/from?y"), ("/%E4%BD%A0#f", "/%E4%BD%A0"),
        ])
    func locations(_ location: String, _ target: String) async throws {
        let server = try TestServer()
        let field = location.replacingOccurrences(of: "PORT", with: String(server.port))
        server.enqueue(
            .script([
                .send("HTTP/1.1 302 Found\r\nLocation: \(field)\r\nContent-Length: 0\r\n\r\n")
            ]), .ok("there"))
        let session = OperationURLSession(configuration: .ephemeral)
        #expect(await session.outcome(server.url("/dir/from")).text == "there")
        #expect(server.requests.last?.target == target)
    }

    @Test(
        "A redirect that leads away from HTTP is an error", arguments: ["file:///etc/hostname", "data:,x", "ftp://h/"])
    func away(_ location: String) async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .redirect(to: location) }
        let outcome = await OperationURLSession(configuration: .ephemeral).outcome(server.url())
        #expect(outcome.code == .unsupportedURL && outcome.data == nil)
    }

    @Test("Content after the head of a response that can have none is not taken for one", arguments: [302, 304])
    func stray(_ status: Int) async throws {
        let server = try TestServer()
        server.respond(
            to: "/from",
            .script([
                .send("HTTP/1.1 \(status) X\r\nLocation: /to\r\nContent-Length: 5\r\n\r\nstray"), .close,
            ]))
        server.respond(to: "/to", .ok("there"))
        var request = URLRequest(url: server.url("/from"))
        request.httpMethod = status == 304 ? "GET" : "HEAD"
        let delegate = RecordingDelegate()
        let task = OperationURLSession(configuration: .ephemeral, delegate: delegate).dataTask(with: request)
        task.resume()
        await delegate.isComplete.wait()
        #expect(delegate.error == nil && delegate.data.isEmpty)
        #expect((task.response as? HTTPURLResponse)?.statusCode == (status == 304 ? 304 : 200))
        #expect(
            delegate.events.filter { $0 != "metrics" }
                == (status == 304 ? [] : ["redirect 302"]) + ["response", "complete"])
    }

    @Test("Foundation's async functions ask the session's delegate", arguments: SessionKind.allCases)
    func asyncDelegate(_ kind: SessionKind) async throws {
        let server = try TestServer()
        server.respond(to: "/from", .redirect(to: "/to"))
        server.respond(to: "/to", .ok("there"))
        let delegate = RecordingDelegate()
        let session = kind.make(delegate: delegate)
        #expect(try await session.data(from: server.url("/from")).0 == Data("there".utf8))
        #expect(delegate.events.first == "redirect 302")
    }

    @Test(
        "A POST arrives once, although the server closes the connection on which it redirected", arguments: [307, 308])
    func closedConnection(_ status: Int) async throws {
        let server = try TestServer()
        server.respond(to: "/from", .redirect(status, to: "/to").ending(.closeUnannounced))
        server.respond(to: "/to") { .ok($0.text) }
        let session = OperationURLSession(configuration: .ephemeral)
        var request = URLRequest(url: server.url("/from"))
        request.httpMethod = "POST"
        for index in 0..<100 {
            request.httpBody = Data("\(index)".utf8)
            // What the server is still closing is not used by the next request.
            try await eventually("the connections end") { server.openConnectionCount <= 1 }
            #expect(await session.outcome(request).text == "\(index)")
            server.closeConnections()
        }
        #expect(server.requests.count == 200)
    }

    @Test("The redirect beyond the last that is followed is an error that nobody is asked about")
    func tooManyRedirects() async throws {
        final class Delegate: NSObject, URLSessionDataDelegate, Sendable {
            let targets = Notes<URL?>()
            let errors = Notes<(any Error)?>()
            let isComplete = Gate()
            func urlSession(
                _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
                newRequest request: URLRequest, completionHandler: @Sendable @escaping (URLRequest?) -> Void
            ) {
                targets.add(request.url)
                completionHandler(request)
            }
            func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
                errors.add(error)
                isComplete.open()
            }
        }
        let server = try TestServer()
        server.respondToOthers { .redirect(to: "/\((Int($0.path.dropFirst()) ?? 0) + 1)") }
        let delegate = Delegate()
        let session = OperationURLSession(configuration: .ephemeral, delegate: delegate)
        session.dataTask(with: server.url("/0")).resume()
        await delegate.isComplete.wait()
        let error = try #require(delegate.errors.all.first as? URLError)
        #expect(error.code == .httpTooManyRedirects)
        #expect(error.localizedDescription == "too many HTTP redirects")
        #expect(error.userInfo[NSLocalizedFailureReasonErrorKey] as? String == "more than 20 redirects")
        #expect(delegate.targets.all == (1...20).map { server.url("/\($0)") })
        #expect(error.userInfo[NSURLErrorFailingURLErrorKey] as? URL == server.url("/20"))
    }

    @Test("What a delegate puts on the dispatch queue that it is called on comes before its next call")
    func interleaving() async throws {
        final class Delegate: NSObject, URLSessionDataDelegate, Sendable {
            let queue: DispatchQueue
            let events = Notes<String>()
            let isComplete = Gate()
            init(_ queue: DispatchQueue) { self.queue = queue }
            private func note(_ event: String) {
                events.add(event)
                queue.async { [events] in events.add("after " + event) }
            }
            func urlSession(
                _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
                completionHandler: @Sendable @escaping (URLSession.ResponseDisposition) -> Void
            ) {
                note("response")
                completionHandler(.allow)
            }
            func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) { note("data") }
            func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
                note("complete")
                isComplete.open()
            }
        }
        let server = try TestServer()
        server.respondToOthers { _ in .ok("content") }
        for _ in 0..<20 {
            let (queue, operations) = (DispatchQueue(label: "delegate"), OperationQueue())
            operations.maxConcurrentOperationCount = 1
            operations.underlyingQueue = queue
            let delegate = Delegate(queue)
            let session = OperationURLSession(
                configuration: .ephemeral, delegate: delegate, delegateQueue: operations)
            session.dataTask(with: server.url()).resume()
            await delegate.isComplete.wait()
            #expect(
                delegate.events.all.prefix(5) == ["response", "after response", "data", "after data", "complete"])
        }
    }
}
