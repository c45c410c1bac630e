// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

/// Downloads and what is resumed of them, as public reports about other clients have them.
@Suite("Reports: downloads", .timeLimit(.minutes(2))) struct DownloadReports {
    /// A download that breaks off, and what comes of the next one that goes to the same file.
    struct Resumption: Sendable, CustomTestStringConvertible {
        let reference: String
        /// What the server answers the second download with.
        let what: String
        /// The answer that breaks off, as Latin-1 text: half of the content.
        var first = "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 10\r\n\r\n01234"
        /// The answers to the requests of the second download, in order.
        let answers: [String]
        /// What is in the file then.
        let content: String
        /// The `Range` of each of these requests.
        let ranges: [String?]

        var testDescription: String { "\(reference): \(what)" }
    }

    /// All of the content.
    private static let whole = "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 10\r\n\r\n0123456789"
    /// All of the content, of which nobody knows the length, without its end.
    private static let withoutEnd =
        "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nTransfer-Encoding: chunked\r\n\r\nA\r\n0123456789\r\n"
    /// "0123456789" in gzip, as Latin-1 text.
    private static let gzip =
        "\u{1F}\u{8B}\u{08}\u{00}\u{00}\u{00}\u{00}\u{00}\u{02}\u{03}\u{33}\u{30}\u{34}\u{32}\u{36}\u{31}\u{35}\u{33}"
        + "\u{B7}\u{B0}\u{04}\u{00}\u{C6}\u{C7}\u{84}\u{A6}\u{0A}\u{00}\u{00}\u{00}"
    private static let compressed =
        "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Encoding: gzip\r\nContent-Length: 30\r\n\r\n" + gzip

    /// A part of the content.
    private static func part(_ range: String?, _ content: String, fields: String = "ETag: \"a\"\r\n") -> String {
        let field = range.map { "Content-Range: bytes \($0)\r\n" } ?? ""
        return "HTTP/1.1 206 Partial Content\r\n\(fields)\(field)"
            + "Content-Length: \(content.utf8.count)\r\n\r\n\(content)"
    }

    static let resumptions: [Resumption] = [
        Resumption(
            reference: "rustup#4710", what: "everything again (200)", answers: [whole], content: "0123456789",
            ranges: ["bytes=5-"]),
        Resumption(
            reference: "gopeed#1458", what: "everything again, and that ranges are known here",
            answers: [whole.replacingOccurrences(of: "ETag", with: "Accept-Ranges: bytes\r\nETag")],
            content: "0123456789", ranges: ["bytes=5-"]),
        Resumption(
            reference: "httrack#428", what: "a part that begins too early",
            answers: [part("2-9/10", "23456789"), whole], content: "0123456789", ranges: ["bytes=5-", nil]),
        Resumption(
            reference: "pip#14131", what: "a part that begins too late", answers: [part("7-9/10", "789"), whole],
            content: "0123456789", ranges: ["bytes=5-", nil]),
        Resumption(
            reference: "owncloud/client#756", what: "a part of another version",
            answers: [
                part("5-9/10", "fghij", fields: "ETag: \"b\"\r\n"),
                "HTTP/1.1 200 OK\r\nETag: \"b\"\r\nContent-Length: 10\r\n\r\nabcdefghij",
            ], content: "abcdefghij", ranges: ["bytes=5-", nil]),
        Resumption(
            reference: "aria2#590", what: "a part of something of another length",
            answers: [
                part("5-8/9", "5678"), "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 9\r\n\r\n012345678",
            ], content: "012345678", ranges: ["bytes=5-", nil]),
        Resumption(
            reference: "aria2#926", what: "a part of something of unknown length", answers: [part("5-9/*", "56789")],
            content: "0123456789", ranges: ["bytes=5-"]),
        Resumption(
            reference: "aria2#926", what: "a part whose end is said to be one byte behind the end of the whole",
            answers: [part("5-10/10", "56789"), whole], content: "0123456789", ranges: ["bytes=5-", nil]),
        Resumption(
            reference: "huggingface_hub#3778", what: "everything again in gzip", answers: [compressed, compressed],
            content: "0123456789", ranges: ["bytes=5-", nil]),
        // Of a 200 the field means nothing (RFC 9110, section 14.4).
        Resumption(
            reference: "modelscope_hub#50", what: "a part, as if it were everything (200)",
            answers: [
                "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Range: bytes 5-9/10\r\nContent-Length: 5\r\n\r\n56789"
            ], content: "56789", ranges: ["bytes=5-"]),
        Resumption(
            reference: "curl#1163", what: "416 with a page, because nothing is missing", first: withoutEnd,
            answers: [
                "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */10\r\nContent-Type: text/html\r\n"
                    + "Content-Length: 4\r\n\r\npage"
            ], content: "0123456789", ranges: ["bytes=10-"]),
        Resumption(
            reference: "azul#2869", what: "206 without content and range, because nothing is missing",
            first: withoutEnd, answers: [part(nil, ""), whole], content: "0123456789", ranges: ["bytes=10-", nil]),
        Resumption(
            reference: "swupd-client#1382", what: "416, because the file has become shorter",
            answers: [
                "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */3\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nETag: \"b\"\r\nContent-Length: 3\r\n\r\nabc",
            ], content: "abc", ranges: ["bytes=5-", nil]),
    ]

    private static func octets(_ text: String) -> Data {
        Data(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
    }

    private static func makeManager() -> HTTPRequestOperationManager {
        let manager = HTTPRequestOperationManager(baseURL: nil)
        manager.responseSerializer = HTTPResponseSerializer()
        manager.completionQueue = DispatchQueue(label: "reports")
        return manager
    }

    /// Gets a file, and gives the operation when it is over.
    private static func download(
        _ url: URL, to target: URL, _ manager: HTTPRequestOperationManager
    ) async -> HTTPRequestOperation {
        var request = URLRequest(url: url)
        request.timeoutInterval = 5 * Patience.factor
        let operation = manager.httpRequestOperation(with: request)
        operation.downloadDestination = DownloadDestination(fileURL: target)
        manager.enqueue(operation)
        _ = try? await operation.value()
        return operation
    }

    @Test("What the server answers the rest of a download with", arguments: resumptions)
    func resumption(_ test: Resumption) async throws {
        let server = try TestServer()
        let directory = try TemporaryDirectory()
        let target = directory.file("file")
        server.enqueue(.script([.send(Self.octets(test.first)), .close]))
        for answer in test.answers { server.enqueue(.script([.send(Self.octets(answer))])) }
        let manager = Self.makeManager()
        let first = await Self.download(server.url("/file"), to: target, manager)
        #expect((first.error as? URLError)?.code == .networkConnectionLost)
        #expect(!FileManager.default.fileExists(atPath: target.path))
        let second = await Self.download(server.url("/file"), to: target, manager)
        #expect(second.error == nil, "\(test.testDescription): \(String(describing: second.error))")
        #expect(FileManager.default.contents(atPath: target.path) == Data(test.content.utf8))
        #expect(server.requests.dropFirst().map { $0["Range"] } == test.ranges)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["file"])
    }

    // MARK: Names

    /// The name that a server gives a file.
    struct Name: Sendable, CustomTestStringConvertible {
        let reference: String
        /// `Content-Disposition`, in UTF-8.
        let field: String
        /// Nil: there is none.
        let name: String?

        var testDescription: String { "\(reference): \(field)" }
    }

    static let names: [Name] = [
        Name(reference: "pip#6413", field: "attachment;filename=\"../out_dir_file\"", name: "out_dir_file"),
        Name(reference: "python-fsutil#180", field: "attachment; filename=\"../../../\"", name: nil),
        Name(reference: "python-fsutil#180", field: "attachment; filename=\"../../.bashrc\"", name: ".bashrc"),
        Name(reference: "castor#858", field: "attachment; filename=\"a\tb.txt\"", name: "ab.txt"),
        Name(reference: "castor#858", field: "attachment; filename=\"..\"", name: nil),
        Name(
            reference: "aspnetcore#50557",
            field: "attachment; filename=\"test ; value\"; filename*=UTF-8''test%20%3B%20value", name: "test ; value"),
        Name(reference: "aspnetcore#50557", field: "attachment; filename=\"test ; value\"", name: "test ; value"),
        Name(
            reference: "android-components#11054", field: "attachment; filename*=utf-8'en'filename.jpg; filename=_.jpg",
            name: "filename.jpg"),
        Name(
            reference: "js-file-downloader#4",
            field: "attachment; filename=\"report 22:03.xlsx\"; filename*=UTF-8''report%2022%3A03.xlsx",
            name: "report 22:03.xlsx"),
        // An apostrophe too many: what is behind the second one is the name all the same.
        Name(
            reference: "supabase/storage#1385",
            field: "attachment; filename=John's%20Resume.pdf; filename*=UTF-8''John's%20Resume.pdf",
            name: "John's Resume.pdf"),
        // Without quotes, up to the next semicolon.
        Name(
            reference: "PASTA#125", field: "attachment; filename=e267_Survey results. Leaf, mulch, burn.txt",
            name: "e267_Survey results. Leaf, mulch, burn.txt"),
        Name(
            reference: "hotglue2#3", field: "attachment; filename=Le robot gardien oubliée.docx",
            name: "Le robot gardien oubliée.docx"),
        Name(
            reference: "WinObjC#835", field: "attachment; filename=\"first.txt\"; filename=\"second.txt\"",
            name: "first.txt"),
    ]

    @Test("Names of files", arguments: names) func name(_ test: Name) async throws {
        let server = try TestServer()
        server.respondToOthers { _ in
            ScriptedResponse(headers: [("Content-Disposition", test.field)], body: .text("x"))
        }
        let manager = Self.makeManager()
        let operation = manager.httpRequestOperation(with: URLRequest(url: server.url("/")))
        manager.enqueue(operation)
        _ = try await operation.value()
        // Foundation's word for "no name".
        #expect(operation.response?.suggestedFilename == test.name ?? "Unknown")
    }

    // MARK: Permissions

    private static func mode(_ url: URL) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
        return try #require((attributes[.posixPermissions] as? NSNumber)?.intValue) & 0o777
    }

    @Test("A new file can be read by those who may read any other new file (markdown-vault-mcp#958)")
    func modeOfNewFile() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("new") }
        let directory = try TemporaryDirectory()
        let (target, other) = (directory.file("file"), directory.file("other"))
        #expect(FileManager.default.createFile(atPath: other.path, contents: Data()))
        let operation = await Self.download(server.url("/"), to: target, Self.makeManager())
        #expect(operation.error == nil)
        let (mode, usual) = (try Self.mode(target), try Self.mode(other))
        #expect(mode & 0o444 == usual & 0o444)
    }

    @Test("A file that is replaced keeps who may read it (python-atomicwrites#11)")
    func modeOfReplacedFile() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("new") }
        let directory = try TemporaryDirectory()
        let target = try directory.write("old", to: "file")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: target.path)
        let operation = await Self.download(server.url("/"), to: target, Self.makeManager())
        #expect(operation.error == nil && FileManager.default.contents(atPath: target.path) == Data("new".utf8))
        let mode = try Self.mode(target)
        #expect(mode == 0o600)
    }
}
