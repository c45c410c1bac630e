// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite(.timeLimit(.minutes(1))) struct ArchiveTests {
    private static func archive(_ operation: HTTPRequestOperation) throws -> Data {
        try NSKeyedArchiver.archivedData(withRootObject: operation, requiringSecureCoding: true)
    }

    private static func restore(_ data: Data) throws -> HTTPRequestOperation? {
        let operation = try NSKeyedUnarchiver.unarchivedObject(ofClass: HTTPRequestOperation.self, from: data)
        operation?.completionQueue = DispatchQueue(label: "restored")
        return operation
    }

    private static func roundTrip(_ operation: HTTPRequestOperation) throws -> HTTPRequestOperation {
        try #require(try restore(archive(operation)))
    }

    @Test("The request comes back with all its settings, and the operation runs")
    func ready() async throws {
        let server = try TestServer()
        server.respondToOthers { .ok("\($0.method) \($0["X-A"] ?? "") \($0.text)") }
        var request = URLRequest(url: server.url("/a?b=c"))
        request.httpMethod = "PUT"
        request.httpBody = Data("content".utf8)
        request.setValue("one", forHTTPHeaderField: "X-A")
        request.timeoutInterval = 17
        request.cachePolicy = .reloadIgnoringLocalCacheData
        request.allowsCellularAccess = false
        request.httpShouldHandleCookies = false
        request.mainDocumentURL = URL(string: "http://main.example/")
        let operation = HTTPRequestOperation(request: request)
        operation.shouldUseCredentialStorage = false
        operation.maximumResponseBodySize = 12345
        operation.totalTimeout = 67
        operation.dependencyFailurePolicy = .cancel
        operation.dependentsWaitForCompletionBlocks = true
        let restored = try Self.roundTrip(operation)
        #expect(restored.state == .ready && restored.error == nil && restored.response == nil)
        #expect(restored.request == request)
        #expect(restored.request.httpBody == request.httpBody && restored.request.timeoutInterval == 17)
        #expect(restored.request.cachePolicy == .reloadIgnoringLocalCacheData)
        #expect(!restored.request.allowsCellularAccess && !restored.request.httpShouldHandleCookies)
        #expect(restored.request.mainDocumentURL == request.mainDocumentURL)
        #expect(!restored.shouldUseCredentialStorage && restored.maximumResponseBodySize == 12345)
        #expect(restored.totalTimeout == 67)
        #expect(restored.dependencyFailurePolicy == .cancel && restored.dependentsWaitForCompletionBlocks)
        await restored.run()
        #expect(restored.responseString == "PUT one content")
    }

    @Test("A finished operation comes back finished, with its result, and does not run again")
    func finished() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .json("{\"a\": 1}").adding(header: "X-Answer", "42") }
        let operation = HTTPRequestOperation.make(server.url())
        operation.responseSerializer = JSONResponseSerializer()
        await operation.run()
        let restored = try Self.roundTrip(operation)
        #expect(restored.isFinished && !restored.isExecuting && !restored.isCancelled && restored.error == nil)
        #expect(restored.responseString == "{\"a\": 1}")
        #expect(restored.responseObject as? [String: Int] == ["a": 1])
        #expect(restored.response?.statusCode == 200)
        #expect(restored.response?.value(forHTTPHeaderField: "X-Answer") == "42")
        #expect(restored.response?.url == server.url())
        restored.start()
        restored.pause()
        restored.cancel()
        #expect(restored.isFinished && !restored.isCancelled && server.requests.count == 1)
        let dependent = HTTPRequestOperation.make(server.url())
        dependent.addDependency(restored as Operation)
        RequestOperationQueue().addOperation(dependent)
        await dependent.completed()
    }

    @Test("A failed, a badly answered and a cancelled operation come back as such")
    func failures() async throws {
        let server = try TestServer()
        server.respond(to: "/bad", ScriptedResponse(status: 503, body: .text("busy")))
        let failed = HTTPRequestOperation.make()
        await failed.run()
        let restoredFailed = try Self.roundTrip(failed)
        #expect(restoredFailed.isFinished && (restoredFailed.error as? URLError)?.code == .unsupportedURL)
        #expect(restoredFailed.error?.localizedDescription == failed.error?.localizedDescription)

        let bad = HTTPRequestOperation.make(server.url("/bad"))
        await bad.run()
        let restoredBad = try Self.roundTrip(bad)
        #expect(restoredBad.isFinished && restoredBad.error is ResponseSerializationError)
        #expect(restoredBad.responseString == "busy" && restoredBad.response?.statusCode == 503)

        let cancelled = HTTPRequestOperation.make()
        cancelled.cancel()
        let restoredPending = try Self.roundTrip(cancelled)
        #expect(restoredPending.isCancelled && !restoredPending.isFinished)
        await restoredPending.run()
        #expect(restoredPending.isCancelledError)
        await cancelled.run()
        let restoredCancelled = try Self.roundTrip(cancelled)
        #expect(restoredCancelled.isFinished && restoredCancelled.isCancelled && restoredCancelled.isCancelledError)
    }

    @Test(
        "A paused operation comes back paused, and continues at its offset when it is resumed",
        arguments: ["resume", "queue", "plain queue"])
    func paused(how: String) async throws {
        let server = try TestServer()
        let content = Data.random(50_000)
        let index = Tally()
        server.respondToOthers { _ in
            let response = ScriptedResponse.ranged(content, etag: "\"a\"")
            return index.increment() == 1 ? response.ending(.stall, afterBodyBytes: 20_000) : response
        }
        let operation = HTTPRequestOperation.make(server.url())
        let progress = Recorder<Int64>()
        operation.setDownloadProgressBlock { _, total, _ in progress.append(total) }
        operation.start()
        try await eventually { progress.last == 20_000 }
        operation.pause()
        let archive = try Self.archive(operation)
        let restored = try #require(try Self.restore(archive))
        #expect(restored.isPaused && restored.response?.statusCode == 200)
        let endings = Endings(restored)
        switch how {
        case "resume":
            restored.resume()
        case "queue":
            let queue = RequestOperationQueue()
            queue.addOperation(restored)
            restored.resume()
        default:
            let queue = OperationQueue()
            queue.addOperation(restored)
            restored.resume()
        }
        await restored.completed()
        #expect(restored.responseData == content, "\(String(describing: restored.error))")
        await endings.reached()
        #expect(endings.finishes.value == 1 && endings.completions.value == 1)
        #expect(server.requests.map { $0["Range"] } == [nil, "bytes=20000-"])
        // The original is not touched by having been archived.
        operation.resume()
        await operation.completed()
        #expect(operation.responseData == content)
    }

    @Test("An executing operation comes back ready, with what it had received")
    func executing() async throws {
        let server = try TestServer()
        let content = Data.random(50_000)
        let index = Tally()
        server.respondToOthers { _ in
            let response = ScriptedResponse.ranged(content, etag: "\"a\"")
            return index.increment() == 1 ? response.ending(.stall, afterBodyBytes: 20_000) : response
        }
        let operation = HTTPRequestOperation.make(server.url())
        let progress = Recorder<Int64>()
        operation.setDownloadProgressBlock { _, total, _ in progress.append(total) }
        operation.start()
        try await eventually { progress.last == 20_000 }
        let restored = try Self.roundTrip(operation)
        #expect(operation.isExecuting && restored.state == .ready)
        await restored.run()
        #expect(restored.responseData == content)
        #expect(server.requests.last?["Range"] == "bytes=20000-")
        operation.cancel()
        await operation.completed()
    }

    @Test("What changed since an operation was archived is not appended to")
    func changed() async throws {
        let server = try TestServer()
        let index = Tally()
        let other = Data.random(30_000, seed: 3)
        server.respondToOthers { _ in
            index.increment() == 1
                ? .ranged(Data.random(50_000), etag: "\"a\"").ending(.stall, afterBodyBytes: 20_000)
                : .ranged(other, etag: "\"b\"")
        }
        let operation = HTTPRequestOperation.make(server.url())
        let progress = Recorder<Int64>()
        operation.setDownloadProgressBlock { _, total, _ in progress.append(total) }
        operation.start()
        try await eventually { progress.last == 20_000 }
        operation.pause()
        let restored = try Self.roundTrip(operation)
        restored.resume()
        await restored.completed()
        #expect(restored.responseData == other)
        operation.cancel()
    }

    @Test("Serializers come back with their settings, the security policy with its pins")
    func settings() throws {
        let operation = HTTPRequestOperation.make()
        let json = JSONResponseSerializer(readingOptions: [.fragmentsAllowed])
        json.removesKeysWithNullValues = true
        json.acceptableContentTypes = ["application/x-own"]
        json.acceptableStatusCodes = IndexSet(integer: 204)
        operation.responseSerializer = json
        let policy = SecurityPolicy(pinningMode: .publicKey, pinnedCertificates: [])
        policy.validatesDomainName = false
        policy.allowInvalidCertificates = true
        operation.securityPolicy = policy
        let destination = DownloadDestination(
            fileURL: URL(fileURLWithPath: "/tmp/x"), existingFile: .refuse, sha256: Data(repeating: 1, count: 32),
            continuesPartialFile: false)
        operation.downloadDestination = destination
        let restored = try Self.roundTrip(operation)
        let serializer = try #require(restored.responseSerializer as? JSONResponseSerializer)
        #expect(serializer.removesKeysWithNullValues && serializer.readingOptions == [.fragmentsAllowed])
        #expect(serializer.acceptableContentTypes == ["application/x-own"])
        #expect(serializer.acceptableStatusCodes == IndexSet(integer: 204))
        #expect(restored.securityPolicy.sslPinningMode == .publicKey)
        #expect(!restored.securityPolicy.validatesDomainName && restored.securityPolicy.allowInvalidCertificates)
        #expect(restored.downloadDestination == nil)
    }

    @Test("A request whose content was a stream fails clearly, unless it gets a new one")
    func stream() async throws {
        let server = try TestServer()
        server.respondToOthers { .ok($0.text) }
        let operation = HTTPRequestOperation.make(server.url(), method: "POST")
        operation.inputStream = InputStream(data: Data("content".utf8))
        let lost = try Self.roundTrip(operation)
        await lost.run()
        #expect(lost.error?.localizedDescription.contains("inputStream") == true)
        #expect(server.connectionCount == 0)
        let supplied = try Self.roundTrip(operation)
        supplied.inputStream = InputStream(data: Data("again".utf8))
        await supplied.run()
        #expect(supplied.responseString == "again")
    }

    /// A finished operation with everything that an archive can hold.
    private static func full() async throws -> HTTPRequestOperation {
        let server = try TestServer()
        server.respondToOthers { _ in .json("{\"a\": 1}") }
        let operation = HTTPRequestOperation.make(server.url())
        operation.responseSerializer = JSONResponseSerializer()
        await operation.run()
        // No such certificate is needed without TLS, and none exists.
        operation.securityPolicy = SecurityPolicy(pinningMode: .certificate, pinnedCertificates: [Data([1])])
        return operation
    }

    /// Looks at everything that an archive gives.
    private static func use(_ operation: HTTPRequestOperation) async {
        _ = (operation.description, operation.responseObject, operation.error, operation.response, operation.request)
        operation.completionQueue = DispatchQueue(label: "used")
        operation.cancel()
        operation.start()
        await operation.finished()
    }

    @Test("The snapshot's data give the same operation as the keyed archive")
    func ownData() async throws {
        let operation = try await Self.full()
        let restored = try HTTPRequestOperation(archivedData: operation.archivedData())
        #expect(restored.isFinished && restored.responseObject as? [String: Int] == ["a": 1])
        #expect(restored.securityPolicy.sslPinningMode == .certificate)
    }

    @Test("A keyed archive, or a snapshot's data, cut off anywhere: refused")
    func truncated() async throws {
        let operation = try await Self.full()
        let keyed = try Self.archive(operation)
        for length in 0..<keyed.count {
            #expect((try? Self.restore(keyed.prefix(length))) == nil, "\(length) of \(keyed.count) bytes")
        }
        let own = try operation.archivedData()
        for length in 0..<own.count {
            #expect(throws: CocoaError.self, "\(length) of \(own.count) bytes") {
                try HTTPRequestOperation(archivedData: own.prefix(length))
            }
        }
    }

    @Test("Damaged data are refused or restored, and never crash; nor does anything that comes of them")
    func damaged() async throws {
        let data = try await Self.full().archivedData()
        var random = SeededRandom(seed: 21)
        var refused = 0
        for _ in 0..<3000 {
            var damaged = data
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let index = Int.random(in: 0..<damaged.count, using: &random)
                damaged[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
            if let restored = try? HTTPRequestOperation(archivedData: damaged) {
                await Self.use(restored)
            } else {
                refused += 1
            }
        }
        #expect(refused > 0)
    }

    @Test("Damaged bytes inside the archived policy and serializer are refused: the operation says so when started")
    func damagedNested() async throws {
        let data = try await Self.full().archivedData()
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        var random = SeededRandom(seed: 22)
        for key in ["securityPolicy", "responseSerializer"] {
            let nested = try #require(object[key] as? [String: Any])
            let text = try #require(nested["content"] as? String)
            let content = try #require(Data(base64Encoded: text))
            for _ in 0..<1500 {
                var damaged = content
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let index = Int.random(in: 0..<damaged.count, using: &random)
                    damaged[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                }
                var (changed, inner) = (object, nested)
                inner["content"] = damaged.base64EncodedString()
                changed[key] = inner
                let archive = try JSONSerialization.data(withJSONObject: changed)
                if let restored = try? HTTPRequestOperation(archivedData: archive) { await Self.use(restored) }
            }
        }
    }

    @Test("Damaged settings inside a whole archive are refused, one field at a time")
    func damagedFields() throws {
        let settings = try HTTPRequestOperation.make().archivedData()
        let object = try #require(try JSONSerialization.jsonObject(with: settings) as? [String: Any])
        let junk: [Any] = [-1, 1e300, "x", [1], ["a": "b"], NSNull(), true]
        for key in object.keys.sorted() {
            for value in junk {
                var changed = object
                changed[key] = value
                let writer = NSKeyedArchiver(requiringSecureCoding: true)
                writer.encode(try JSONSerialization.data(withJSONObject: changed) as NSData, forKey: "operation")
                writer.finishEncoding()
                let decoder = try NSKeyedUnarchiver(forReadingFrom: writer.encodedData)
                decoder.decodingFailurePolicy = .setErrorAndReturn
                if let restored = HTTPRequestOperation(coder: decoder) {
                    _ = (restored.description, restored.responseObject, restored.error)
                }
            }
        }
    }

    @Test("Data of something else are refused")
    func foreign() throws {
        let texts = ["", "[]", "{}", "null", "not an archive", "{\"request\": 1}", "{\"state\": 3}"]
        for data in texts.map({ Data($0.utf8) }) + [try Self.archive(HTTPRequestOperation.make())] {
            #expect(throws: CocoaError.self) { try HTTPRequestOperation(archivedData: data) }
        }
    }

    @Test("A coder without keys, or without an operation in it, gives none")
    func emptyCoder() throws {
        let writer = NSKeyedArchiver(requiringSecureCoding: true)
        writer.encode(NSData(data: Data("[]".utf8)), forKey: "operation")
        writer.finishEncoding()
        let reader = try NSKeyedUnarchiver(forReadingFrom: writer.encodedData)
        reader.decodingFailurePolicy = .setErrorAndReturn
        #expect(HTTPRequestOperation(coder: reader) == nil)
    }
}
