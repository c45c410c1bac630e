// SPDX-License-Identifier: MIT
import AFNetworking
import TestServer
import Testing

@testable import LegacySwift5

@MainActor
@Suite("Legacy uploads and downloads", .timeLimit(.minutes(1)))
struct TransferTests {
    let httpbin: HTTPBinServer
    let directory: TemporaryDirectory

    init() throws {
        httpbin = try HTTPBinServer.shared()
        directory = try TemporaryDirectory()
    }

    @Test("A download goes through an output stream into a file, with progress to 1")
    func download() async throws {
        let server = try TestServer()
        server.respond(to: "/file", ScriptedResponse(body: .pattern(count: 300_000)))
        let file = directory.file("download")
        let downloader = FileDownloader()
        var fractions: [Double] = []
        downloader.onProgress = { fractions.append($0) }
        let (size, error) = await Legacy.result { done in
            downloader.download(server.url("/file"), to: file.path) { done(($0, $1)) }
        }
        #expect(error == nil && size == 300_000)
        #expect(try Data(contentsOf: file) == ScriptedResponse.pattern(count: 300_000))
        #expect(fractions.last == 1 && fractions == fractions.sorted())
    }

    @Test("A download that is cancelled fails with −999, and its file is removed")
    func cancelledDownload() async throws {
        let server = try TestServer()
        let gate = Gate()
        server.respond(
            to: "/file",
            ScriptedResponse(body: .pattern(count: 100_000)).holding(gate, at: .betweenPieces).with {
                $0.pieceSize = 50_000
            })
        let file = directory.file("cancelled")
        let downloader = FileDownloader()
        downloader.onProgress = { _ in downloader.cancel() }
        let (_, error) = await Legacy.result { done in
            downloader.download(server.url("/file"), to: file.path) { done(($0, $1)) }
        }
        gate.open()
        #expect((error as? URLError)?.code == .cancelled)
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test("A paused download goes on where it was", arguments: [false, true])
    func pause(toFile: Bool) async throws {
        let server = try TestServer()
        let gate = Gate()
        // Not before: the rest could come before the network thread hears of the pause.
        defer { gate.open() }
        let content = ScriptedResponse.pattern(count: 200_000)
        server.respond(to: "/file") { request in
            let response = ScriptedResponse.ranged(content, etag: "\"1\"")
            guard request["Range"] == nil else { return response }
            return response.holding(gate, at: .betweenPieces).with { $0.pieceSize = 120_000 }
        }
        let file = directory.file("paused-\(toFile)")
        let download = PausableDownload(url: server.url("/file"), path: toFile ? file.path : nil)
        download.onProgress = {
            guard download.received >= 120_000 else { return }
            download.onProgress = nil
            download.toggle()
        }
        let completion = Task { @MainActor in
            await Legacy.result { done in download.start { done(($0, $1)) } }
        }
        try await eventually("the pause") { download.operation.isPaused }
        #expect(download.operation.error == nil && !download.operation.isFinished)
        download.toggle()
        let (data, error) = await completion.value
        #expect(try error == nil && (toFile ? Data(contentsOf: file) : data) == content)
        #expect(download.fraction == 1 && download.received == 200_000)
        #expect(server.requests.map { $0["Range"] } == [nil, "bytes=120000-"])
    }

    @Test("A paused download starts again where the server's entity tag is none, as httpbin's")
    func pauseAtHTTPBin() async throws {
        let download = PausableDownload(url: httpbin.url("/range/40000?duration=1&chunk_size=4000"), path: nil)
        download.onProgress = {
            download.onProgress = nil
            download.toggle()
        }
        let completion = Task { @MainActor in
            await Legacy.result { done in download.start { done(($0, $1)) } }
        }
        try await eventually("the pause") { download.operation.isPaused }
        download.toggle()
        let (data, error) = await completion.value
        let letters = Array("abcdefghijklmnopqrstuvwxyz".utf8)
        #expect(error == nil && data == Data((0..<40_000).map { letters[$0 % 26] }))
        #expect(download.operation.response?.statusCode == 200 && download.fraction == 1)
    }

    @Test("A form with files, and upload progress")
    func form() async throws {
        let thumbnail = try directory.write("small", to: "thumbnail.txt")
        let uploader = PhotoUploader()
        let photo = Data(repeating: 65, count: 50_000)
        // The client sets its progress block when the request is in the queue already: a server in the same machine may
        // have it all by then.
        uploader.manager.operationQueue.isSuspended = true
        let (form, files, message) = await Legacy.result { done in
            uploader.upload(
                photo: photo, thumbnail: thumbnail, caption: "Ünï \"1\"", to: httpbin.url("/post").absoluteString,
                success: { done(($0["form"] as? [String: String], $0["files"] as? [String: String], nil as String?)) },
                failure: { done((nil, nil, $0)) })
            uploader.manager.operationQueue.isSuspended = false
        }
        #expect(message == nil && form == ["caption": "Ünï \"1\"", "album": "2015", "public": "yes"])
        #expect(files?["thumbnail"] == "small" && files?["photo"]?.count == 50_000)
        #expect(uploader.uploaded == uploader.expected && uploader.uploaded > 50_000)
    }

    @Test("What the server answers to a form that it refuses is the failure's text")
    func refusedForm() async throws {
        let thumbnail = try directory.write("small", to: "thumbnail.txt")
        let uploader = PhotoUploader()
        let message = await Legacy.result { done in
            uploader.upload(
                photo: Data([1]), thumbnail: thumbnail, caption: "", to: httpbin.url("/status/418").absoluteString,
                success: { _ in done(nil as String?) }, failure: { done($0) })
        }
        #expect(message?.contains("teapot") == true)
    }

    @Test("A form with a stream as a part, throttled")
    func stream() async throws {
        let content = String(repeating: "0123456789", count: 5_000)
        let (file, error) = await Legacy.result { done in
            PhotoUploader().uploadStream(Data(content.utf8), to: httpbin.url("/put").absoluteString) { object, error in
                let files = (object as? [String: Any])?["files"] as? [String: String]
                done((files?["video"], error))
            }
        }
        #expect(error == nil && file == content)
    }
}
