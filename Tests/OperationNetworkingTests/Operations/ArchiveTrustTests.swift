// SPDX-License-Identifier: MIT
import Foundation
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("What an archive from elsewhere may decide", .timeLimit(.minutes(1))) struct ArchiveTrustTests {
    private func archive(of target: URL, server: TestServer) throws -> Data {
        let operation = HTTPRequestOperation.make(server.url())
        operation.downloadDestination = DownloadDestination(fileURL: target)
        return try operation.archivedData()
    }

    private func run(_ operation: HTTPRequestOperation) async -> (any Error)? {
        operation.completionQueue = DispatchQueue(label: "restored")
        await operation.run()
        return operation.error
    }

    @Test("It does not choose a file to write, as data or as a keyed archive, nor does a copy of what it made")
    func destination() async throws {
        let (server, directory) = (try TestServer(), try TemporaryDirectory())
        server.respondToOthers { _ in .ok("content") }
        let target = directory.file("target")
        let archive = try archive(of: target, server: server)
        let original = HTTPRequestOperation.make(server.url())
        original.downloadDestination = DownloadDestination(fileURL: target)
        let keyed = try NSKeyedArchiver.archivedData(withRootObject: original, requiringSecureCoding: true)
        let restored = try [
            HTTPRequestOperation(archivedData: archive),
            #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: HTTPRequestOperation.self, from: keyed)),
        ]
        for operation in restored {
            #expect(operation.downloadDestination == nil)
            let copy = try #require(operation.copy() as? HTTPRequestOperation)
            for each in [operation, copy] {
                let error = await run(each)
                #expect(error?.localizedDescription.contains("downloadDestination") == true)
            }
        }
        #expect(server.requests.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: target.path))
        for choice in [DownloadDestination(fileURL: directory.file("own")), nil] {
            let operation = try HTTPRequestOperation(archivedData: archive)
            operation.downloadDestination = choice
            #expect(await run(operation) == nil)
            #expect(operation.responseData == (choice == nil ? Data("content".utf8) : nil))
        }
        #expect(FileManager.default.fileExists(atPath: directory.file("own").path))
        #expect(!FileManager.default.fileExists(atPath: target.path))
    }

    @Test("A file directly in a directory that the program names is taken, others are not")
    func directory() async throws {
        let (server, directory) = (try TestServer(), try TemporaryDirectory())
        server.respondToOthers { _ in .ok("content") }
        let folder = directory.file("folder")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("inner"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            at: folder.appendingPathComponent("out"), withDestinationURL: directory.file("."))
        let good = folder.appendingPathComponent("target")
        let operation = try HTTPRequestOperation(
            archivedData: archive(of: good, server: server), downloadDirectory: folder)
        #expect(await run(operation) == nil)
        #expect(FileManager.default.contents(atPath: good.path) == Data("content".utf8))
        let bad = [
            "../target", "inner/target", "out/target", "inner/../../target", "..", ".", "", "/etc/target",
            "../folder2/x",
        ]
        for name in bad {
            let url = name.hasPrefix("/") ? URL(fileURLWithPath: name) : URL(fileURLWithPath: folder.path + "/" + name)
            let restored = try HTTPRequestOperation(
                archivedData: archive(of: url, server: server), downloadDirectory: folder)
            if restored.downloadDestination != nil { #expect(name == "inner/../../target" || name == "") }
            #expect(restored.downloadDestination == nil, "\(name)")
            #expect(await run(restored) != nil)
        }
    }

    @Test("What no operation can have makes an archive a damaged one")
    func inconsistent() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("content").adding(header: "ETag", "\"a\"") }
        let operation = HTTPRequestOperation.make(server.url())
        await operation.run()
        let archive = try operation.archivedData()
        var object = try #require(try JSONSerialization.jsonObject(with: archive) as? [String: Any])
        let response = try #require(object["response"] as? [String: Any])
        func expectDamaged(_ change: (inout [String: Any]) -> Void) throws {
            var changed = object
            change(&changed)
            let data = try JSONSerialization.data(withJSONObject: changed)
            #expect(throws: CocoaError.self) { try HTTPRequestOperation(archivedData: data) }
        }
        for (key, value) in [
            ("statusCode", -1), ("statusCode", 1000), ("httpVersion", "1.1\r\n"), ("httpVersion", "11.11"),
        ]
            as [(String, Any)]
        {
            try expectDamaged { $0["response"] = response.merging([key: value]) { $1 } }
        }
        let good: [String: Any] = ["validator": "\"a\"", "totalLength": 7, "offset": 0]
        for (key, value) in [("totalLength", 3), ("offset", -1), ("validator", "\"\r\n\""), ("validator", "\u{301}")]
            as [(String, Any)]
        {
            try expectDamaged { $0["representation"] = good.merging([key: value]) { $1 } }
        }
        try expectDamaged { $0["state"] = 77 }
        object["representation"] = good
        let data = try JSONSerialization.data(withJSONObject: object)
        #expect(try HTTPRequestOperation(archivedData: data).isFinished)
    }

    @Test("A name of combining marks takes no time, in any encoding that JSON may have")
    func marks() throws {
        let name = String(repeating: "\u{301}\u{316}", count: 100_000)
        let text = "{\"request\":{\"headers\":{\"\(name)\":\"1\"}}}"
        for data in [Data(text.utf8), try #require(text.data(using: .utf16LittleEndian))] {
            let seconds = processorSeconds {
                #expect(throws: CocoaError.self) { try HTTPRequestOperation(archivedData: data) }
            }
            #expect(seconds < 2 * Patience.factor)
        }
    }

    @Test("Values of combining marks, which become members of sets, take no time")
    func markedValues() throws {
        let escapes = String(repeating: "\\u0301\\u0316", count: 200_000)
        for value in [String(repeating: "\u{301}\u{316}", count: 200_000), escapes] {
            let text = "{\"serializer\":{\"contentTypes\":[\"a\(value)\"]}}"
            let seconds = processorSeconds {
                #expect(throws: CocoaError.self) { try HTTPRequestOperation(archivedData: Data(text.utf8)) }
            }
            #expect(seconds < 4 * Patience.factor)
        }
    }

    @Test("Very many ranges of status codes are refused")
    func statusRanges() throws {
        func configuration(_ count: Int) throws -> HTTPResponseSerializer.Configuration {
            let ranges = (1...count).reversed().map { "[\($0 * 2),\($0 * 2 + 1)]" }.joined(separator: ",")
            let text = "{\"statusCodes\":[\(ranges)],\"stringEncoding\":4}"
            return try JSONDecoder().decode(HTTPResponseSerializer.Configuration.self, from: Data(text.utf8))
        }
        #expect(try configuration(1000).statusCodes?.count == 1000)
        #expect(throws: DecodingError.self) { try configuration(1001) }
    }
}
