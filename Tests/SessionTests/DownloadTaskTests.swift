// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
@testable import OperationNetworkingSessions

@Suite struct DownloadTaskTests {
    static let content = Data((0..<(4 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ ($0 >> 8)) })

    /// The first response stops in the middle until the gate is open; the others are complete.
    func stoppingServer(_ gate: Gate, etag: @escaping @Sendable () -> String = { "\"a\"" }) throws -> TestServer {
        let server = try TestServer()
        server.respond(to: "/file") { request in
            let response = ScriptedResponse.ranged(Self.content, etag: etag())
            guard request["Range"] == nil, !gate.isOpen else { return response }
            return response.ending(.stall, afterBodyBytes: 1 << 20)
        }
        return server
    }

    func resumeData(_ session: URLSession, _ server: TestServer, _ gate: Gate) async throws -> Data {
        let delegate = RecordingDelegate()
        let task = session.downloadTask(with: server.url("/file"))
        task.delegate = delegate
        task.resume()
        try await eventually("content comes") { task.countOfBytesReceived == 1 << 20 }
        let data: Data? = await withCheckedContinuation { continuation in
            task.cancel { continuation.resume(returning: $0) }
        }
        await delegate.isComplete.wait()
        let error = try #require(delegate.error as? URLError)
        #expect(error.code == .cancelled)
        #expect(error.userInfo[URLSessionDownloadTaskResumeData] as? Data == data)
        gate.open()
        return try #require(data)
    }

    @Test func resumeDataGoOnWhereTheDownloadStopped() async throws {
        let gate = Gate()
        let server = try stoppingServer(gate)
        let data = try await resumeData(OperationURLSession(configuration: .ephemeral), server, gate)
        // Another session, as after a restart.
        let delegate = RecordingDelegate()
        OperationURLSession(configuration: .ephemeral, delegate: delegate).downloadTask(withResumeData: data).resume()
        await delegate.isComplete.wait()
        #expect(delegate.error == nil)
        #expect(delegate.file == Self.content)
        #expect(delegate.events.first == "resume \(1 << 20) of \(Self.content.count)")
        #expect(server.requests.last?["Range"] == "bytes=\(1 << 20)-")
    }

    @Test("A server that takes the end of a range for the byte after the last has sent all of it")
    func exclusiveEnd() async throws {
        let gate = Gate()
        let server = try TestServer()
        server.respondToOthers { request in
            guard let range = request["Range"], let start = Int(range.dropFirst(6).dropLast()) else {
                return ScriptedResponse.ranged(Self.content, etag: "\"a\"").ending(.stall, afterBodyBytes: 1 << 20)
            }
            return ScriptedResponse(
                status: 206,
                headers: [("Content-Range", "bytes \(start)-\(Self.content.count)/*"), ("ETag", "\"a\"")],
                body: .data(Self.content[start...]))
        }
        let data = try await resumeData(OperationURLSession(configuration: .ephemeral), server, gate)
        let session = OperationURLSession(configuration: .ephemeral)
        let outcome = await session.downloading {
            session.downloadTask(withResumeData: data, completionHandler: $0)
        }
        #expect(outcome.error == nil && outcome.status == 206 && outcome.file == Self.content)
        #expect(server.requests.map { $0["Range"] } == [nil, "bytes=\(1 << 20)-"])
    }

    @Test("What goes on says what the request said that stopped")
    func resumedRequest() throws {
        let server = try TestServer()
        var request = URLRequest(
            url: server.url("/file"), cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 7)
        request.httpShouldHandleCookies = false
        request.mainDocumentURL = server.url("/page")
        request.setValue("x", forHTTPHeaderField: "X-Own")
        let location = SessionDownloadFile.newLocation()
        defer { SessionDownloadFile.remove(location) }
        let partial = PartialFile(clean: DownloadDestination(fileURL: location), of: request.url)
        try Data("content".utf8).write(to: URL(fileURLWithPath: partial.path))
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: partial.path))
        let representation = Representation(validator: "\"a\"", source: nil, totalLength: 100, offset: 7)
        #expect(partial.note(representation, of: file.fileDescriptor) == 0)
        let data = try #require(SessionResumeData(request: request, location: location)?.encoded())
        let session = OperationURLSession(configuration: .ephemeral)
        let again = try #require(session.downloadTask(withResumeData: data).originalRequest)
        #expect(!again.httpShouldHandleCookies && again.cachePolicy == request.cachePolicy)
        #expect(again.timeoutInterval == 7 && again.mainDocumentURL == request.mainDocumentURL)
        #expect(again.url == request.url && again.value(forHTTPHeaderField: "X-Own") == "x")
    }

    @Test("What came to a partial file after its resume data were made is not taken for content")
    func grownFile() async throws {
        let gate = Gate()
        let server = try stoppingServer(gate)
        let data = try await resumeData(OperationURLSession(configuration: .ephemeral), server, gate)
        let location = try #require(SessionResumeData(data)).location
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: location.path + ".part"))
        try file.seekToEnd()
        try file.write(contentsOf: Data(count: 5000))
        try file.close()
        let session = OperationURLSession(configuration: .ephemeral)
        let outcome = await session.downloading {
            session.downloadTask(withResumeData: data, completionHandler: $0)
        }
        #expect(outcome.error == nil && outcome.file == Self.content)
        #expect(server.requests.last?["Range"] == "bytes=\(1 << 20)-")
    }

    @Test func aServerWithOtherContentStartsOver() async throws {
        let gate = Gate()
        let server = try stoppingServer(gate) { gate.isOpen ? "\"b\"" : "\"a\"" }
        let data = try await resumeData(OperationURLSession(configuration: .ephemeral), server, gate)
        let session = OperationURLSession(configuration: .ephemeral)
        let outcome = await session.downloading {
            session.downloadTask(withResumeData: data, completionHandler: $0)
        }
        #expect(outcome.error == nil)
        #expect(outcome.file == Self.content)
    }

    @Test func aLostConnectionLeavesResumeData() async throws {
        let server = try TestServer()
        server.enqueue(ScriptedResponse.ranged(Self.content, etag: "\"a\"").ending(.reset, afterBodyBytes: 1 << 20))
        let session = OperationURLSession(configuration: .ephemeral)
        let outcome = await session.downloading { session.downloadTask(with: server.url(), completionHandler: $0) }
        let error = try #require(outcome.error as? URLError)
        #expect(error.code == .networkConnectionLost)
        let data = try #require(error.userInfo[URLSessionDownloadTaskResumeData] as? Data)
        server.enqueue(ScriptedResponse.ranged(Self.content, etag: "\"a\""))
        let resumed = await session.downloading {
            session.downloadTask(withResumeData: data, completionHandler: $0)
        }
        #expect(resumed.file == Self.content)
        #expect(resumed.status == 206)
    }

    @Test func damagedResumeDataAreAFailedTask() async throws {
        let gate = Gate()
        let server = try stoppingServer(gate)
        let data = try await resumeData(OperationURLSession(configuration: .ephemeral), server, gate)
        let session = OperationURLSession(configuration: .ephemeral)
        var damaged = [Data(), Data("<plist/>".utf8), data.dropLast(), data + [0], Data(count: 1 << 20)]
        for index in stride(from: 0, to: data.count, by: 17) {
            var other = data
            other[index] ^= 1
            damaged.append(other)
        }
        for data in damaged {
            let outcome = await session.downloading {
                session.downloadTask(withResumeData: data, completionHandler: $0)
            }
            #expect(outcome.code == .unsupportedURL)
            #expect(outcome.location == nil)
        }
        let file = try #require(SessionResumeData(data)).location
        SessionDownloadFile.remove(file)
    }

    @Test func resumeDataOfAnotherPlaceAreNotOurs() throws {
        for path in ["/etc/passwd", "/tmp/../etc/x", NSTemporaryDirectory() + "/other.tmp"] {
            #expect(!SessionDownloadFile.isLocation(URL(fileURLWithPath: path)))
        }
        #expect(SessionDownloadFile.isLocation(SessionDownloadFile.newLocation()))
    }

    @Test func aCancelledDownloadLeavesNothing() async throws {
        let gate = Gate()
        let server = try stoppingServer(gate)
        let delegate = RecordingDelegate()
        let session = OperationURLSession(configuration: .ephemeral, delegate: delegate)
        let task = session.downloadTask(with: server.url("/file"))
        task.resume()
        try await eventually("content comes") { task.countOfBytesReceived > 0 }
        let location = try #require((task as? any SessionTaskFace)?.task.downloadLocation)
        task.cancel()
        await delegate.isComplete.wait()
        let error = try #require(delegate.error as? URLError)
        #expect(error.userInfo[URLSessionDownloadTaskResumeData] == nil)
        for suffix in ["", ".part", ".part.json"] {
            #expect(!FileManager.default.fileExists(atPath: location.path + suffix))
        }
    }

    @Test func aBadStatusIsAFile() async throws {
        let server = try TestServer()
        server.respond(to: "/", ScriptedResponse(status: 404, body: .text("not here")))
        let session = OperationURLSession(configuration: .ephemeral)
        let outcome = await session.downloading { session.downloadTask(with: server.url(), completionHandler: $0) }
        #expect(outcome.status == 404)
        #expect(outcome.file == Data("not here".utf8))
    }

    @Test func suspendingDuplicatesNoByte() async throws {
        let gate = Gate()
        let server = try stoppingServer(gate)
        let session = OperationURLSession(configuration: .ephemeral)
        let outcome = await withCheckedContinuation { continuation in
            let task = session.dataTask(with: server.url("/file")) {
                continuation.resume(returning: TaskOutcome(data: $0, response: $1, error: $2))
            }
            task.resume()
            Task {
                try await eventually("content comes") { task.countOfBytesReceived == 1 << 20 }
                task.suspend()
                task.suspend()
                #expect(task.state == .suspended)
                gate.open()
                task.resume()
                #expect(task.state == .suspended)
                task.resume()
                // The rest may have come by now.
                #expect(task.state != .suspended)
            }
        }
        #expect(outcome.data == Self.content)
    }
}

extension SessionDownloadFile {
    /// Removes whatever there is of a download.
    static func remove(_ location: URL) {
        removeTarget(location)
        removePart(location)
    }
}
