// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
@testable import OperationNetworkingSessions

@Suite("Blocks of a session manager", .timeLimit(.minutes(1))) struct SessionBlockTests {
    let server: TestServer
    let manager: HTTPSessionManager

    init() throws {
        server = try TestServer()
        server.respondToOthers { _ in .json(#"{"a":"b"}"#) }
        manager = HTTPSessionManager(baseURL: server.url()).offMain()
    }

    @Test("A redirect block changes the request that follows, or makes the redirect the result")
    func redirects() async throws {
        server.respond(to: "/from", ScriptedResponse(status: 302, headers: [("Location", "/to")]))
        let seen = Notes<String>()
        manager.setTaskWillPerformHTTPRedirectionBlock { session, task, response, request in
            seen.add("\((response as? HTTPURLResponse)?.statusCode ?? 0) \(request.url?.path ?? "")")
            guard session === manager.session, task.originalRequest?.url?.path == "/from" else { return nil }
            var request = request
            request.setValue("1", forHTTPHeaderField: "X-Hop")
            return request
        }
        #expect(await manager.getting("from").json == ["a": "b"])
        #expect(seen.all == ["302 /to"] && server.requests.last?["X-Hop"] == "1")
        manager.setTaskWillPerformHTTPRedirectionBlock { _, _, _, _ in nil }
        #expect(await manager.getting("from").status == 302)
    }

    @Test("Blocks of 64 tasks at once: each is called for its task, in order")
    func manyAtOnce() async {
        server.respondToOthers { request in
            guard request.path.hasPrefix("/from") else {
                return .json(#"{"a":"b"}"#).adding(header: "Cache-Control", "max-age=60")
            }
            return ScriptedResponse(status: 307, headers: [("Location", "/to" + request.path.dropFirst(5))])
        }
        let configuration = URLSessionConfiguration.default
        configuration.urlCache = URLCache(memoryCapacity: 1 << 22, diskCapacity: 0, diskPath: nil)
        let manager = HTTPSessionManager(baseURL: server.url(), sessionConfiguration: configuration).offMain()
        let seen = Locked<[String: [String]]>([:])
        let note: @Sendable (URLSessionTask, String) -> Void = { task, event in
            let path = task.originalRequest?.url?.path ?? ""
            seen.withLock { if $0[path]?.last != event { $0[path, default: []].append(event) } }
        }
        manager.setTaskWillPerformHTTPRedirectionBlock { _, task, _, request in
            note(task, "redirect")
            return request
        }
        manager.setTaskDidSendBodyDataBlock { _, task, _, _, _ in note(task, "sent") }
        manager.setDataTaskDidReceiveResponseBlock { _, task, _ in
            note(task, "response")
            return .allow
        }
        manager.setDataTaskDidReceiveDataBlock { _, task, _ in note(task, "data") }
        manager.setDataTaskWillCacheResponseBlock { _, task, response in
            note(task, "cache")
            return response
        }
        manager.setTaskDidFinishCollectingMetricsBlock { _, task, _ in note(task, "metrics") }
        manager.setTaskDidCompleteBlock { _, task, _ in note(task, "complete") }
        for round in 0..<4 {
            let good = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<64 {
                    var request = URLRequest(url: server.url("/from\(round)-\(number)"))
                    if number.isMultiple(of: 2) { (request.httpMethod, request.httpBody) = ("PUT", Data("abc".utf8)) }
                    group.addTask { [request] in await manager.loading(request).json == ["a": "b"] }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(good == 64)
        }
        let lists = Dictionary(grouping: seen.withLock { $0 }.values) { $0.filter { $0 != "sent" } }
        let gets = lists[["redirect", "response", "data", "cache", "metrics", "complete"]] ?? []
        let puts = lists[["redirect", "response", "data", "metrics", "complete"]] ?? []
        #expect(gets.count == 128 && puts.count == 128 && lists.count == 2)
        #expect(gets.allSatisfy { !$0.contains("sent") } && puts.allSatisfy { $0.contains("sent") })
    }

    /// A server that wants user and password.
    private func protect() {
        server.respond(to: "/secret") { request in
            request["Authorization"] == "Basic dXNlcjpwYXNz"
                ? .json(#"{"a":"b"}"#)
                : ScriptedResponse(status: 401, headers: [("WWW-Authenticate", #"Basic realm="r""#)])
        }
    }

    private struct Refusal: Error, Equatable { let reason: String }

    @Test("The challenge handler answers at once, later, by number, or with an error that the task ends with")
    func challenges() async throws {
        protect()
        let right = URLCredential(user: "user", password: "pass", persistence: .none)
        let answers:
            [(
                Int?,
                @Sendable (@escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void) -> Any?
            )] = [
                (nil, { _ in right }),
                (
                    nil,
                    { reply in
                        DispatchQueue.global().async { reply(.useCredential, right) }
                        return nil
                    }
                ),
                (
                    URLError.badServerResponse.rawValue,
                    { _ in
                        NSNumber(value: URLSession.AuthChallengeDisposition.performDefaultHandling.rawValue)
                    }
                ),
                (
                    URLError.badServerResponse.rawValue,
                    { _ in URLSession.AuthChallengeDisposition.rejectProtectionSpace }
                ),
                (
                    URLError.cancelled.rawValue,
                    { _ in URLSession.AuthChallengeDisposition.cancelAuthenticationChallenge }
                ),
                (URLError.cancelled.rawValue, { _ in "what is this" }),
            ]
        for (code, answer) in answers {
            manager.setAuthenticationChallengeHandler { _, _, challenge, reply in
                challenge.previousFailureCount == 0 ? answer(reply) : Refusal(reason: "asked again")
            }
            let outcome = await manager.getting("secret")
            #expect(outcome.code == code)
            #expect(code != nil || outcome.json == ["a": "b"])
        }
        manager.setAuthenticationChallengeHandler { _, _, _, _ in Refusal(reason: "no") }
        #expect(await manager.getting("secret").error as? Refusal == Refusal(reason: "no"))
    }

    @Test("The session's block is about connections only, and is asked before the handler")
    func untrustedServer() async throws {
        let authority = try TestCertificateAuthority()
        let secure = try TestServer(tls: TLSSettings(authority.issueForLocalhost()))
        secure.respondToOthers { _ in .json("{}") }
        let asked = Notes<String>()
        manager.setAuthenticationChallengeHandler { _, _, challenge, _ in
            asked.add("task")
            return URLSession.AuthChallengeDisposition.performDefaultHandling
        }
        let url = secure.url("/x").absoluteString
        let refused = await manager.getting(url)
        #expect((refused.error as? URLError)?.code == .serverCertificateHasUnknownRoot && asked.all == ["task"])
        #expect((refused.error as NSError?)?.userInfo[NSUnderlyingErrorKey] is ServerTrustError)
        manager.setSessionDidReceiveAuthenticationChallengeBlock { _, challenge, credential in
            asked.add("session")
            guard let trust = challenge.protectionSpace.untrustedServer else { return .performDefaultHandling }
            credential?.pointee = .accepting(trust)
            return .useCredential
        }
        #expect(await manager.getting(url).status == 200)
        #expect(asked.all == ["task", "session"])
        protect()
        _ = await manager.getting("secret")
        #expect(asked.all == ["task", "session", "task"])
    }

    @Test("The policy counts that is set when the task is made")
    func policy() async throws {
        let authority = try TestCertificateAuthority()
        let secure = try TestServer(tls: TLSSettings(authority.issueForLocalhost()))
        secure.respondToOthers { _ in .json("{}") }
        let url = secure.url("/x").absoluteString
        #expect(await manager.getting(url).code == URLError.Code.serverCertificateHasUnknownRoot.rawValue)
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = [authority.certificate.der]
        manager.securityPolicy = policy
        #expect(await manager.getting(url).status == 200)
    }

    @Test("A data block gets the content in pieces, and the serializer all of it")
    func pieces() async throws {
        server.respond(
            to: "/pieces",
            ScriptedResponse(
                headers: [("Content-Type", "application/json")],
                body: .chunked([Data(#"{"a":"#.utf8), Data(#""b"}"#.utf8)])))
        let pieces = Notes<Data>()
        manager.setDataTaskDidReceiveDataBlock { _, _, data in pieces.add(data) }
        let outcome = await manager.getting("pieces")
        #expect(outcome.json == ["a": "b"] && outcome.error == nil)
        #expect(pieces.all.reduce(Data(), +) == Data(#"{"a":"b"}"#.utf8))
        server.respond(to: "/bad", .json(#"{"m":"x"}"#, status: 500))
        let bad = await manager.getting("bad")
        #expect((bad.error as? ResponseSerializationError)?.responseObject as? [String: String] == ["m": "x"])
    }

    @Test(
        "Blocks for response and content change nothing of what a response without content comes to",
        arguments: [("HEAD", 200), ("GET", 200), ("GET", 204)])
    func withoutContent(method: String, status: Int) async throws {
        server.respondToOthers { _ in ScriptedResponse(status: status, headers: [("Content-Type", "text/html")]) }
        let told = Locked<[URL: String]>([:])
        let token = NotificationCenter.default.addObserver(
            forName: .networkingTaskDidComplete, object: nil, queue: nil
        ) { note in
            guard let url = (note.object as? URLSessionTask)?.originalRequest?.url else { return }
            let keys = (note.userInfo ?? [:]).keys.compactMap { $0 as? String }.sorted().joined(separator: " ")
            let data = note.userInfo?[NetworkingTaskDidCompleteResponseDataKey] as? Data
            told.withLock { $0[url] = "\(keys) \(data.map { "\($0.count)" } ?? "none")" }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        let serializers: [HTTPResponseSerializer] = [JSONResponseSerializer(), HTTPResponseSerializer()]
        for serializer in serializers {
            var outcomes: [String] = []
            for blocks in 0..<4 {
                let manager = HTTPSessionManager(baseURL: server.url()).offMain()
                manager.responseSerializer = serializer
                if blocks & 1 != 0 { manager.setDataTaskDidReceiveResponseBlock { _, _, _ in .allow } }
                if blocks & 2 != 0 { manager.setDataTaskDidReceiveDataBlock { _, _, _ in } }
                let url = server.url("/\(type(of: serializer))/\(blocks)")
                var request = URLRequest(url: url)
                request.httpMethod = method
                let outcome = await manager.loading(request)
                try await eventually("the notification") { told.withLock { $0[url] } != nil }
                let object = outcome.object.map { "\($0)" } ?? "none"
                let code = outcome.code.map { "\($0)" } ?? "none"
                outcomes.append("\(object), \(code), \(told.withLock { $0[url] } ?? "")")
            }
            #expect(outcomes == Array(repeating: outcomes[0], count: 4))
            let isRefused = outcomes[0].contains("\(URLError.Code.cannotDecodeContentData.rawValue)")
            #expect(isRefused == (method == "GET" && status == 200 && serializer is JSONResponseSerializer))
        }
    }

    @Test("A response block lets a task go on, or cancels it")
    func responses() async throws {
        manager.setDataTaskDidReceiveResponseBlock { _, task, response in
            response.url?.path == "/no" ? .cancel : .allow
        }
        #expect(await manager.getting("yes").json == ["a": "b"])
        let refused = await manager.getting("no")
        #expect(refused.code == URLError.cancelled.rawValue)
    }

    @Test("A response block makes a data task a download: its content goes to a file, of which both blocks are told")
    func becomesDownload() async throws {
        server.respond(to: "/file", ScriptedResponse(body: .pattern(count: 3 << 20)))
        let directory = try TemporaryDirectory()
        let target = directory.file("target")
        let log = Notes<String>()
        let data = Notes<URLSessionDataTask>()
        let downloads = Notes<URLSessionDownloadTask>()
        manager.setDataTaskDidReceiveResponseBlock { _, task, _ in
            data.add(task)
            return URLSession.ResponseDisposition(rawValue: 2) ?? .allow
        }
        manager.setDataTaskDidReceiveDataBlock { _, _, _ in log.add("data") }
        manager.setDataTaskDidBecomeDownloadTaskBlock { [manager] session, task, download in
            log.add("became")
            #expect(session === manager.session && OperationQueue.current === manager.operationQueue)
            // The task that the program has.
            #expect(task === data.all.first && task.taskIdentifier == download.taskIdentifier)
            downloads.add(download)
        }
        manager.setDownloadTaskDidFinishDownloadingBlock { [manager] session, download, _ in
            log.add("file")
            #expect(session === manager.session && download === downloads.all.first)
            return target
        }
        manager.setTaskDidCompleteBlock { _, task, error in
            log.add("complete \(error == nil)")
            #expect(task === downloads.all.first)
        }
        let written = Notes<Int64>()
        manager.setDownloadTaskDidWriteDataBlock { _, _, count, _, _ in written.add(count) }
        let outcome = await manager.loading(URLRequest(url: server.url("/file")))
        #expect(outcome.error == nil && outcome.object as? URL == target)
        #expect(written.all.reduce(0, +) == 3 << 20)
        #expect(log.all == ["became", "file", "complete true"])
        let content = try Data(contentsOf: target)
        #expect(content.count == 3 << 20)
        #expect(data.all.first?.state == .completed && downloads.all.first?.state == .completed)
        #expect(manager.tasks.isEmpty)
    }

    @Test("A cache block sees the response and decides what is stored; nil stores nothing", arguments: [true, false])
    func caching(stores: Bool) async throws {
        server.respond(
            to: "/cached",
            ScriptedResponse(
                headers: [("Cache-Control", "max-age=1000"), ("Content-Type", "application/json")],
                body: .text(#"{"a":"b"}"#)))
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = URLCache(memoryCapacity: 1 << 22, diskCapacity: 0, diskPath: nil)
        let manager = HTTPSessionManager(baseURL: server.url(), sessionConfiguration: configuration).offMain()
        let seen = Notes<String>()
        manager.setDataTaskWillCacheResponseBlock { [manager] session, task, proposed in
            #expect(session === manager.session && OperationQueue.current === manager.operationQueue)
            seen.add("\(task.originalRequest?.url?.path ?? "") \(proposed.data.count)")
            guard stores else { return nil }
            return CachedURLResponse(response: proposed.response, data: Data(#"{"a":"c"}"#.utf8))
        }
        #expect(await manager.getting("cached").json == ["a": "b"])
        #expect(seen.all == ["/cached 9"])
        #expect(await manager.getting("cached").json == ["a": stores ? "c" : "b"])
        #expect(server.requests.count == (stores ? 1 : 2))
    }

    @Test("Sent bytes, metrics and the end are told on the manager's queue, before the handler")
    func order() async throws {
        let log = Notes<String>()
        manager.setTaskDidSendBodyDataBlock { _, _, count, total, expected in
            log.add("sent \(total) of \(expected)")
            #expect(OperationQueue.current === manager.operationQueue)
        }
        manager.setTaskDidFinishCollectingMetricsBlock { _, _, metrics in
            log.add("metrics \(metrics == nil)")
        }
        manager.setTaskDidCompleteBlock { _, task, error in
            log.add("complete \(error == nil) \(task.state == .completed)")
        }
        let outcome = await manager.outcome { manager.post("x", parameters: ["k": "v"], success: $0, failure: $1) }
        #expect(outcome.json == ["a": "b"])
        #expect(log.all == ["sent 3 of 3", "metrics false", "complete true true"])
    }

    @Test("A stream that has to be sent again comes from its block")
    func bodyStream() async throws {
        protect()
        let right = URLCredential(user: "user", password: "pass", persistence: .none)
        manager.setAuthenticationChallengeHandler { _, _, _, _ in right }
        let asked = Notes<Int>()
        manager.setTaskNeedNewBodyStreamBlock { _, _ in
            asked.add(1)
            return InputStream(data: Data("again".utf8))
        }
        var request = URLRequest(url: server.url("/secret"))
        request.httpMethod = "POST"
        request.httpBodyStream = InputStream(data: Data("first".utf8))
        let done = Gate()
        let task = manager.uploadTask(withStreamedRequest: request) { response, _, error in
            #expect(error == nil && (response as? HTTPURLResponse)?.statusCode == 200)
            done.open()
        }
        task.resume()
        await done.wait()
        #expect(asked.all == [1] && server.requests.map(\.text) == ["first", "again"])
    }

    @Test("A task that somebody starts as the operation that it is has a notification of its beginning, too")
    func beginningByOperation() async throws {
        server.respond(to: "/begun", .json("{}"))
        let url = server.url("/begun")
        let log = Notes<Notification.Name>()
        let names: [Notification.Name] = [.networkingTaskDidResume, .networkingTaskDidComplete]
        let tokens = names.map { name in
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { note in
                if (note.object as? URLSessionTask)?.originalRequest?.url == url { log.add(name) }
            }
        }
        defer { tokens.forEach { NotificationCenter.default.removeObserver($0) } }
        let done = Gate()
        let task = manager.dataTask(with: URLRequest(url: url)) { _, _, error in
            #expect(error == nil)
            done.open()
        }
        let queue = RequestOperationQueue()
        queue.addOperation(try #require(manager.operation(for: task)))
        await done.wait()
        try await eventually("the notifications") { log.all.count == 2 }
        #expect(log.all == names)
    }

    @Test("A challenge handler that has answered does not fail the task by what it returns")
    func answeredTwice() async throws {
        server.respond(to: "/twice") { request in
            request["Authorization"] == nil
                ? ScriptedResponse(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")]) : .json("{}")
        }
        manager.setAuthenticationChallengeHandler { _, _, _, reply in
            reply(.useCredential, URLCredential(user: "u", password: "p", persistence: .none))
            return URLError(.unknown)
        }
        #expect(await manager.loading(URLRequest(url: server.url("/twice"))).error == nil)
    }

    @Test("Notifications: resume, suspend, and the end with what it came to; nothing about calls without effect")
    func notifications() async throws {
        let gate = Gate()
        server.respond(to: "/noted", ScriptedResponse.json(#"{"a":"b"}"#).holding(gate, at: .beforeHead))
        let log = Notes<String>()
        let names: [Notification.Name] = [
            .networkingTaskDidResume, .networkingTaskDidSuspend, .networkingTaskDidComplete,
        ]
        let url = server.url("/noted")
        let tokens = names.map { name in
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { note in
                guard (note.object as? URLSessionTask)?.originalRequest?.url == url else { return }
                let info = note.userInfo ?? [:]
                log.add(
                    [
                        name.rawValue.split(separator: ".").last.map(String.init) ?? "",
                        info[NetworkingTaskDidCompleteResponseSerializerKey] is JSONResponseSerializer ? "json" : "",
                        (info[NetworkingTaskDidCompleteSerializedResponseKey] as? [String: String])?["a"] ?? "",
                        (info[NetworkingTaskDidCompleteResponseDataKey] as? Data).map { "\($0.count)" } ?? "",
                        (info[NetworkingTaskDidCompleteSessionTaskMetrics] as? URLSessionTaskMetrics).map {
                            FoundationInternals.isOff || $0.transactionMetrics.last?.responseEndDate != nil
                                ? "metrics" : "without values"
                        } ?? "",
                        info[NetworkingTaskDidCompleteErrorKey] == nil ? "" : "error",
                    ].joined(separator: " "))
            }
        }
        defer { tokens.forEach { NotificationCenter.default.removeObserver($0) } }
        async let outcome = manager.loading(URLRequest(url: url)) { task in
            task.resume()
            task.suspend()
        }
        // Twice, when the first was under way before the suspension, which has to come before the response.
        try await eventually("the request") { log.all.count == 3 && !server.requests.isEmpty }
        gate.open()
        #expect(await outcome.json == ["a": "b"])
        try await eventually("the end") { log.all.count == 4 }
        #expect(
            log.all == ["resume     ", "suspend     ", "resume     ", "complete json b 9 metrics "])
    }
}
