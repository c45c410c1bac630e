// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworking
import TestServer
import Testing

@Suite struct DelegateTests {
    @Test(arguments: SessionKind.allCases)
    func aDelegateDecidesAboutRedirects(_ kind: SessionKind) async throws {
        let server = try TestServer()
        server.respond(to: "/from", .redirect(to: "/to"))
        server.respond(to: "/to", .ok("there"))
        let delegate = RecordingDelegate()
        let task = kind.make(delegate: delegate).dataTask(with: server.url("/from"))
        task.resume()
        await delegate.isComplete.wait()
        #expect(
            delegate.events.filter { $0 != "metrics" && !$0.hasPrefix("cache") }
                == ["redirect 302", "response", "data", "complete"])
        #expect(delegate.data == Data("there".utf8))
        #expect(task.originalRequest?.url == server.url("/from"))
        #expect(task.currentRequest?.url == server.url("/to"))
    }

    @Test func nilForARedirectDeliversTheRedirectingResponse() async throws {
        let server = try TestServer()
        server.respond(to: "/from", ScriptedResponse(status: 302, headers: [("Location", "/to")], body: .text("moved")))
        let delegate = RecordingDelegate()
        delegate.redirect = { _ in nil }
        let task = OperationURLSession(configuration: .ephemeral, delegate: delegate).dataTask(
            with: server.url("/from"))
        task.resume()
        await delegate.isComplete.wait()
        #expect((task.response as? HTTPURLResponse)?.statusCode == 302)
        #expect(delegate.data == Data("moved".utf8))
        #expect(delegate.error == nil)
        #expect(server.requests.count == 1)
    }

    @Test("What the program expects is its own; what a response does not say stays unknown")
    func expectations() async throws {
        let server = try TestServer()
        server.respond(to: "/", ScriptedResponse(body: .chunked([Data("some".utf8), Data("thing".utf8)])))
        let session = OperationURLSession(configuration: .ephemeral)
        var upload = URLRequest(url: server.url())
        upload.httpMethod = "POST"
        let tasks: [URLSessionTask] = [
            session.dataTask(with: server.url()), session.downloadTask(with: server.url()),
            session.uploadTask(with: upload, from: Data("x".utf8)),
        ]
        for task in tasks {
            #expect(task.countOfBytesClientExpectsToSend == NSURLSessionTransferSizeUnknown)
            task.countOfBytesClientExpectsToSend = 5000
            task.countOfBytesClientExpectsToReceive = 7000
            #expect(task.countOfBytesClientExpectsToSend == 5000 && task.countOfBytesClientExpectsToReceive == 7000)
            #expect(task.progress.totalUnitCount == -1)
            task.resume()
            try await eventually("the end") { task.state == .completed }
            #expect(task.error == nil, "\(task.error as Any)")
            #expect(task.countOfBytesExpectedToReceive == NSURLSessionTransferSizeUnknown)
            #expect(task.countOfBytesReceived == 9)
        }
    }

    @Test func aRefusedResponseIsACancelledTask() async throws {
        let server = try TestServer()
        server.respond(to: "/", ScriptedResponse(body: .pattern(count: 10 << 20)))
        let delegate = RecordingDelegate()
        delegate.disposition = { _, _ in .cancel }
        OperationURLSession(configuration: .ephemeral, delegate: delegate).dataTask(with: server.url()).resume()
        await delegate.isComplete.wait()
        #expect(delegate.events == ["response", "metrics", "error"])
        #expect(delegate.code == .cancelled)
        #expect(delegate.data.isEmpty)
    }

    @Test func aDataTaskBecomesADownload() async throws {
        let server = try TestServer()
        server.respond(to: "/", .ok("content"))
        let delegate = RecordingDelegate()
        delegate.disposition = { _, _ in URLSession.ResponseDisposition(rawValue: 2) ?? .allow }
        OperationURLSession(configuration: .ephemeral, delegate: delegate).dataTask(with: server.url()).resume()
        await delegate.isComplete.wait()
        #expect(
            delegate.events.filter { $0 != "metrics" } == ["response", "download", "write", "file", "complete"])
        // Also of what had come before it was one.
        #expect(delegate.bytesWritten == 7)
        #expect(delegate.file == Data("content".utf8))
        #expect(delegate.data.isEmpty)
    }

    /// Their content is read on threads of their own, of which the end has to come last.
    @Test func manyDataTasksBecomeDownloadsAtOnce() async throws {
        let server = try TestServer()
        let contents = (0..<40).map { Data(repeating: UInt8($0), count: $0 * 20_000) }
        for (index, content) in contents.enumerated() {
            server.respond(to: "/\(index)", ScriptedResponse(body: .data(content)))
        }
        let delegates = contents.map { _ in RecordingDelegate() }
        for (index, delegate) in delegates.enumerated() {
            delegate.disposition = { _, _ in URLSession.ResponseDisposition(rawValue: 2) ?? .allow }
            OperationURLSession(configuration: .ephemeral, delegate: delegate)
                .dataTask(with: server.url("/\(index)")).resume()
        }
        for (delegate, content) in zip(delegates, contents) {
            await delegate.isComplete.wait()
            #expect(delegate.file == content)
        }
    }

    @Test func cancellingWhileDataComeEndsTheData() async throws {
        let server = try TestServer()
        server.respond(to: "/", ScriptedResponse(body: .pattern(count: 50 << 20)))
        let delegate = RecordingDelegate()
        delegate.whenReceiving = { task, _ in task.cancel() }
        OperationURLSession(configuration: .ephemeral, delegate: delegate).dataTask(with: server.url()).resume()
        await delegate.isComplete.wait()
        #expect(delegate.events == ["response", "data", "metrics", "error"])
        #expect(delegate.code == .cancelled)
        #expect(delegate.data.count <= 256 << 10)
    }

    @Test func aSlowDelegateHoldsTheServerBack() async throws {
        let server = try TestServer()
        let sent = Gate()
        server.respond(
            to: "/",
            .script([
                .send("HTTP/1.1 200 OK\r\nContent-Length: 67108864\r\n\r\n"), .sendPattern(count: 64 << 20),
                .open(sent),
            ]))
        let delegate = RecordingDelegate()
        let (isBusy, goesOn) = (Gate(), Gate())
        delegate.whenReceiving = { _, _ in
            isBusy.open()
            _ = goesOn.wait(timeout: 20)
        }
        OperationURLSession(configuration: .ephemeral, delegate: delegate).dataTask(with: server.url()).resume()
        await isBusy.wait()
        #expect(!sent.wait(timeout: 0.3))
        goesOn.open()
        await delegate.isComplete.wait()
        #expect(delegate.error == nil)
        #expect(delegate.data.count == 64 << 20)
    }

    @Test func aChallengeIsAnsweredByTheDelegate() async throws {
        let server = try TestServer()
        server.respond(to: "/") { request in
            request["Authorization"] == "Basic dTpw"
                ? .ok("in")
                : ScriptedResponse(
                    status: 401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")], body: .text("out"))
        }
        let delegate = RecordingDelegate()
        delegate.challenge = { _ in
            (.useCredential, URLCredential(user: "u", password: "p", persistence: .none))
        }
        OperationURLSession(configuration: .ephemeral, delegate: delegate).dataTask(with: server.url()).resume()
        await delegate.isComplete.wait()
        #expect(delegate.events == ["challenge r 0", "response", "data", "metrics", "complete"])
        #expect(delegate.data == Data("in".utf8))
        if seesPrivateState { #expect(delegate.metrics?.transactionMetrics.count == 2) }
    }

    @Test(arguments: ["Basic realm=\"r\"", "Basic"])
    func aChallengeWithoutACredentialIsAResponse(_ field: String) async throws {
        let server = try TestServer()
        server.respond(
            to: "/", ScriptedResponse(status: 401, headers: [("WWW-Authenticate", field)], body: .text("out")))
        let outcome = await OperationURLSession(configuration: .ephemeral).outcome(server.url())
        #expect(outcome.status == 401)
        #expect(outcome.text == "out")
    }

    @Test func aCancelledChallengeIsACancelledTask() async throws {
        let server = try TestServer()
        server.respond(to: "/", ScriptedResponse(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")]))
        let delegate = RecordingDelegate()
        delegate.challenge = { _ in (.cancelAuthenticationChallenge, nil) }
        OperationURLSession(configuration: .ephemeral, delegate: delegate).dataTask(with: server.url()).resume()
        await delegate.isComplete.wait()
        #expect(delegate.code == .cancelled)
    }

    @Test func aStreamedUploadAsksForItsContentAndAgainAfterARedirect() async throws {
        let server = try TestServer()
        server.respond(to: "/from", .redirect(307, to: "/to"))
        server.respond(to: "/to") { .ok($0.text) }
        let delegate = RecordingDelegate()
        delegate.bodyStream = { InputStream(data: Data("content".utf8)) }
        var request = URLRequest(url: server.url("/from"))
        request.httpMethod = "POST"
        let session = OperationURLSession(configuration: .ephemeral, delegate: delegate)
        session.uploadTask(withStreamedRequest: request).resume()
        await delegate.isComplete.wait()
        #expect(delegate.error == nil)
        #expect(delegate.data == Data("content".utf8))
        #expect(delegate.events.filter { $0 == "body" }.count == 2)
    }

    @Test(.privateState) func metricsSayWhatHappened() async throws {
        let server = try TestServer()
        server.respond(to: "/from", .redirect(to: "/to"))
        server.respond(to: "/to", .ok("there"))
        let delegate = RecordingDelegate()
        OperationURLSession(configuration: .ephemeral, delegate: delegate).dataTask(with: server.url("/from")).resume()
        await delegate.isComplete.wait()
        let metrics = try #require(delegate.metrics)
        #expect(metrics.redirectCount == 1)
        #expect(metrics.taskInterval.duration > 0)
        #expect(metrics.transactionMetrics.map { $0.request.url?.path } == ["/from", "/to"])
        let last = try #require(metrics.transactionMetrics.last)
        #expect((last.response as? HTTPURLResponse)?.statusCode == 200)
        #expect(last.countOfResponseBodyBytesReceived == 5)
        #expect(last.networkProtocolName == "http/1.1")
        #expect(last.remoteAddress == "127.0.0.1")
        #expect(last.remotePort == String(server.port))
        #expect(last.localAddress == "127.0.0.1")
        #expect(last.localPort.flatMap(Int.init).map { 1...65_535 ~= $0 && $0 != server.port } == true)
        #expect(last.negotiatedTLSCipherSuite == nil && last.negotiatedTLSProtocolVersion == nil)
        #expect(last.resourceFetchType == .networkLoad)
        let (sent, answered) = (try #require(last.requestStartDate), try #require(last.responseStartDate))
        #expect(sent <= answered)
        #expect(last.isReusedConnection)
    }

    @Test(.privateState) func metricsHaveTheTLSConnectionAndTheEndOfEachPhase() async throws {
        let authority = try TestCertificateAuthority()
        // More content than sockets hold: it is not handed over in one moment.
        var limits = TestServer.Limits()
        limits.receiveBuffer = 64 << 10
        let length = 16 << 20
        let server = try TestServer(tls: TLSSettings(authority.issueForLocalhost()), limits: limits)
        server.respondToOthers { _ in .ok("ok") }
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = [authority.certificate.der]
        let delegate = RecordingDelegate()
        var request = URLRequest(url: server.url())
        request.httpMethod = "PUT"
        OperationURLSession(configuration: .ephemeral, delegate: delegate, securityPolicy: policy)
            .uploadTask(with: request, from: Data(count: length)).resume()
        await delegate.isComplete.wait()
        let metrics = try #require(delegate.metrics?.transactionMetrics.first)
        let suites: [tls_ciphersuite_t] = [
            .AES_128_GCM_SHA256, .AES_256_GCM_SHA384, .CHACHA20_POLY1305_SHA256,
        ]
        #expect(metrics.negotiatedTLSProtocolVersion == .TLSv13)
        #expect(metrics.negotiatedTLSCipherSuite.map(suites.contains) == true)
        let dates = try [
            metrics.fetchStartDate, metrics.connectStartDate, metrics.secureConnectionStartDate,
            metrics.secureConnectionEndDate, metrics.connectEndDate, metrics.requestStartDate, metrics.requestEndDate,
            metrics.responseStartDate, metrics.responseEndDate,
        ].map { try #require($0) }
        #expect(dates == dates.sorted())
        #expect(metrics.requestEndDate != metrics.requestStartDate)
        #expect(metrics.countOfRequestBodyBytesSent == Int64(length))
    }

    @Test(arguments: SessionKind.allCases)
    func invalidationIsToldAfterTheLastTask(_ kind: SessionKind) async throws {
        let server = try TestServer()
        let gate = Gate()
        server.respond(to: "/", .script([.gate(gate), .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")]))
        let delegate = RecordingDelegate()
        let session = kind.make(delegate: delegate)
        session.dataTask(with: server.url()).resume()
        session.finishTasksAndInvalidate()
        gate.open()
        await delegate.isInvalid.wait()
        #expect(delegate.events.suffix(2) == ["complete", "invalid"])
    }

    @Test func aTaskOfAnInvalidSessionFails() async throws {
        let server = try TestServer()
        let session = OperationURLSession(configuration: .ephemeral)
        session.invalidateAndCancel()
        let outcome = await session.outcome(server.url())
        #expect(outcome.code == .resourceUnavailable)
        #expect(server.requests.isEmpty)
    }

    @Test func aConcurrentDelegateQueueKeepsTheOrderOfATask() async throws {
        let server = try TestServer()
        server.respond(to: "/", ScriptedResponse(body: .pattern(count: 4 << 20)))
        let delegate = RecordingDelegate()
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 8
        OperationURLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: queue)
            .dataTask(with: server.url()).resume()
        await delegate.isComplete.wait()
        #expect(delegate.events == ["response", "data", "metrics", "complete"])
        #expect(delegate.data.count == 4 << 20)
    }
}
