// SPDX-License-Identifier: MIT
import BatchGetCore
import Foundation
import Testing

@Suite("Downloads", .timeLimit(.minutes(1))) struct DownloadTests {
    private let server: FileServer
    private let folder: Folder

    init() async throws {
        server = try await FileServer()
        folder = try Folder()
    }

    private func run(_ manifest: String, _ options: [String] = []) async throws -> Child.Outcome {
        let path = try folder.write(manifest, to: "list.txt")
        return try await batchget(["-o", folder.path("out")] + options + [path], in: folder)
    }

    private func report(_ outcome: Child.Outcome) throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
    }

    @Test("Files of a manifest come, with a line for each and a summary")
    func files() async throws {
        let (first, second) = (content(300_000), content(70_000, seed: 2))
        server.serve("a.bin", first)
        server.serve("b", second)
        server.serve("empty", Data())
        let outcome = try await run(
            """
            \(server.url("a.bin")) sha256=\(try await sha256(first))
            \(server.url("b")) out="sub/my file"   # a comment
            \(server.url("empty"))
            """)
        #expect(outcome.code == 0)
        #expect(folder.data("out/a.bin") == first)
        #expect(folder.data("out/sub/my file") == second)
        #expect(folder.data("out/empty") == Data())
        #expect(folder.files.filter { $0.hasPrefix("out/") } == ["out/a.bin", "out/empty", "out/sub/my file"])
        #expect(
            Set(outcome.errorLines.dropLast()) == ["done a.bin 300000", "done sub/my file 70000", "done empty 0"])
        #expect(outcome.errorLines.last?.hasPrefix("3 done; 370.0 kB in ") == true)
        #expect(outcome.output.isEmpty)
    }

    @Test("URLs from standard input", arguments: [[], ["-"]])
    func standardInput(_ argument: [String]) async throws {
        server.serve("a", content(10))
        server.serve("b", content(20))
        let outcome = try await batchget(
            ["--output", folder.path("out")] + argument, input: "\(server.url("a"))\n\(server.url("b"))", in: folder)
        #expect(outcome.code == 0)
        #expect(folder.data("out/a") == content(10))
        #expect(folder.data("out/b") == content(20))
    }

    @Test("Through a proxy")
    func proxy() async throws {
        // It gets requests for a host that does not exist.
        server.serve("a", content(10))
        let outcome = try await run(
            "http://no-such-host.invalid/a", ["--proxy", server.url("").trimmingCharacters(in: ["/"])])
        #expect(outcome.code == 0 && folder.data("out/a") == content(10))
        let refused = try await run("http://no-such-host.invalid/b", ["--proxy", "ftp://me:secret@proxy"])
        #expect(refused.code == 64 && refused.errors.contains("--proxy") && !refused.errors.contains("secret"))
    }

    @Test("A JSON manifest, and a report that is all of standard output")
    func json() async throws {
        server.serve("a", content(5000))
        let url = server.url("a").replacingOccurrences(of: "//", with: "//me:secret@")
        let manifest = """
            {"downloads": [{"url": "\(url)", "id": "first", "group": "g"},
                           {"url": "\(server.url("missing"))", "id": "second", "after": ["first"]},
                           {"url": "\(server.url("third"))", "after": ["second"]},
                           {"url": "http://127.0.0.1:1/refused"}]}
            """
        let outcome = try await run(manifest, ["--json", "--max-tries", "1"])
        let report = try report(outcome)
        #expect(outcome.code == 1 && report.exitCode == 1)
        #expect(report.done == 1 && report.skipped == 0 && report.failed == 2 && report.cancelled == 1)
        #expect(report.receivedBytes == 5000)
        let downloads = report.downloads
        try #require(downloads.count == 4)
        #expect(downloads.map(\.state) == ["done", "failed", "cancelled", "failed"])
        #expect(downloads.map(\.status) == [200, 404, nil, nil])
        #expect(downloads.map(\.bytes) == [5000, 0, 0, 0])
        #expect(downloads[0].url == server.url("a"))
        #expect(downloads[0].group == "g" && downloads[0].output == "a" && downloads[0].error == nil)
        #expect(downloads[0].duration.map { $0 >= 0 && $0 <= report.duration } == true)
        #expect(downloads[1].error?.contains("404") == true)
        #expect(downloads[2].reason == "dependency" && downloads[2].cause == "second")
        #expect(downloads[2].duration == nil)
        #expect(downloads[3].error?.contains("connect") == true)
        #expect(!(outcome.output + outcome.errors).contains("secret"))
    }

    @Test("What is there already is skipped: by its digest, or its name; not with --force")
    func skipping() async throws {
        let wanted = content(50_000)
        for name in ["same", "other", "unknown"] { server.serve(name, wanted) }
        try folder.write(wanted, to: "out/same")
        try folder.write(content(50_000, seed: 9), to: "out/other")
        try folder.write("anything", to: "out/unknown")
        let digest = try await sha256(wanted)
        let manifest = """
            \(server.url("same")) sha256=\(digest.uppercased())
            \(server.url("other")) sha256=\(digest)
            \(server.url("unknown"))
            """
        let outcome = try await run(manifest, ["--json"])
        #expect(outcome.code == 0)
        #expect(try report(outcome).downloads.map(\.state) == ["skipped", "done", "skipped"])
        #expect(server.log.value.map(\.path) == ["/other"])
        #expect(folder.data("out/other") == wanted)
        #expect(folder.data("out/unknown") == Data("anything".utf8))

        #expect(try await run(manifest, ["--force"]).code == 0)
        #expect(server.log.value.count == 4)
        #expect(folder.data("out/unknown") == wanted)
    }

    @Test("Another digest than the manifest's: no file, and no part of one; what was there stays")
    func digestMismatch() async throws {
        server.serve("a", content(1000))
        try folder.write("old", to: "out/a")
        let outcome = try await run("\(server.url("a")) sha256=\(String(repeating: "0", count: 64))")
        #expect(outcome.code == 1)
        #expect(folder.files.filter { $0.hasPrefix("out/") } == ["out/a"])
        #expect(folder.data("out/a") == Data("old".utf8))
        let expected = try await sha256(content(1000))
        #expect(outcome.errorLines.first?.hasPrefix("failed a ") == true)
        #expect(outcome.errorLines.first?.contains(expected) == true)
    }

    @Test("What comes after others is asked for when they are there, and not at all when one of them fails")
    func dependencies() async throws {
        let first = server.serve("1", content(100), released: 50)
        server.serve("2", content(100))
        server.serve("3", content(100))
        server.serve("bad", Data(), status: 500)
        let list = try folder.write(
            """
            \(server.url("3")) after=two,1
            \(server.url("2")) id=two after=1
            \(server.url("1"))
            \(server.url("5")) after=4
            \(server.url("4")) after=bad
            \(server.url("bad"))
            """, to: "list.txt")
        let child = try Child(["-o", folder.path("out"), "--max-tries", "1", list], in: folder)
        try await server.waitForRequests(for: "bad")
        try await server.waitForRequests(for: "1")
        #expect(server.requests(for: "2").isEmpty && server.requests(for: "3").isEmpty)
        first.release()
        let outcome = try await child.wait()
        #expect(outcome.code == 1)
        #expect(server.log.value.map(\.path).filter { $0 != "/bad" } == ["/1", "/2", "/3"])
        #expect(
            Set(outcome.errorLines.filter { $0.hasPrefix("cancelled") }) == [
                "cancelled 4 comes after bad, which is not there", "cancelled 5 comes after 4, which is not there",
            ])
    }

    @Test("Header fields are in every request and in no message")
    func headers() async throws {
        server.serve("a", content(1))
        let file = try folder.write("# secret\n\nX-Second:  two words \r\nUser-Agent: me\n", to: "headers")
        let outcome = try await run(
            "\(server.url("a"))\n\(server.url("missing"))",
            ["--header", "Authorization: Bearer hidden", "--header-file", file, "--json"])
        #expect(outcome.code == 1)
        for request in server.log.value {
            #expect(request["Authorization"] == "Bearer hidden")
            #expect(request["X-Second"] == "two words")
            #expect(request["User-Agent"] == "me")
            #expect(request["Accept-Encoding"] == "identity")
        }
        #expect(server.log.value.count == 2)
        #expect(!(outcome.output + outcome.errors).contains("hidden"))
    }

    @Test("Of fields whose names differ in case only, the last one counts", arguments: [[], ["--split", "2"]])
    func repeatedHeaders(_ options: [String]) async throws {
        server.serve("a", content(1))
        let names = (0..<16).map { "X-Field-\($0)" }
        let fields = names.map { "  header=\($0): first\n" } + names.map { "  header=\($0.lowercased()): last\n" }
        #expect(try await run("\(server.url("a"))\n" + fields.joined(), options).code == 0)
        let request = try #require(server.requests(for: "a").first)
        #expect(names.allSatisfy { request[$0] == "last" })
    }

    @Test("Nothing is written outside of the output directory")
    func noCache() async throws {
        server.serve("a", content(10))
        let home = folder.path("home")
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        let child = try Child(
            ["-o", folder.path("out"), server.url("a")],
            variables: ["HOME": home, "CFFIXED_USER_HOME": home, "XDG_CACHE_HOME": home + "/.cache"], in: folder)
        #expect(try await child.wait().code == 0)
        #expect(folder.data("out/a") == content(10))
        #expect(try FileManager.default.contentsOfDirectory(atPath: home) == [])
    }

    @Test("A server that falls silent is given up on after --timeout")
    func timeout() async throws {
        server.serve("a", content(1000), released: 500)
        let outcome = try await run(server.url("a"), ["--timeout", "1", "--max-tries", "1", "--json"])
        #expect(outcome.code == 1)
        let download = try #require(try report(outcome).downloads.first)
        #expect(download.state == "failed")
        #expect(download.error?.contains("1.0 seconds") == true)
    }

    @Test("Two runs at once do not write into the same file")
    func twoRuns() async throws {
        let resource = server.serve("a", content(1000), released: 500)
        let list = try folder.write(server.url("a"), to: "list.txt")
        let first = try Child(["-o", folder.path("out"), list], in: folder)
        try await folder.waitForSize("out/a.part", atLeast: 500)
        let second = try await batchget(["-o", folder.path("out"), list], in: folder)
        #expect(second.code == 1)
        #expect(second.errorLines.first?.contains("another download writes to it") == true)
        resource.release()
        #expect(try await first.wait().code == 0)
        #expect(folder.data("out/a") == content(1000))
    }

    @Test("--quiet tells of failures only")
    func quiet() async throws {
        server.serve("a", content(1))
        #expect(try await run(server.url("a"), ["--quiet"]).errors.isEmpty)
        let outcome = try await run("\(server.url("a"))\n\(server.url("missing"))", ["-q"])
        #expect(outcome.errorLines.count == 1)
        #expect(outcome.errorLines.first?.hasPrefix("failed missing ") == true)
    }
}
