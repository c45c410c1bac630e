// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import TestTLS
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
@testable import OperationNetworkingSessions

/// What tasks share with those that Foundation's own functions, such as `data(for:)`, make on a session.
@Suite("Tasks of Foundation's functions", .timeLimit(.minutes(1))) struct FoundationTaskTests {
    /// Only that, and no delegate of data.
    private final class TaskDelegate: NSObject, URLSessionTaskDelegate {
        let events = Notes<String>()
        let isComplete = Gate()

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @Sendable @escaping (URLRequest?) -> Void
        ) {
            events.add("redirect")
            completionHandler(request)
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @Sendable @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            events.add("challenge")
            completionHandler(.useCredential, URLCredential(user: "user", password: "secret", persistence: .none))
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
        ) {
            events.add("metrics")
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            isComplete.open()
        }
    }

    /// Answers about servers for the whole session.
    private final class TrustingDelegate: NSObject, URLSessionDelegate {
        let methods = Notes<String>()
        let isAccepting: Bool

        init(isAccepting: Bool) { self.isAccepting = isAccepting }

        func urlSession(
            _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @Sendable @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            methods.add(challenge.protectionSpace.authenticationMethod)
            guard isAccepting, let server = challenge.protectionSpace.untrustedServer else {
                return completionHandler(.performDefaultHandling, nil)
            }
            completionHandler(.useCredential, .accepting(server))
        }
    }

    @Test("Cancelling a task of Swift's while the answer arrives gives an answer or an error, once")
    func cancellationAtTheEnd() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("hello") }
        let session = OperationURLSession(configuration: .ephemeral)
        let begin = ContinuousClock.now
        for _ in 0..<20 { _ = try await session.data(from: server.url()) }
        let usual = (ContinuousClock.now - begin) / 20
        // On a busy machine fewer.
        let limit = begin + .seconds(15)
        for round in 0..<500 where ContinuousClock.now < limit {
            let task = Task { try await session.data(from: server.url()).0 }
            try await Task.sleep(for: usual * (0.3 + Double(round % 50) / 50))
            task.cancel()
            switch await task.result {
            case .success(let data): #expect(data == Data("hello".utf8))
            case .failure(let error): #expect((error as? URLError)?.code == .cancelled)
            }
        }
    }

    @Test("A task of Foundation's that is suspended and resumed at once is loaded")
    func quickSuspension() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("hello") }
        let configuration = URLSessionConfiguration.ephemeral
        // While Foundation asks it, all three are done: it starts, stops and starts the loading after that.
        configuration.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
        let session = URLSession(configuration: OperationURLSession(configuration: configuration).configuration)
        for _ in 0..<100 {
            // Not before the calls are done: a task that is suspended and resumed while it ends has Foundation stop the
            // program, with its own loader, too.
            let gate = Gate()
            server.enqueue(.stalled(until: gate, then: .ok("hello")))
            let outcome = await session.outcome(URLRequest(url: server.url())) { task in
                task.resume()
                task.suspend()
                task.resume()
                gate.open()
            }
            #expect(outcome.text == "hello")
        }
        // One that was paused indeed is asked for again.
        #expect(100...200 ~= server.requests.count)
    }

    /// A cache of Foundation's that answers no task before it may.
    private final class HesitantCache: URLCache, @unchecked Sendable {
        // Sendable because it is never changed.
        let gate = DispatchSemaphore(value: 0)

        override func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
            gate.wait()
            gate.signal()
            return nil
        }
    }

    @Test("Of a task of Foundation's that is suspended and resumed often before it is loaded, one end is told")
    func manySuspensions() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("hello") }
        let limit = ContinuousClock.now + .seconds(3)
        var rounds = 0
        while rounds < 500, ContinuousClock.now < limit {
            rounds += 1
            let configuration = URLSessionConfiguration.ephemeral
            let cache = HesitantCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
            configuration.urlCache = cache
            let session = URLSession(configuration: OperationURLSession(configuration: configuration).configuration)
            let outcome = await session.outcome(URLRequest(url: server.url())) { task in
                task.resume()
                // What they lead to comes late, some of it while the task ends.
                for _ in 0..<1000 {
                    task.suspend()
                    task.resume()
                }
                cache.gate.signal()
            }
            #expect(outcome.text == "hello")
        }
        #expect(server.requests.count == rounds)
    }

    /// The downloaded files with that content, which no other test has.
    private static func downloads(of content: Data) -> [URL] {
        let files = try? FileManager.default.contentsOfDirectory(
            at: SessionDownloadFile.folder, includingPropertiesForKeys: nil)
        return (files ?? []).filter { file in
            guard SessionDownloadFile.isLocation(file) else { return false }
            return SessionDownloadFile.length(of: file) == content.count && (try? Data(contentsOf: file)) == content
        }
    }

    @Test("A download of Swift's that is cancelled while its file is finished leaves no file")
    func cancelledDownload() async throws {
        let server = try TestServer()
        let content = Data("content \(UUID().uuidString)".utf8)
        server.respondToOthers { _ in ScriptedResponse(body: .data(content)) }
        defer { for file in Self.downloads(of: content) { try? FileManager.default.removeItem(at: file) } }
        let session = OperationURLSession(configuration: .ephemeral)
        let (first, _) = try await session.download(from: server.url())
        // Foundation's list of a folder in which others make and remove files may be cut short.
        try await eventually("the file is found") {
            Self.downloads(of: content).map(\.lastPathComponent) == [first.lastPathComponent]
        }
        try FileManager.default.removeItem(at: first)
        let begin = ContinuousClock.now
        for _ in 0..<20 { try FileManager.default.removeItem(at: await session.download(from: server.url()).0) }
        let usual = (ContinuousClock.now - begin) / 20
        // On a busy machine fewer.
        let limit = begin + .seconds(2)
        for round in 0..<400 where ContinuousClock.now < limit {
            let task = Task { try await session.download(from: server.url()).0 }
            try await Task.sleep(for: usual * (0.3 + Double(round % 50) / 50))
            task.cancel()
            if case .success(let file) = await task.result { try FileManager.default.removeItem(at: file) }
        }
        try await eventually("no file is left") { Self.downloads(of: content).isEmpty }
    }

    @Test("What is put on the delegate queue before a task is resumed comes before what the task tells")
    func order() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("hello") }
        let session = OperationURLSession(configuration: .ephemeral)
        let (entered, missing, ended) = (Notes<Int>(), Notes<Int>(), Notes<Int>())
        for number in 0..<200 {
            session.delegateQueue.addOperation { entered.add(number) }
            session.dataTask(with: server.url()) { _, _, _ in
                if !entered.all.contains(number) { missing.add(number) }
                // So that more than one waits.
                Thread.sleep(forTimeInterval: 0.002)
                ended.add(number)
            }.resume()
            try await Task.sleep(for: .milliseconds(1))
        }
        try await eventually("the ends") { ended.all.count == 200 }
        #expect(missing.all.isEmpty)
    }

    @Test("A task's delegate that is none for its content leaves that to the session's")
    func contentOfSession() async throws {
        let server = try TestServer()
        server.respondToOthers { request in
            guard request["Authorization"] != nil else {
                return ScriptedResponse(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")])
            }
            return .ok("hello")
        }
        for isDownload in [false, true] {
            let (own, common) = (TaskDelegate(), RecordingDelegate())
            let session = OperationURLSession(configuration: .ephemeral, delegate: common)
            let task =
                isDownload
                ? session.downloadTask(with: URLRequest(url: server.url()))
                : session.dataTask(with: URLRequest(url: server.url()))
            #expect(task.delegate == nil)
            task.delegate = own
            #expect(task.delegate === own)
            task.resume()
            await own.isComplete.wait()
            #expect(own.events.all == ["challenge", "metrics"])
            #expect((isDownload ? common.file : common.data) == Data("hello".utf8))
            #expect(!common.isComplete.isOpen)
        }
    }

    @Test("The session's delegate is asked whether to trust a server", arguments: [false, true])
    func trust(isAccepting: Bool) async throws {
        let server = try TestServer(tls: TLSSettings(try TestCertificateAuthority().issueForLocalhost()))
        server.respondToOthers { _ in .ok("hello") }
        let delegate = TrustingDelegate(isAccepting: isAccepting)
        let session = OperationURLSession(configuration: .ephemeral, delegate: delegate)
        if isAccepting {
            #expect(try await session.data(from: server.url()).0 == Data("hello".utf8))
        } else {
            await #expect(throws: URLError.self) { try await session.data(from: server.url()) }
        }
        #expect(delegate.methods.all.count == 1)
    }

    @Test("HEAD with empty content is sent")
    func emptyContentOfHEAD() async throws {
        let server = try TestServer()
        server.respondToOthers { ScriptedResponse(headers: [("X-Method", $0.method)], body: .text("hello")) }
        let session = OperationURLSession(configuration: .ephemeral)
        var request = URLRequest(url: server.url())
        request.httpMethod = "HEAD"
        let upload = await session.upload(request) { [request] in
            session.uploadTask(with: request, from: Data(), completionHandler: $0)
        }
        #expect(upload.error == nil && upload.status == 200)
        request.httpBody = Data()
        let outcome = await session.outcome(request)
        #expect(outcome.error == nil && outcome.status == 200)
        #expect((try await session.data(for: request).1 as? HTTPURLResponse)?.statusCode == 200)
        let operation = HTTPRequestOperation(request: request)
        operation.start()
        _ = try await operation.value()
        #expect(server.requests.map(\.method) == Array(repeating: "HEAD", count: 4))
        #expect(server.requests.allSatisfy { $0["Transfer-Encoding"] == nil })
    }

    @Test("Additional header fields with values that are no text")
    func additionalNumber() async throws {
        let server = try TestServer()
        server.respondToOthers { .ok($0["X-Number"] ?? "none") }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpAdditionalHeaders = ["X-Number": 5, "X-Text": "text"]
        let session = OperationURLSession(configuration: configuration)
        #expect(await session.outcome(server.url()).text == "5")
        #expect(try await session.data(from: server.url()).0 == Data("5".utf8))
        #expect(server.requests.allSatisfy { $0["X-Text"] == "text" })
    }

    @Test("The delegate of one call is asked and told")
    func delegateOfCall() async throws {
        let server = try TestServer()
        server.respond(to: "/from", ScriptedResponse(status: 307, headers: [("Location", "/to")]))
        server.respond(to: "/to") { request in
            guard request["Authorization"] != nil else {
                return ScriptedResponse(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")])
            }
            return .ok("hello" + request.text)
        }
        let common = RecordingDelegate()
        let session = OperationURLSession(configuration: .ephemeral, delegate: common)
        let expected = ["redirect", "challenge", "metrics"]
        var request = URLRequest(url: server.url("/from"))
        let ofData = TaskDelegate()
        #expect(try await session.data(for: request, delegate: ofData).0 == Data("hello".utf8))
        try await eventually("metrics") { ofData.events.all == expected }
        let ofDownload = TaskDelegate()
        let (file, _) = try await session.download(for: request, delegate: ofDownload)
        #expect(try Data(contentsOf: file) == Data("hello".utf8))
        try FileManager.default.removeItem(at: file)
        try await eventually("metrics") { ofDownload.events.all == expected }
        request.httpMethod = "PUT"
        let ofUpload = TaskDelegate()
        let (answer, _) = try await session.upload(for: request, from: Data("!".utf8), delegate: ofUpload)
        #expect(answer == Data("hello!".utf8))
        try await eventually("metrics") { ofUpload.events.all == expected }
        // What a task's own delegate does not implement is the session's, by Foundation's defaults.
        #expect(common.events.allSatisfy { $0 == "sent" })
    }

    @Test("The delegate of one call by Foundation's functions is asked and told", .privateState)
    func delegateOfFoundationsCall() async throws {
        let server = try TestServer()
        server.respond(to: "/from", ScriptedResponse(status: 307, headers: [("Location", "/to")]))
        server.respond(to: "/to", .ok("hello"))
        let common = RecordingDelegate()
        let session: URLSession = OperationURLSession(configuration: .ephemeral, delegate: common)
        let own = TaskDelegate()
        let (data, _) = try await session.data(for: URLRequest(url: server.url("/from")), delegate: own)
        #expect(data == Data("hello".utf8))
        try await eventually("metrics") { own.events.all == ["redirect", "metrics"] }
        #expect(common.events.isEmpty)
    }

    @Test("A slow delegate queue does not hold up the library's functions")
    func heldQueue() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("hello") }
        let session = OperationURLSession(configuration: .ephemeral)
        session.delegateQueue.isSuspended = true
        defer { session.delegateQueue.isSuspended = false }
        #expect(try await session.data(from: server.url()).0 == Data("hello".utf8))
        let (file, response) = try await session.download(from: server.url())
        #expect(try Data(contentsOf: file) == Data("hello".utf8) && (response as? HTTPURLResponse)?.statusCode == 200)
        try FileManager.default.removeItem(at: file)
    }

    @Test("A call whose session is invalid fails")
    func invalidSession() async throws {
        let session = OperationURLSession(configuration: .ephemeral)
        session.invalidateAndCancel()
        let url = try #require(URL(string: "http://127.0.0.1:9/"))
        let ofData = await #expect(throws: URLError.self) { _ = try await session.data(from: url) }
        let ofDownload = await #expect(throws: URLError.self) { _ = try await session.download(from: url) }
        #expect(ofData?.code == .resourceUnavailable && ofDownload?.code == .resourceUnavailable)
    }
}
