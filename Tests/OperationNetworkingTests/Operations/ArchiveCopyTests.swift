// SPDX-License-Identifier: MIT
import Foundation
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite(.timeLimit(.minutes(1))) struct ArchiveCopyTests {
    private static func copy(_ operation: HTTPRequestOperation) throws -> HTTPRequestOperation {
        try #require(operation.copy() as? HTTPRequestOperation)
    }

    @Test("Everything that was set is carried over")
    func settings() throws {
        let operation = HTTPRequestOperation.make()
        let policy = SecurityPolicy(pinningMode: .certificate, pinnedCertificates: [Data([1, 2])])
        let credential = URLCredential(user: "u", password: "p", persistence: .forSession)
        let (queue, group) = (DispatchQueue(label: "q"), DispatchGroup())
        operation.securityPolicy = policy
        operation.credential = credential
        operation.shouldUseCredentialStorage = false
        operation.completionQueue = queue
        operation.completionGroup = group
        operation.userInfo = ["a": 1]
        operation.runLoopModes = [.default]
        operation.maximumResponseBodySize = 77
        operation.totalTimeout = 78
        operation.dependencyFailurePolicy = .cancel
        operation.dependentsWaitForCompletionBlocks = true
        operation.downloadDestination = DownloadDestination(fileURL: URL(fileURLWithPath: "/tmp/copy"))
        operation.name = "name"
        operation.queuePriority = .high
        operation.qualityOfService = .utility
        let serializer = JSONResponseSerializer()
        serializer.removesKeysWithNullValues = true
        operation.responseSerializer = serializer
        let copy = try Self.copy(operation)
        #expect(copy !== operation && copy.request == operation.request)
        #expect(copy.securityPolicy === policy || copy.securityPolicy.pinnedCertificates == policy.pinnedCertificates)
        #expect(copy.securityPolicy.sslPinningMode == .certificate)
        #expect(copy.credential == credential && !copy.shouldUseCredentialStorage)
        #expect(copy.completionQueue === queue && copy.completionGroup === group)
        #expect(copy.userInfo["a"] as? Int == 1 && copy.runLoopModes == [.default])
        #expect(copy.maximumResponseBodySize == 77 && copy.totalTimeout == 78)
        #expect(copy.dependencyFailurePolicy == .cancel && copy.dependentsWaitForCompletionBlocks)
        #expect(copy.downloadDestination == operation.downloadDestination)
        #expect(copy.name == "name" && copy.queuePriority == .high && copy.qualityOfService == .utility)
        let copied = try #require(copy.responseSerializer as? JSONResponseSerializer)
        #expect(copied !== serializer && copied.removesKeysWithNullValues)
    }

    @Test("The blocks are carried over and called for the copy; completion, streams and results are not")
    func blocks() async throws {
        let server = try TestServer()
        server.respond(to: "/redirect", .redirect(to: "/page"))
        server.respond(
            to: "/page",
            ScriptedResponse(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")], body: .text("no")))
        server.respond(to: "/cached", .ok("x"))
        let log = Recorder<String>()
        let operation = HTTPRequestOperation.make(server.url("/redirect"), method: "PUT")
        operation.setRedirectResponseBlock { _, request, response in
            if response != nil { log.append("redirect") }
            return request
        }
        operation.setWillSendRequestForAuthenticationChallengeBlock { _, _ in
            log.append("challenge")
            return .rejectProtectionSpace
        }
        operation.setDownloadProgressBlock { _, _, _ in log.append("download") }
        operation.outputStream = .toMemory()
        operation.completionBlock = { log.append("completion") }
        await operation.run()
        #expect(log.values.contains("completion"))
        log.removeAll()
        let copy = try Self.copy(operation)
        #expect(copy.state == .ready && copy.response == nil && copy.responseData == nil && copy.error == nil)
        #expect(copy.completionBlock == nil && copy.outputStream == nil && copy.metrics == nil)
        await copy.run()
        try await eventually { log.values.contains("download") }
        #expect(
            log.values.contains("redirect") && log.values.contains("challenge") && !log.values.contains("completion"))

        let cached = HTTPRequestOperation.make(server.url("/cached"))
        cached.setCacheResponseBlock { _, _ in
            log.append("cache")
            return nil
        }
        log.removeAll()
        await (try Self.copy(cached)).run()
        #expect(log.values == ["cache"])
    }

    @Test("A copy of a paused, a cancelled or a failed operation is fresh, and runs")
    func fresh() async throws {
        let server = try TestServer()
        let content = Data.random(10_000)
        let index = Tally()
        server.respondToOthers { _ in
            let response = ScriptedResponse.ranged(content, etag: "\"a\"")
            return index.increment() == 1 ? response.ending(.stall, afterBodyBytes: 10) : response
        }
        let operation = HTTPRequestOperation.make(server.url())
        operation.start()
        try await eventually { operation.response != nil }
        operation.pause()
        let ofPaused = try Self.copy(operation)
        #expect(ofPaused.request.value(forHTTPHeaderField: "Range") == nil)
        operation.cancel()
        let ofCancelled = try Self.copy(operation)
        await operation.completed()
        let ofFailed = try Self.copy(operation)
        for copy in [ofPaused, ofCancelled, ofFailed] {
            #expect(copy.state == .ready && !copy.isCancelled)
            await copy.run()
            #expect(copy.responseData == content)
        }
        #expect(server.requests.map { $0["Range"] } == [nil, nil, nil, nil])
    }

    @Test("A copy has a multipart content of its own")
    func multipart() async throws {
        let server = try TestServer()
        server.respondToOthers { .ok("\($0.bodyLength)") }
        let request = try HTTPRequestSerializer().multipartFormRequest(
            withMethod: "POST", urlString: server.url().absoluteString, parameters: ["a": "b"],
            constructingBodyWith: nil)
        let operation = HTTPRequestOperation(request: request)
        operation.completionQueue = DispatchQueue(label: "test")
        await operation.run()
        let copy = try Self.copy(operation)
        await copy.run()
        #expect(copy.error == nil && copy.responseString == operation.responseString)
        #expect(server.requests.map(\.body).first == server.requests.map(\.body).last)
    }

    @Test("A copy is of the same class, and does not take part in the dependencies")
    func subclass() throws {
        let operation = CountedOperation(request: URLRequest(url: unsupportedURL))
        operation.addDependency(HTTPRequestOperation.make() as Operation)
        let copy = try #require(operation.copy() as? CountedOperation)
        #expect(copy.dependencies.isEmpty && copy.isReady)
    }
}
