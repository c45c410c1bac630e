// SPDX-License-Identifier: MIT
import Foundation
import Testing

/// What public reports say of aria2, wget, wget2, curl and others, tried here.
@Suite("Reports: lists, names and statuses", .timeLimit(.minutes(1))) struct ToolReportTests {
    private let server: FileServer
    private let folder: Folder

    init() async throws {
        server = try await FileServer()
        folder = try Folder()
    }

    private func run(_ arguments: [String], input: String = "") async throws -> Child.Outcome {
        try await batchget(["-o", folder.path("out")] + arguments, input: input, in: folder)
    }

    // MARK: Lists

    @Test("Of a list with nothing in it everything is there (aria2#637)", arguments: ["", "\n  \n# comment\n\t\n"])
    func emptyList(_ text: String) async throws {
        let list = try folder.write(text, to: "empty.txt")
        let fromFile = try await run(["-i", list])
        let fromInput = try await run(["-"], input: text)
        #expect(fromFile.code == 0 && fromInput.code == 0)
        #expect(fromFile.errors.hasPrefix("nothing to do; ") && fromInput.errors.hasPrefix("nothing to do; "))
        #expect(folder.files.filter { $0.hasPrefix("out/") }.isEmpty)
    }

    @Test("Without the list nothing is asked for, also not what the command line names (aria2#771)")
    func missingList() async throws {
        server.serve("a", content(10))
        let missing = folder.path("missing.txt")
        let outcome = try await run(["-i", missing, server.url("a")])
        #expect(outcome.code == 66)
        #expect(outcome.errorLines.first?.hasPrefix("batchget: \(missing): ") == true)
        #expect(server.log.value.isEmpty)
    }

    @Test("Of two names of one file neither is taken in silence (aria2#1705)")
    func twoNames() async throws {
        server.serve("a", content(10))
        let list = try folder.write("\(server.url("a"))\n  out=one\n  out=two\n", to: "list.txt")
        let outcome = try await run(["-i", list])
        #expect(outcome.code == 65)
        #expect(outcome.errorLines == ["batchget: \(list):3: out: is given twice"])
        #expect(server.log.value.isEmpty)
    }

    @Test("Two places of one file, whatever blanks are between them (aria2#372)", arguments: [" ", "\t", "   "])
    func twoPlaces(_ blanks: String) async throws {
        server.serve("mirror/a", content(1000))
        let list = try folder.write("\(server.url("a"))\(blanks)\(server.url("mirror/a"))\n", to: "list.txt")
        #expect(try await run(["-i", list]).code == 0)
        #expect(server.log.value.map(\.path) == ["/a", "/mirror/a"])
        #expect(folder.data("out/a") == content(1000))
        #expect(folder.files.filter { $0.hasPrefix("out/") } == ["out/a"])
    }

    // MARK: What is there already

    @Test("A list that has grown: only what is new is asked for (aria2#865, aria2#742)")
    func grownList() async throws {
        server.serve("a", content(10))
        server.serve("b", content(20))
        let list = try folder.write(server.url("a"), to: "list.txt")
        #expect(try await run(["-i", list]).code == 0)
        let before = try FileManager.default.attributesOfItem(atPath: folder.path("out/a"))
        let date = try #require(before[.modificationDate] as? Date)

        try folder.write("\(server.url("a"))\n\(server.url("b"))\n", to: "list.txt")
        let outcome = try await run(["-i", list])
        #expect(outcome.code == 0)
        #expect(outcome.errorLines.contains("skipped a 10"))
        #expect(server.log.value.map(\.path) == ["/a", "/b"])
        let after = try FileManager.default.attributesOfItem(atPath: folder.path("out/a"))
        #expect(after[.modificationDate] as? Date == date)
        #expect(folder.data("out/b") == content(20))
    }

    @Test("A refusal leaves the file that is there as it is (wget2#362)", arguments: [[], ["--split", "2"]])
    func refusedReplacement(_ options: [String]) async throws {
        server.serve("a", Data(), status: 404)
        let old = Data("old bytes".utf8)
        try folder.write(old, to: "out/a")
        #expect(try await run(options + [server.url("a")]).code == 0)
        #expect(server.log.value.isEmpty)

        let forced = try await run(options + ["--force", server.url("a")])
        #expect(forced.code == 1 && forced.errors.contains("404"))
        #expect(server.log.value.count == 1)
        #expect(folder.data("out/a") == old)
        #expect(folder.size("out/a.part") == 0)
    }

    @Test("A name of one's own does not keep a file from going on (wget2#356)")
    func ownName() async throws {
        let whole = content(400_000)
        let file = server.serve("a", whole, released: 200_000)
        let list = try folder.write("\(server.url("a")) out=b.rpm\n", to: "list.txt")
        let child = try Child(["-o", folder.path("out"), "-i", list], in: folder)
        try await folder.waitForSize("out/b.rpm.part", atLeast: 200_000)
        child.kill(SIGINT)
        #expect(try await child.wait().code == 130)
        let partial = folder.size("out/b.rpm.part")
        #expect(partial > 0 && partial <= 200_000)

        file.release()
        #expect(try await run(["-i", list]).code == 0)
        let requests = server.requests(for: "a")
        #expect(requests.map { $0["Range"] } == [nil, "bytes=\(partial)-"])
        #expect(requests.last?["If-Range"] == file.entityTag)
        #expect(folder.data("out/b.rpm") == whole)
        #expect(folder.files.filter { $0.hasPrefix("out/") } == ["out/b.rpm"])
    }

    // MARK: Statuses

    @Test("A hundred files that are refused once each come with the second attempt (curl#5905, curl#20669)")
    func refusedOnce() async throws {
        let names = (1...100).map { "\($0)" }
        for (index, name) in names.enumerated() {
            server.serve(name, content(1000, seed: UInt64(index + 1)), refusals: [.init(status: 429)])
        }
        let list = try folder.write(names.map { server.url($0) }.joined(separator: "\n"), to: "list.txt")
        let outcome = try await run(["-j", "5", "--per-host", "5", "--retry-wait", "0.05", "-i", list])
        #expect(outcome.code == 0)
        for (index, name) in names.enumerated() {
            #expect(server.requests(for: name).count == 2, "\(name)")
            #expect(folder.data("out/\(name)") == content(1000, seed: UInt64(index + 1)), "\(name)")
        }
    }

    @Test("What will not pass is asked for once (curl#20669)", arguments: [401, 403, 404, 410])
    func lastingRefusal(_ status: Int) async throws {
        server.serve("a", Data(), status: status)
        let outcome = try await run(["--max-tries", "5", "--retry-wait", "0.05", server.url("a")])
        #expect(outcome.code == 1 && outcome.errors.contains("\(status)"))
        #expect(server.requests(for: "a").count == 1)
    }

    @Test("A busy server is asked --max-tries times, and its answer to the last counts (neco#1844)")
    func busy() async throws {
        server.serve("busy", Data(), status: 503)
        server.serve("late", content(1000), refusals: [.init(status: 503), .init(status: 503)])
        let options = ["--max-tries", "3", "--retry-wait", "0.05"]
        #expect(try await run(options + [server.url("busy")]).code == 1)
        #expect(server.requests(for: "busy").count == 3)
        #expect(try await run(options + [server.url("late")]).code == 0)
        #expect(server.requests(for: "late").count == 3)
        #expect(folder.data("out/late") == content(1000))
    }
}

/// The same of what a server sends byte by byte.
@Suite("Reports: redirects and lost connections", .timeLimit(.minutes(1))) struct ToolConnectionReportTests {
    private let folder: Folder

    init() throws {
        folder = try Folder()
    }

    // MARK: Names

    @Test("Two files of one name are told before anything is asked for (aria2#145)")
    func oneName() async throws {
        let files = [content(1000), content(1000, seed: 2)]
        let server = try ScriptedServer(files.map { response("200 OK", [], $0) })
        let urls = (1...2).map { "\(server.url.dropLast())videoplayback?id=\($0)" }
        let list = try folder.write(urls.joined(separator: "\n"), to: "list.txt")
        // One after the other, because the server answers in the order of the connections.
        let arguments = ["-o", folder.path("out"), "-j", "1", "-i", list]
        let outcome = try await batchget(arguments, in: folder)
        // Nobody can foretell which of them a number behind the name would be given to.
        #expect(outcome.code == 65)
        #expect(
            outcome.errorLines == [
                "batchget: \(list):2: out: \"videoplayback\" is written by line 1 already; name another with \"out\""
            ])
        #expect(server.requests.isEmpty)

        try folder.write("\(urls[0])\n  out=file1\n\(urls[1])\n  out=file2\n", to: "list.txt")
        #expect(try await batchget(arguments, in: folder).code == 0)
        #expect(folder.data("out/file1") == files[0] && folder.data("out/file2") == files[1])
        #expect(folder.files.filter { $0.hasPrefix("out/") } == ["out/file1", "out/file2"])
        #expect(server.requests.first?.hasPrefix("GET /videoplayback?id=1 ") == true)
        #expect(server.requests.last?.hasPrefix("GET /videoplayback?id=2 ") == true)
    }

    @Test(
        "The name is that of the URL that was given, wherever it leads",
        arguments: [
            ("curl#4778, curl#19985, curl#12845", "api/download?platform=linux", "/discord-0.0.119.deb", "download"),
            ("curl#1241", "packages/shellcheck/download/", "/mirror/shellcheck.tar.xz", "index.html"),
        ])
    func nameOfURL(_ reference: String, _ path: String, _ target: String, _ name: String) async throws {
        let file = content(1000)
        let server = try ScriptedServer([
            response("302 Found", ["Location: \(target)"], Data()), response("200 OK", [], file),
        ])
        let arguments = ["-o", folder.path("out"), "\(server.url.dropLast())\(path)"]
        #expect(try await batchget(arguments, in: folder).code == 0, "\(reference)")
        #expect(folder.files.filter { $0.hasPrefix("out/") } == ["out/\(name)"], "\(reference)")
        #expect(folder.data("out/\(name)") == file, "\(reference)")
        #expect(server.requests.last?.hasPrefix("GET \(target) ") == true, "\(reference)")
        // It is known before: nothing has to be asked for to see that it is there.
        #expect(try await batchget(arguments, in: folder).code == 0, "\(reference)")
        #expect(server.requests.count == 2, "\(reference)")
    }

    @Test(
        "The page of a refusal behind a redirect is no file, and no part of one (aria2#1828, aria2#1880)",
        arguments: [[], ["--split", "2"]])
    func refusedRedirect(_ options: [String]) async throws {
        let page = Data("<html>gone</html>".utf8)
        let server = try ScriptedServer([
            response("302 Found", ["Location: /gone"], Data()),
            response("404 Not Found", ["Content-Type: text/html"], page), response("200 OK", [], Self.whole),
        ])
        let arguments = ["-o", folder.path("out"), "\(server.url.dropLast())x.tar.gz"] + options
        let outcome = try await batchget(arguments, in: folder)
        #expect(outcome.code == 1 && outcome.errors.contains("404"))
        #expect(server.requests.count == 2)
        #expect(folder.data("out/x.tar.gz") == nil && folder.size("out/x.tar.gz.part") == 0)

        #expect(try await batchget(arguments, in: folder).code == 0)
        #expect(server.requests.count == 3)
        #expect(server.requests.last.flatMap { field("Range", of: $0) } == nil)
        #expect(folder.data("out/x.tar.gz") == Self.whole)
    }

    // MARK: Lost connections

    static let whole = content(300_000)
    static let tag = "ETag: \"1\""
    /// What a list says of the file: nothing, so that the library asks for the rest, and what brings a plan in.
    static let options = ["", "split=2", "size=300000"]

    private func run(
        _ server: ScriptedServer, _ options: String, _ arguments: [String] = []
    ) async throws -> Child.Outcome {
        try await batchget(
            ["-o", folder.path("out"), "--retry-wait", "0.05"] + arguments, input: "\(server.url) \(options)",
            in: folder)
    }

    /// A response of which the connection is lost.
    private func cut(_ count: Int) -> Data {
        response("200 OK", [Self.tag], Self.whole.prefix(count), length: Self.whole.count)
    }

    private func part(from first: Int) -> Data {
        response(
            "206 Partial Content", [Self.tag, "Content-Range: bytes \(first)-299999/300000"],
            Self.whole.dropFirst(first))
    }

    /// Whether each of the requests so far asked for a range.
    private func ranges(_ server: ScriptedServer) -> [Bool] {
        server.requests.map { field("Range", of: $0) != nil }
    }

    @Test("The rest of a lost response is asked for (dotnet#1151)", arguments: options)
    func rest(_ options: String) async throws {
        let server = try ScriptedServer([cut(200_000), part(from: 200_000)])
        #expect(try await run(server, options).code == 0)
        #expect(folder.data("out/a") == Self.whole)
        #expect(server.requests.map { field("If-Range", of: $0) } == [nil, "\"1\""])
        #expect(server.requests.last.flatMap { field("Range", of: $0) }?.hasPrefix("bytes=200000-") == true)
    }

    @Test(
        "All of the file in place of its rest is not put behind what is there (rustup#4710, caruhome-upparat#1)",
        arguments: options)
    func wholeForRest(_ options: String) async throws {
        let server = try ScriptedServer([cut(200_000), response("200 OK", [Self.tag], Self.whole)])
        #expect(try await run(server, options).code == 0)
        #expect(folder.data("out/a") == Self.whole)
        #expect(ranges(server) == [false, true])
    }

    @Test(
        "After a range that begins too early all is asked for (httrack#428, pip#14131, duo-updater#225)",
        arguments: options, [131_072, 0])
    func otherRange(_ options: String, _ first: Int) async throws {
        let server = try ScriptedServer([cut(200_000), part(from: first), response("200 OK", [Self.tag], Self.whole)])
        #expect(try await run(server, options).code == 0)
        #expect(folder.data("out/a") == Self.whole)
        #expect(ranges(server) == [false, true, false])
        #expect(folder.files.filter { $0.hasPrefix("out/") } == ["out/a"])
    }

    @Test(
        "What an earlier run left does not fail by such a range each time (httrack#428, pip#14131, duo-updater#225)",
        arguments: options)
    func otherRangeOfEarlierRun(_ options: String) async throws {
        // Less than a plan takes for progress, so that the first run ends with it.
        let server = try ScriptedServer([cut(100_000), part(from: 65_536), response("200 OK", [Self.tag], Self.whole)])
        #expect(try await run(server, options, ["--max-tries", "1"]).code == 1)
        #expect(server.requests.count == 1)
        #expect(try await run(server, options, ["--max-tries", "1"]).code == 0)
        #expect(folder.data("out/a") == Self.whole)
        #expect(ranges(server) == [false, true, false])
    }

    @Test("What was killed when all of it had come gets its name by the next run (wget2#255, weborf#22)")
    func killedAtEnd() async throws {
        // In one piece, so that the note that is written with the first piece has all of it.
        let file = content(1000)
        let refusal = response("416 Range Not Satisfiable", ["Content-Range: bytes */1000"], Data())
        let server = try ScriptedServer([response("200 OK", [Self.tag], file), refusal])
        let arguments = ["-o", folder.path("out"), "--split", "2", server.url]
        // What has come is paid for with more than a minute before the file gets its name.
        let child = try Child(arguments + ["--limit-rate", "10"], in: folder)
        try await folder.waitForSize("out/a.part", atLeast: 1000)
        try await folder.waitForSize("out/a.part.json", atLeast: 1)
        child.kill(SIGKILL)
        #expect(try await child.wait().signal == SIGKILL)
        #expect(folder.data("out/a") == nil)

        #expect(try await batchget(arguments, in: folder).code == 0)
        #expect(folder.files.filter { $0.hasPrefix("out/") } == ["out/a"])
        #expect(folder.data("out/a") == file)
        #expect(server.requests.count <= 2)
    }

    // MARK: A slice as if it were everything

    /// Of a 200 `Content-Range` says nothing (RFC 9110, section 14.4).
    private var slice: Data {
        response("200 OK", [Self.tag, "Content-Range: bytes 200000-299999/300000"], Self.whole.suffix(100_000))
    }

    @Test("A slice with the status 200 is the file (modelscope_hub#50)", arguments: ["", "split=2"])
    func sliceAsWhole(_ options: String) async throws {
        let server = try ScriptedServer([cut(200_000), slice])
        #expect(try await run(server, options).code == 0)
        #expect(folder.data("out/a") == Self.whole.suffix(100_000))
        #expect(ranges(server) == [false, true])
    }

    @Test("A slice with the status 200 is not the file where the list says its length (modelscope_hub#50)")
    func sliceOfKnownLength() async throws {
        let server = try ScriptedServer([cut(200_000), slice])
        #expect(try await run(server, "size=300000").code == 1)
        #expect(folder.data("out/a") == nil)
    }
}

/// A response after which the connection is closed.
///
/// - Parameter length: that it announces; nil: that of its content.
private func response(_ status: String, _ fields: [String], _ content: Data, length: Int? = nil) -> Data {
    let lines = ["HTTP/1.1 \(status)", "Content-Length: \(length ?? content.count)", "Connection: close"] + fields
    return Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + content
}

/// The value of a field in the head of a request; nil: it is not there.
private func field(_ name: String, of head: String) -> String? {
    let beginning = name.lowercased() + ": "
    let line = head.split(whereSeparator: \.isNewline).first { $0.lowercased().hasPrefix(beginning) }
    return line.map { String($0.dropFirst(beginning.count)) }
}
