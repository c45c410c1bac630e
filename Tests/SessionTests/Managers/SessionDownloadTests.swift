// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
@testable import OperationNetworkingSessions

@Suite("Downloads of a session manager", .timeLimit(.minutes(1))) struct SessionDownloadTests {
    let server: TestServer
    let directory: TemporaryDirectory
    let manager = URLSessionManager().offMain()
    let content = ScriptedResponse.pattern(count: 300_000)

    init() throws {
        server = try TestServer()
        directory = try TemporaryDirectory()
        server.respond(to: "/file", ScriptedResponse(body: .pattern(count: 300_000)))
    }

    private var request: URLRequest { URLRequest(url: server.url("/file")) }

    @Test("A complete download is where the destination block said, and told of")
    func moved() async throws {
        let file = directory.file("moved")
        let moves = Notes<URL?>()
        let token = NotificationCenter.default.addObserver(
            forName: .urlSessionDownloadTaskDidMoveFileSuccessfully, object: nil, queue: nil
        ) { moves.add(($0.object as? URLSessionTask)?.originalRequest?.url) }
        defer { NotificationCenter.default.removeObserver(token) }
        let asked = Notes<(URL, URLResponse)>()
        let outcome = await manager.downloading(
            request,
            to: {
                asked.add(($0, $1))
                return file
            })
        #expect(outcome.error == nil && outcome.url == file && asked.all.count == 1)
        #expect((asked.all.first?.1 as? HTTPURLResponse)?.statusCode == 200)
        #expect(try Data(contentsOf: file) == content)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["moved"])
        try await eventually("the notification") { moves.all.contains(server.url("/file")) }
    }

    @Test("Without a destination the content is dropped, and there is no file")
    func dropped() async {
        let outcome = await manager.downloading(request)
        #expect(outcome.error == nil && outcome.url == nil)
    }

    @Test("A destination that exists is an error with its path; the file there is untouched, the content kept")
    func existing() async throws {
        let file = directory.file("existing")
        try Data("old".utf8).write(to: file)
        let failures = Notes<String>()
        let token = NotificationCenter.default.addObserver(
            forName: .urlSessionDownloadTaskDidFailToMoveFile, object: nil, queue: nil
        ) { failures.add($0.userInfo?[NSFilePathErrorKey] as? String ?? "") }
        defer { NotificationCenter.default.removeObserver(token) }
        let outcome = await manager.downloading(request, to: { _, _ in file })
        let error = try #require(outcome.error as? CocoaError)
        #expect(error.code == .fileWriteFileExists && outcome.url == nil)
        #expect(error.userInfo[NSFilePathErrorKey] as? String == file.path)
        #expect(try Data(contentsOf: file) == Data("old".utf8))
        let kept = try #require(error.userInfo[NetworkingDownloadedFileURLErrorKey] as? URL)
        #expect(try Data(contentsOf: kept) == content)
        try FileManager.default.removeItem(at: kept)
        try await eventually("the notification") { failures.all.contains(file.path) }
    }

    @Test("A folder that is not there, and a URL of no file")
    func nowhere() async throws {
        for destination in [directory.file("no/such/folder"), server.url("/x")] {
            let outcome = await manager.downloading(request, to: { _, _ in destination })
            let error = try #require(outcome.error as? CocoaError)
            #expect(error.code == (destination.isFileURL ? .fileNoSuchFile : .fileWriteUnsupportedScheme))
            let kept = try #require(error.userInfo[NetworkingDownloadedFileURLErrorKey] as? URL)
            let bridged = error as NSError
            #expect(bridged.userInfo[NetworkingDownloadedFileURLErrorKey] as? URL == kept)
            #expect(bridged.userInfo[NSURLErrorKey] as? URL == destination)
            #expect("\(error)" == error.localizedDescription)
            #expect(try Data(contentsOf: kept) == content)
            try FileManager.default.removeItem(at: kept)
        }
    }

    @Test("A destination on another file system gets the whole file, and nothing else is left there")
    func otherFileSystem() async throws {
        let folder = URL(fileURLWithPath: "/dev/shm/\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // As long as a name can be.
        let file = folder.appendingPathComponent(String(repeating: "x", count: 255))
        let near = directory.file("near")
        #expect(await manager.downloading(request, to: { _, _ in near }).error == nil)
        for expected in [nil, CocoaError.fileWriteFileExists.rawValue] as [Int?] {
            let outcome = await manager.downloading(request, to: { _, _ in file })
            #expect(outcome.code == expected)
            #expect(try Data(contentsOf: file) == content)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [file.lastPathComponent])
            let modes = try [file, near].map {
                try FileManager.default.attributesOfItem(atPath: $0.path)[.posixPermissions] as? Int
            }
            #expect(modes[0] != nil && modes[0] == modes[1])
            let kept = (outcome.error as? CocoaError)?.userInfo[NetworkingDownloadedFileURLErrorKey] as? URL
            if let kept { try FileManager.default.removeItem(at: kept) }
        }
    }

    @Test("A bad status is an error with the content, asks for no destination and leaves no file")
    func badStatus() async throws {
        server.respond(to: "/file", .json(#"{"message":"gone"}"#, status: 410))
        let asked = Notes<URL>()
        let file = directory.file("bad")
        let outcome = await manager.downloading(
            request,
            to: {
                asked.add($0)
                _ = $1
                return file
            })
        let error = try #require(outcome.error as? ResponseSerializationError)
        #expect(error.code == .badServerResponse && outcome.url == nil && asked.all.isEmpty)
        #expect(error.responseObject as? [String: String] == ["message": "gone"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    }

    @Test("The manager's block comes before the task's destination, unless it has no answer")
    func managerBlock() async throws {
        let first = directory.file("first")
        let second = directory.file("second")
        manager.setDownloadTaskDidFinishDownloadingBlock { _, _, _ in first }
        #expect(await manager.downloading(request, to: { _, _ in second }).url == first)
        manager.setDownloadTaskDidFinishDownloadingBlock { _, _, _ in nil }
        #expect(await manager.downloading(request, to: { _, _ in second }).url == second)
    }

    @Test("Progress goes up to the whole, before the handler, on the manager's queue; written bytes add up")
    func progress() async throws {
        let fractions = Notes<Double>()
        let written = Notes<Int64>()
        manager.setDownloadTaskDidWriteDataBlock { _, _, count, _, expected in
            #expect(expected == 300_000 && OperationQueue.current === manager.operationQueue)
            written.add(count)
        }
        let outcome = await manager.downloading(
            request, to: { _, _ in directory.file("progress") },
            progress: {
                fractions.add($0.fractionCompleted)
                #expect(OperationQueue.current === manager.operationQueue)
            })
        #expect(outcome.error == nil && fractions.all.last == 1 && fractions.all == fractions.all.sorted())
        #expect(written.all.reduce(0, +) == 300_000)
    }

    /// Cancels a download after 200,000 bytes, by which the server holds it at a gate; its resume data.
    private func cancelled(opening gate: Gate) async throws -> Data {
        let resumeData = Notes<Data?>()
        let first = await manager.downloading(
            request, to: { _, _ in directory.file("resumed") },
            beforeResuming: { task in
                let progress = manager.downloadProgress(for: task)
                Task.detached {
                    try await eventually("some content") { (progress?.completedUnitCount ?? 0) >= 200_000 }
                    task.cancel(byProducingResumeData: { resumeData.add($0) })
                }
            })
        gate.open()
        #expect(first.code == URLError.cancelled.rawValue)
        try await eventually("resume data") { !resumeData.all.isEmpty }
        return try #require(resumeData.all.first ?? nil)
    }

    @Test("A download that was cancelled goes on from its resume data, with another manager")
    func resumeData() async throws {
        let gate = Gate()
        server.respond(to: "/file") { request in
            let response = ScriptedResponse(
                body: .resource(ScriptedResponse.pattern(count: 300_000), etag: "\"1\"", lastModified: nil))
            guard request["Range"] == nil else { return response }
            return response.holding(gate, at: .betweenPieces).with { $0.pieceSize = 200_000 }
        }
        let data = try await cancelled(opening: gate)
        let other = URLSessionManager().offMain()
        let offsets = Notes<Int64>()
        other.setDownloadTaskDidResumeBlock { _, _, offset, expected in
            if expected == 300_000 { offsets.add(offset) }
        }
        let second = await other.downloading(
            request, to: { _, _ in directory.file("resumed") }, resumeData: data)
        #expect(second.error == nil && (offsets.all.first ?? 0) >= 200_000)
        #expect(try Data(contentsOf: directory.file("resumed")) == content)
        let damaged = await other.downloading(request, to: { _, _ in directory.file("x") }, resumeData: Data("x".utf8))
        #expect(damaged.error is URLError && damaged.url == nil)
    }

    @Test("What had come of a file outlives a busy server's answer to the request for its rest", arguments: [503, 404])
    func busy(status: Int) async throws {
        let gate = Gate()
        let asked = Notes<String?>()
        server.respond(to: "/file") { request in
            asked.add(request["Range"])
            let response = ScriptedResponse(
                body: .resource(ScriptedResponse.pattern(count: 300_000), etag: "\"1\"", lastModified: nil))
            switch asked.all.count {
            case 1: return response.holding(gate, at: .betweenPieces).with { $0.pieceSize = 200_000 }
            case 2: return ScriptedResponse(status: status, body: .text("not now"))
            default: return response
            }
        }
        let data = try await cancelled(opening: gate)
        let location = try #require(SessionResumeData(data)).location
        let refused = await manager.downloading(
            request, to: { _, _ in directory.file("resumed") }, resumeData: data)
        let error = try #require(refused.error as? ResponseSerializationError)
        #expect(error.code == .badServerResponse && error.data == Data("not now".utf8))
        #expect(refused.url == nil && !FileManager.default.fileExists(atPath: directory.file("resumed").path))
        #expect(!FileManager.default.fileExists(atPath: location.path))
        #expect(FileManager.default.fileExists(atPath: location.path + ".part") == (status == 503))
        let again = error.downloadTaskResumeData
        #expect((error as NSError).userInfo[URLSessionDownloadTaskResumeData] as? Data == again)
        #expect((again != nil) == (status == 503))
        guard let again else { return }
        let last = await manager.downloading(
            request, to: { _, _ in directory.file("resumed") }, resumeData: again)
        #expect(last.error == nil && asked.all.last == "bytes=200000-")
        #expect(try Data(contentsOf: directory.file("resumed")) == content)
        #expect(!FileManager.default.fileExists(atPath: location.path + ".part"))
    }

    @Test("Async download")
    func awaiting() async throws {
        let file = directory.file("awaited")
        let (url, response) = try await manager.download(for: request, to: file)
        #expect(url == file && (response as? HTTPURLResponse)?.statusCode == 200)
        #expect(try Data(contentsOf: file) == content)
        await #expect(throws: CocoaError.self) { try await manager.download(for: request, to: file) }
    }
}
