// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSessions

// Several downloads of the same resume data.

extension DownloadTaskTests {
    /// The first response stops in the middle; what becomes of the others, the second and so on, is the test's.
    private func stoppingOnce(
        _ answer: @escaping @Sendable (_ number: Int, ScriptedResponse) -> ScriptedResponse
    ) throws -> TestServer {
        let server = try TestServer()
        let count = Locked(0)
        server.respond(to: "/file") { _ in
            let response = ScriptedResponse.ranged(Self.content, etag: "\"a\"")
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number == 1 ? response.ending(.stall, afterBodyBytes: 1 << 20) : answer(number, response)
        }
        return server
    }

    @Test("A download that is cancelled leaves its file to another of the same resume data", arguments: [false, true])
    func sharedResumeData(isResumed: Bool) async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try TestServer()
        server.respond(to: "/file") { request in
            let response = ScriptedResponse.ranged(Self.content, etag: "\"a\"")
            guard request["Range"] != nil else { return response.ending(.stall, afterBodyBytes: 1 << 20) }
            return response.with { $0.pieceSize = 1 << 20 }.holding(gate, at: .betweenPieces)
        }
        let session = OperationURLSession(configuration: .ephemeral)
        let data = try await resumeData(session, server, Gate())
        let location = try #require(SessionResumeData(data)).location
        let delegate = RecordingDelegate()
        let task = session.downloadTask(withResumeData: data)
        task.delegate = delegate
        task.resume()
        let partialFile = URL(fileURLWithPath: location.path + ".part")
        try await eventually("more content is written") { SessionDownloadFile.length(of: partialFile) > 1 << 20 }
        let other = await session.downloading(
            { session.downloadTask(withResumeData: data, completionHandler: $0) },
            { task in
                if isResumed { task.resume() }
                task.cancel()
            })
        #expect(other.error != nil && other.file == nil)
        gate.open()
        await delegate.isComplete.wait()
        #expect(delegate.error == nil && delegate.file == Self.content)
        #expect(!FileManager.default.fileExists(atPath: partialFile.path))
    }

    @Test("A download that hands over its file leaves the part to another of the same resume data, which writes to it")
    func partOfAnother() async throws {
        let gate = Gate()
        defer { gate.open() }
        let server = try stoppingOnce { number, response in
            number == 2 ? response : response.with { $0.pieceSize = 1 << 20 }.holding(gate, at: .betweenPieces)
        }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 1
        let session = OperationURLSession(configuration: configuration)
        let data = try await resumeData(session, server, Gate())
        let location = try #require(SessionResumeData(data)).location
        let partialFile = URL(fileURLWithPath: location.path + ".part")
        let delegate = RecordingDelegate()
        let (isPlaced, goesOn) = (Gate(), Gate())
        delegate.whenFinished = { _ in
            isPlaced.open()
            _ = goesOn.wait(timeout: 20)
        }
        let task = session.downloadTask(withResumeData: data)
        task.delegate = delegate
        task.resume()
        async let other = session.downloading {
            session.downloadTask(withResumeData: data, completionHandler: $0)
        }
        await isPlaced.wait()
        try await eventually("the other one writes") { SessionDownloadFile.length(of: partialFile) > 0 }
        goesOn.open()
        await delegate.isComplete.wait()
        gate.open()
        let outcome = await other
        #expect(delegate.error == nil && delegate.file == Self.content)
        #expect(outcome.error == nil && outcome.file == Self.content)
    }

    @Test("Of two downloads of one resume data that end together each has its file")
    func filesOfBoth() async throws {
        let server = try stoppingOnce { $1 }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 1
        let session = OperationURLSession(configuration: configuration)
        let data = try await resumeData(session, server, Gate())
        let location = try #require(SessionResumeData(data)).location
        let delegate = RecordingDelegate()
        let (isPlaced, goesOn) = (Gate(), Gate())
        delegate.whenFinished = { _ in
            isPlaced.open()
            _ = goesOn.wait(timeout: 20)
        }
        let task = session.downloadTask(withResumeData: data)
        task.delegate = delegate
        task.resume()
        let results = Locked<[(file: Data?, error: (any Error)?)]>([])
        let other = session.downloadTask(withResumeData: data) { file, _, error in
            let content = file.flatMap { try? Data(contentsOf: $0) }
            results.withLock { $0.append((content, error)) }
        }
        other.resume()
        await isPlaced.wait()
        // Its file is complete while the first one still has its own.
        try await eventually("the other one is done") {
            other.countOfBytesReceived == Int64(Self.content.count)
                && !FileManager.default.fileExists(atPath: location.path)
                && !FileManager.default.fileExists(atPath: location.path + ".part")
        }
        goesOn.open()
        await delegate.isComplete.wait()
        try await eventually("the other one's end") { results.withLock { $0.count } == 1 }
        let result = results.withLock { $0[0] }
        #expect(delegate.error == nil && delegate.file == Self.content)
        #expect(result.error == nil && result.file == Self.content)
    }

    @Test("A download that never began leaves the file that another of the same resume data hands over")
    func fileOfAnother() async throws {
        let gate = Gate()
        let server = try stoppingServer(gate)
        let data = try await resumeData(OperationURLSession(configuration: .ephemeral), server, gate)
        let otherDelegate = RecordingDelegate()
        let other = OperationURLSession(configuration: .ephemeral, delegate: otherDelegate)
            .downloadTask(withResumeData: data)
        let delegate = RecordingDelegate()
        let isThere = Notes<Bool>()
        delegate.whenFinished = { location in
            other.cancel()
            let isEnded = otherDelegate.isComplete.wait(timeout: 20)
            isThere.add(isEnded && FileManager.default.fileExists(atPath: location.path))
        }
        OperationURLSession(configuration: .ephemeral, delegate: delegate).downloadTask(withResumeData: data).resume()
        await delegate.isComplete.wait()
        #expect(delegate.error == nil && delegate.file == Self.content && isThere.all == [true])
        #expect(otherDelegate.code == .cancelled)
    }

    @Test("Of two downloads of one resume data that a protocol class loads each is whole, or has an error")
    func sharedByProtocolClass() async throws {
        let request = URLRequest(url: try #require(URL(string: "http://halves.invalid/file")))
        let location = SessionDownloadFile.newLocation()
        defer { SessionDownloadFile.remove(location) }
        let partial = PartialFile(clean: DownloadDestination(fileURL: location), of: request.url)
        try Data("content".utf8).write(to: URL(fileURLWithPath: partial.path))
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: partial.path))
        let representation = Representation(validator: "\"a\"", source: nil, totalLength: 100, offset: 7)
        #expect(partial.note(representation, of: file.fileDescriptor) == 0)
        let data = try #require(SessionResumeData(request: request, location: location)?.encoded())
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Halves.self]
        let session = OperationURLSession(configuration: configuration)
        let delegates = [RecordingDelegate(), RecordingDelegate()]
        let tasks = delegates.map { delegate in
            let task = session.downloadTask(withResumeData: data)
            task.delegate = delegate
            task.resume()
            return task
        }
        try await eventually("the first halves") { tasks.allSatisfy { $0.countOfBytesReceived > 0 } }
        Halves.goesOn.open()
        for delegate in delegates {
            await delegate.isComplete.wait()
            #expect(delegate.error != nil || delegate.file == Data("firstsecond".utf8))
        }
        #expect(delegates.contains { $0.error == nil })
        #expect(!FileManager.default.fileExists(atPath: location.path))
    }
}

/// Tells a response and one half of the content, and the other when the gate is open.
private final class Halves: URLProtocol {
    static let goesOn = Gate()

    override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "halves.invalid" }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func stopLoading() {}

    override func startLoading() {
        guard let url = request.url,
            let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data("first".utf8))
        nonisolated(unsafe) let object = self
        DispatchQueue.global().async {
            guard Halves.goesOn.wait(timeout: 20) else { return }
            object.client?.urlProtocol(object, didLoad: Data("second".utf8))
            object.client?.urlProtocolDidFinishLoading(object)
        }
    }
}
