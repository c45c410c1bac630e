// SPDX-License-Identifier: MIT
import BatchGetCore
import Foundation
import Testing

@Suite("What is refused before anything is downloaded", .timeLimit(.minutes(1))) struct RefusalTests {
    private let server: FileServer
    private let folder: Folder

    init() async throws {
        server = try await FileServer()
        folder = try Folder()
        server.serve("a", content(10))
    }

    @Test("A bad manifest: every problem with its line, status 65, no request, no folder")
    func badManifest() async throws {
        let list = try folder.write(
            "\(server.url("a"))\n\(server.url("b")) after=c\n\(server.url("c")) out=../c\n", to: "list.txt")
        let outcome = try await batchget(["-o", folder.path("out"), list], in: folder)
        #expect(outcome.code == 65)
        #expect(outcome.output.isEmpty)
        #expect(
            outcome.errorLines == [
                "batchget: \(list):3: out: \"../c\" contains \"..\"; it has to be below the output directory"
            ])
        #expect(server.log.value.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: folder.path("out")))
    }

    @Test("A bad manifest on standard input, as JSON")
    func badInput() async throws {
        let outcome = try await batchget(["--json"], input: "[{\"url\": \"x\"}, {\"uri\": 1}]", in: folder)
        #expect(outcome.code == 65)
        #expect(
            outcome.errorLines == [
                "batchget: standard input: entry 1: url: \"x\" is not a URL",
                "batchget: standard input: entry 2: uri: unknown field; known: url, \(TextManifestTests.known)",
                "batchget: standard input: entry 2: url: is missing",
            ])
        #expect(outcome.output.isEmpty)
    }

    @Test(
        "A wrong command line: status 64, and no secret in the message",
        arguments: [
            ["--jobs", "0"], ["--jobs", "x"], ["--per-host", "-1"], ["--timeout", "0"], ["--timeout", "nan"],
            ["--header", "secret"], ["--header", "A B: secret"], ["--header", "range: secret"],
            ["--header", "A: secret\r\nB: c"], ["--output", ""],
            ["--unknown"], ["list", "another"], ["--input", "list", "another"], ["--max-tries", "-1"],
            ["--retry-wait", "-1"], ["--split", "0"], ["--split", "65"], ["--min-split-size", "x"],
            ["--limit-rate", "1X"], ["--limit-rate-per-host", "99999999999999999999"],
        ])
    func usage(_ options: [String]) async throws {
        let outcome = try await batchget(options, input: server.url("a"), in: folder)
        #expect(outcome.code == 64)
        #expect(outcome.output.isEmpty && !outcome.errors.isEmpty)
        #expect(!outcome.errors.contains("secret"))
        #expect(server.log.value.isEmpty)
    }

    @Test("Files that cannot be read: status 66", arguments: ["", "--header-file", "--ca"])
    func unreadable(_ option: String) async throws {
        let missing = folder.path("missing")
        let outcome = try await batchget(option.isEmpty ? [missing] : [option, missing], in: folder)
        #expect(outcome.code == 66)
        #expect(outcome.errorLines.first?.hasPrefix("batchget: \(missing): ") == true)
    }

    @Test("A header file, or a file of certificates, that is none: status 64, without its contents")
    func badFiles() async throws {
        let file = try folder.write("X: 1\nsecret\n", to: "file")
        let headers = try await batchget(["--header-file", file], in: folder)
        #expect(headers.code == 64)
        #expect(headers.errorLines == ["batchget: \(file):2: is not of the form 'Name: value'"])
        for text in ["secret", "-----BEGIN CERTIFICATE-----\nsecret!\n-----END CERTIFICATE-----", "-----BEGIN X-----"] {
            let bad = try folder.write(text, to: "bad.pem")
            let outcome = try await batchget(["--ca", bad], in: folder)
            #expect(outcome.code == 64)
            #expect(outcome.errorLines.first?.hasPrefix("batchget: \(bad): ") == true)
            #expect(!outcome.errors.contains("secret"))
        }
    }

    @Test("What stands where files are to go: status 73, everything told, no request")
    func noPlace() async throws {
        try folder.write("x", to: "out/file")
        try FileManager.default.createDirectory(atPath: folder.path("out/a"), withIntermediateDirectories: true)
        let list = try folder.write("\(server.url("a"))\n\(server.url("b")) out=file/b\n", to: "list.txt")
        let outcome = try await batchget(["-o", folder.path("out"), list], in: folder)
        #expect(outcome.code == 73)
        #expect(outcome.errorLines.count == 2)
        #expect(outcome.errors.contains("\(folder.path("out/file")): the folder cannot be made: "))
        #expect(outcome.errors.contains("\(folder.path("out/a")): is there already, and is not a file"))
        #expect(try await batchget(["-o", list, list], in: folder).code == 73)
        #expect(server.log.value.isEmpty)
    }

    @Test("A link below the output directory is not followed, to a folder or to a file: status 73; one above it is")
    func links() async throws {
        let manager = FileManager.default
        try folder.write("mine", to: "elsewhere/precious")
        try manager.createDirectory(atPath: folder.path("out"), withIntermediateDirectories: true)
        try manager.createSymbolicLink(atPath: folder.path("out/d"), withDestinationPath: folder.path("elsewhere"))
        try manager.createSymbolicLink(
            atPath: folder.path("out/f"), withDestinationPath: folder.path("elsewhere/precious"))
        let list = try folder.write("\(server.url("a")) out=d/a\n\(server.url("a")) out=f id=2\n", to: "list.txt")
        let outcome = try await batchget(["--force", "-o", folder.path("out"), list], in: folder)
        #expect(outcome.code == 73)
        #expect(
            outcome.errorLines == [
                "batchget: \(folder.path("out/d")): is a link; below the output directory links are not followed",
                "batchget: \(folder.path("out/f")): is there already, and is a link",
            ])
        #expect(server.log.value.isEmpty)
        let visible = folder.files.filter { !$0.hasPrefix(".") }
        #expect(visible == ["elsewhere/precious", "list.txt", "out/f"])

        try manager.createSymbolicLink(atPath: folder.path("way"), withDestinationPath: folder.path("elsewhere"))
        let fine = try await batchget(["-o", folder.path("way")], input: server.url("a"), in: folder)
        #expect(fine.code == 0)
        #expect(folder.data("elsewhere/a") == content(10))
    }

    @Test("--help has the manual, on standard output")
    func help() async throws {
        let outcome = try await batchget(["--help"], in: folder)
        #expect(outcome.code == 0)
        for word in ["TEXT MANIFEST", "JSON MANIFEST", "EXIT STATUS", "--cancel-group-on-failure", "--per-host"] {
            #expect(outcome.output.contains(word))
        }
        let longest = outcome.output.split(separator: "\n").map(\.count).max() ?? 0
        #expect(longest <= 80)
    }
}
