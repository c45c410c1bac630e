// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
@testable import OperationNetworkingSessions

/// What a manager says of its tasks' operations, as a manager of operations does.
@Suite("Settings of a session manager's operations", .timeLimit(.minutes(1))) struct SessionSettingsTests {
    let server: TestServer
    let manager: HTTPSessionManager

    init() throws {
        server = try TestServer()
        server.respondToOthers { _ in .json(#"{"a":"b"}"#) }
        manager = HTTPSessionManager(baseURL: server.url("/")).offMain()
    }

    /// Answers the first requests with 503, and all others with `last`.
    private func fail(_ times: Int, then last: ScriptedResponse = .json(#"{"a":"b"}"#)) {
        let left = Locked(times)
        server.respondToOthers { _ in
            let fails = left.withLock { left in
                left -= 1
                return left >= 0
            }
            return fails ? .json(#"{"busy":"yes"}"#, status: 503) : last
        }
    }

    private static let again = RetryPolicy(maximumAttempts: 3, backoff: .constant(0.01))

    @Test("Nothing is set at first; copies have what is set, and all tasks have the same object")
    func values() throws {
        #expect(manager.retryPolicy == nil && manager.interceptors.isEmpty && manager.totalTimeout == nil)
        #expect(manager.maximumResponseBodySize == nil && !manager.resendsNonIdempotentRequests)
        #expect(manager.hostOverrides.isEmpty && manager.unixSocketPath == nil && manager.networkInterface == nil)
        #expect(manager.httpVersionPreference == .automatic && manager.strictTransportSecurity == nil)
        let security = StrictTransportSecurity()
        manager.retryPolicy = Self.again
        manager.interceptors = [TokenRefresher { "" }]
        manager.totalTimeout = 30
        manager.maximumResponseBodySize = -5
        manager.resendsNonIdempotentRequests = true
        manager.hostOverrides = ["a.test": "192.0.2.1"]
        manager.unixSocketPath = "/s"
        manager.networkInterface = "lo"
        manager.httpVersionPreference = .http1
        manager.strictTransportSecurity = security
        for each in [manager, try #require(manager.copy() as? HTTPSessionManager)] {
            #expect(each.totalTimeout == 30 && each.maximumResponseBodySize == 0)
            #expect(each.hostOverrides == ["a.test": "192.0.2.1"] && each.httpVersionPreference == .http1)
            let tasks: [URLSessionTask] = [
                each.dataTask(with: URLRequest(url: server.url())),
                each.downloadTask(with: URLRequest(url: server.url())),
                each.uploadTask(with: URLRequest(url: server.url()), from: Data()),
            ]
            let operations = try tasks.map { try #require(each.operation(for: $0)) }
            for operation in operations {
                #expect(operation.retryPolicy?.maximumAttempts == 3 && operation.totalTimeout == 30)
                #expect(operation.maximumResponseBodySize == 0 && operation.resendsNonIdempotentRequests)
                #expect(operation.unixSocketPath == "/s" && operation.networkInterface == "lo")
                #expect(operation.httpVersionPreference == .http1 && operation.strictTransportSecurity === security)
            }
            let shared = try #require(each.present.configuration as AnyObject?)
            #expect(each.present.configuration === shared as AnyObject?)
        }
    }

    @Test("A change counts for tasks that are made after it, of the same session")
    func change() throws {
        let (session, request) = (manager.session, URLRequest(url: server.url()))
        let before = manager.dataTask(with: request)
        manager.totalTimeout = 5
        let after = manager.dataTask(with: request)
        #expect(manager.session === session)
        #expect(manager.operation(for: before)?.totalTimeout == nil && manager.operation(for: after)?.totalTimeout == 5)
        #expect(manager.dataTask(with: request).originalRequest == before.originalRequest)
    }

    @Test("The time-out is the session configuration's unless the manager has one")
    func resourceTimeout() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForResource = 7
        let manager = HTTPSessionManager(baseURL: nil, sessionConfiguration: configuration)
        let request = URLRequest(url: server.url())
        #expect(manager.operation(for: manager.dataTask(with: request))?.totalTimeout == 7)
        manager.totalTimeout = 9
        #expect(manager.operation(for: manager.dataTask(with: request))?.totalTimeout == 9)
        manager.totalTimeout = nil
        #expect(manager.operation(for: manager.dataTask(with: request))?.totalTimeout == 7)
    }

    @Test("A retry policy: the handler is called once, with the last response, whatever the kind of task")
    func retries() async throws {
        manager.retryPolicy = Self.again
        fail(2)
        let outcome = await manager.getting("x")
        #expect(outcome.json == ["a": "b"] && server.requests.count == 3)
        let operation = outcome.task.flatMap { manager.operation(for: $0) }
        #expect(operation?.retryCount == 2)
        fail(1, then: .ok("content"))
        let directory = try TemporaryDirectory()
        let target = directory.file("target")
        let file = await manager.downloading(URLRequest(url: server.url("/file")), to: { _, _ in target })
        #expect(file.error == nil && file.url == target)
        #expect(try Data(contentsOf: target) == Data("content".utf8))
        fail(9)
        let last = await manager.getting("y")
        #expect(last.status == 503 && last.error is ResponseSerializationError)
        #expect((last.error as? ResponseSerializationError)?.responseObject as? [String: String] == ["busy": "yes"])
    }

    @Test("A response that another attempt follows is shown to no block; the last one is, whatever its status")
    func retriesBehindBlocks() async throws {
        manager.retryPolicy = Self.again
        let seen = Notes<String>()
        manager.setDataTaskDidReceiveResponseBlock { _, _, response in
            seen.add("response \((response as? HTTPURLResponse)?.statusCode ?? 0)")
            return .allow
        }
        manager.setDataTaskDidReceiveDataBlock { _, _, data in seen.add("data \(data.count)") }
        fail(1)
        #expect(await manager.getting("x").json == ["a": "b"])
        #expect(seen.all == ["response 200", "data 9"] && server.requests.count == 2)
        fail(9)
        let last = await manager.getting("y")
        #expect(last.status == 503 && (last.error as? ResponseSerializationError)?.responseObject != nil)
        #expect(seen.all == ["response 200", "data 9", "response 503", "data 14"])
    }

    @Test("The last response is refused or becomes a download like any other")
    func retriesBehindDispositions() async throws {
        manager.retryPolicy = Self.again
        fail(9)
        manager.setDataTaskDidReceiveResponseBlock { _, _, _ in .cancel }
        #expect(await manager.getting("x").code == URLError.cancelled.rawValue)
        let directory = try TemporaryDirectory()
        let target = directory.file("target")
        manager.setDataTaskDidReceiveResponseBlock { _, _, _ in URLSession.ResponseDisposition(rawValue: 2) ?? .allow }
        let content = Notes<Data>()
        manager.setDownloadTaskDidFinishDownloadingBlock { _, _, location in
            content.add((try? Data(contentsOf: location)) ?? Data())
            return target
        }
        manager.responseSerializer = HTTPResponseSerializer()
        manager.responseSerializer.acceptableStatusCodes = nil
        _ = await manager.getting("y")
        #expect(content.all == [Data(#"{"busy":"yes"}"#.utf8)])
        #expect(try Data(contentsOf: target) == Data(#"{"busy":"yes"}"#.utf8))
    }

    @Test("A token refresher: refused requests are sent again with the new token, which stays with the origin")
    func token() async throws {
        let other = try TestServer()
        other.respondToOthers { _ in .json("{}") }
        server.respondToOthers { $0["Authorization"] == "Bearer new" ? .json("{}") : .status(401) }
        let refreshes = Notes<Int>()
        manager.interceptors = [
            TokenRefresher(token: "old") {
                refreshes.add(1)
                return "new"
            }
        ]
        #expect(await manager.getting("x").error == nil && refreshes.all == [1])
        #expect(server.requests.map { $0["Authorization"] } == ["Bearer old", "Bearer new"])
        _ = await manager.getting(other.url("/x").absoluteString)
        #expect(other.requests.last?["Authorization"] == nil)
        manager.sendsAuthorizationToOtherOrigins = true
        _ = await manager.getting(other.url("/x").absoluteString)
        #expect(other.requests.last?["Authorization"] == "Bearer new")
    }

    @Test("The limits of time and size hold")
    func limits() async throws {
        manager.totalTimeout = 0.2
        server.respond(to: "/slow", .script([.stall]))
        #expect(await manager.getting("slow").code == URLError.timedOut.rawValue)
        manager.totalTimeout = nil
        manager.maximumResponseBodySize = 8
        #expect(await manager.getting("x").code == URLError.Code.dataLengthExceedsMaximum.rawValue)
        manager.maximumResponseBodySize = 9
        #expect(await manager.getting("x").json == ["a": "b"])
    }

    @Test("A limit above the usual one holds, also where a block gets the content piece by piece")
    func largeLimit() async throws {
        let count = (256 << 20) + 1
        server.respond(to: "/big", ScriptedResponse(body: .pattern(count: count)))
        manager.responseSerializer = HTTPResponseSerializer()
        manager.setDataTaskDidReceiveDataBlock { _, _, _ in }
        #expect(await manager.getting("big").code == URLError.Code.dataLengthExceedsMaximum.rawValue)
        manager.maximumResponseBodySize = Int64(count)
        #expect((await manager.getting("big").object as? Data)?.count == count)
    }

    @Test("A host is asked at the address that stands for it")
    func overrides() async throws {
        manager.hostOverrides = ["api.test": "127.0.0.1"]
        let outcome = await manager.getting("http://api.test:\(server.port)/x")
        #expect(outcome.json == ["a": "b"] && server.requests.last?["Host"] == "api.test:\(server.port)")
    }

    @Test("Bodies of a form of their own, by every verb that has one")
    func bodies() async throws {
        server.respondToOthers { .json("{\"method\":\"\($0.method)\",\"type\":\"\($0["Content-Type"] ?? "")\"}") }
        manager.requestSerializer.setValue("yes", forHTTPHeaderField: "X-Serializer")
        let sent = Notes<Int64>()
        let json = await manager.outcome {
            manager.post(
                "x", body: .json(["k": 1]), headers: ["X-Own": "1"], progress: { sent.add($0.completedUnitCount) },
                success: $0, failure: $1)
        }
        #expect(json.json == ["method": "POST", "type": "application/json"] && sent.all.last == 7)
        #expect(server.requests.last?.text == #"{"k":1}"# && server.requests.last?["X-Own"] == "1")
        #expect(server.requests.last?["X-Serializer"] == "yes")
        let form = await manager.outcome {
            manager.put("x", body: .form(["a": "b c"]), success: $0, failure: $1)
        }
        #expect(form.json["method"] == "PUT" && server.requests.last?.text == "a=b%20c")
        let data = await manager.outcome {
            manager.patch("x", body: .data(Data("d".utf8), contentType: "text/x"), success: $0, failure: $1)
        }
        #expect(data.json == ["method": "PATCH", "type": "text/x"] && server.requests.last?.text == "d")
        let parts = RequestBody.multipart(["p": "q"]) { $0.appendPart(withForm: Data("r".utf8), name: "s") }
        let multipart = await manager.outcome {
            let task = manager.dataTask(
                withHTTPMethod: "POST", URLString: "x", body: parts, success: $0, failure: $1)
            task?.resume()
            return task
        }
        #expect(multipart.json["type"]?.hasPrefix("multipart/form-data; boundary=") == true)
        #expect(server.requests.last?.text.contains("name=\"s\"\r\n\r\nr\r\n") == true)
        let unmade = await manager.outcome {
            manager.post("x", body: .json(["k": Double.nan]), success: $0, failure: $1)
        }
        #expect(unmade.task == nil && unmade.error is RequestSerializationError)
    }

    @Test("An archive records a manager's tasks")
    func archive() async throws {
        let archive = HTTPArchive(maximumBodySize: 100)
        archive.record(manager)
        _ = await manager.getting("recorded")
        try await eventually("the entry") {
            String(decoding: (try? archive.data()) ?? Data(), as: UTF8.self).contains("/recorded")
        }
    }
}
