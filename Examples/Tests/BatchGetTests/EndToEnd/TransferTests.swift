// SPDX-License-Identifier: MIT
import BatchGetCore
import Foundation
import Testing

@Suite("Second attempts, limits, ranges and mirrors", .timeLimit(.minutes(1))) struct TransferTests {
    static let whole = content(1_000_000)

    let server: FileServer
    let folder: Folder

    init() async throws {
        server = try await FileServer()
        folder = try Folder()
    }

    func run(_ arguments: [String], input: String = "") async throws -> Child.Outcome {
        try await batchget(["-o", folder.path("out")] + arguments, input: input, in: folder)
    }

    private func report(_ outcome: Child.Outcome) throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
    }

    // MARK: Attempts

    @Test("A 503 is tried again, in one piece and in ranges", arguments: [[], ["--split", "2"]])
    func retries(_ options: [String]) async throws {
        server.serve("a", Self.whole, refusals: [.init(status: 503), .init(status: 500)])
        let outcome = try await run(options + ["--retry-wait", "0.05", server.url("a")])
        #expect(outcome.code == 0 && folder.data("out/a") == Self.whole)
        #expect(server.requests(for: "a").count == 3)
    }

    @Test("No more than --max-tries attempts, and none more of what will not pass", arguments: [[], ["--split", "2"]])
    func maximumTries(_ options: [String]) async throws {
        server.serve("busy", Self.whole, status: 503)
        let outcome = try await run(
            options + ["--retry-wait", "0", "--max-tries", "3", server.url("busy"), server.url("missing")])
        #expect(outcome.code == 1)
        #expect(outcome.errors.contains("failed busy ") && outcome.errors.contains("(503)"))
        #expect(server.requests(for: "busy").count == 3)
        #expect(server.requests(for: "missing").count == 1)
    }

    @Test("Retry-After is waited for")
    func retryAfter() async throws {
        server.serve("a", Self.whole, refusals: [.init(status: 429, retryAfter: 1)])
        let start = ContinuousClock.now
        #expect(try await run(["--retry-wait", "0", server.url("a")]).code == 0)
        #expect(ContinuousClock.now - start >= .seconds(1))
    }

    @Test("A Retry-After that is too long ends it", arguments: [[], ["--split", "2"]])
    func longRetryAfter(_ options: [String]) async throws {
        server.serve("a", Self.whole, refusals: [.init(status: 503, retryAfter: 100_000)])
        let outcome = try await run(options + ["--retry-wait", "0", server.url("a")])
        #expect(outcome.code == 1 && outcome.errors.contains("(503)"))
        #expect(server.requests(for: "a").count == 1)
    }

    // MARK: Command line

    @Test("URLs as arguments, beside a manifest, with fields of their own")
    func arguments() async throws {
        for name in ["a", "b", "c"] { server.serve(name, content(10)) }
        let list = try folder.write("\(server.url("c"))\n  header=X-Mine: yes\n", to: "list.txt")
        let outcome = try await run([server.url("a"), server.url("b"), "--header", "X-All: 1", "-i", list])
        #expect(outcome.code == 0)
        #expect(folder.files.filter { $0.hasPrefix("out/") } == ["out/a", "out/b", "out/c"])
        #expect(server.requests(for: "c").first?["X-Mine"] == "yes")
        #expect(server.requests(for: "a").first?["X-Mine"] == nil)
        #expect(server.log.value.allSatisfy { $0["X-All"] == "1" })
        let twice = try await run([server.url("a"), server.url("a")])
        #expect(twice.code == 65)
        #expect(
            twice.errorLines == [
                "batchget: argument 2: out: \"a\" is written by argument 1 already; name another with \"out\""
            ])
    }

    @Test("What of an input file is not known is told; not with --quiet")
    func warnings() async throws {
        server.serve("a", content(10))
        let input = "\(server.url("a"))\n  bt-seed=1\n"
        let outcome = try await run([], input: input)
        #expect(outcome.code == 0)
        #expect(
            outcome.errorLines.first == "batchget: standard input:2: the option \"bt-seed\" is not known, and ignored")
        #expect(try await run(["-q", "--force"], input: input).errors.isEmpty)
    }

    // MARK: Rates

    @Test("A rate is kept to, of all together, of a host and of a file, without work meanwhile")
    func rates() async throws {
        let piece = content(300_000)
        for name in ["a", "b"] { server.serve(name, piece) }
        for options in [["--limit-rate", "300K"], ["--limit-rate-per-host", "300K"]] {
            let start = ContinuousClock.now
            let outcome = try await run(["--force", server.url("a"), server.url("b")] + options)
            // 600 000 bytes at 307 200 a second, a tenth of a second's worth at once.
            #expect(outcome.code == 0)
            #expect((1.8...30).contains((ContinuousClock.now - start).seconds))
            #expect(folder.data("out/a") == piece && folder.data("out/b") == piece)
        }
        let start = ContinuousClock.now
        #expect(try await run(["--force"], input: "\(server.url("a"))\n  max-download-limit=200K\n").code == 0)
        #expect((1.3...30).contains((ContinuousClock.now - start).seconds))
    }

    @Test("A rate is kept to by files that come in one piece each")
    func rateOfSmallFiles() async throws {
        for number in 1...20 { server.serve("small\(number)", content(10_000)) }
        let start = ContinuousClock.now
        let outcome = try await run(["--limit-rate", "100K"] + (1...20).map { server.url("small\($0)") })
        #expect(outcome.code == 0)
        // 200 000 bytes at 102 400 a second, a tenth of a second's worth at once.
        #expect((1.8...30).contains((ContinuousClock.now - start).seconds))
    }

    // MARK: Ranges

    private let split = ["-s4", "--min-split-size", "128K"]

    @Test("A file is had in ranges at once, each once")
    func ranges() async throws {
        let resource = server.serve("a", Self.whole, released: 100_000)
        let list = try folder.write("\(server.url("a")) sha256=\(try await sha256(Self.whole))", to: "list.txt")
        let child = try Child(["-o", folder.path("out"), "--json"] + split + [list], in: folder)
        let requests = try await server.waitForRequests(4, for: "a")
        #expect(
            Set(requests.map { $0["Range"] ?? "all" })
                == ["all", "bytes=250000-499999", "bytes=500000-749999", "bytes=750000-999999"])
        #expect(requests.allSatisfy { $0["Range"] == nil || $0["If-Range"] == resource.entityTag })
        resource.release()
        let outcome = try await child.wait()
        #expect(outcome.code == 0)
        #expect(folder.data("out/a") == Self.whole)
        #expect(folder.files.filter { $0.hasPrefix("out/") } == ["out/a"])
        #expect(try report(outcome).downloads.first?.bytes == 1_000_000)
        #expect(try report(outcome).receivedBytes == 1_000_000)
    }

    @Test("A file is not split where another one waits for its place")
    func places() async throws {
        for name in ["a", "b"] { server.serve(name, Self.whole, released: 1000) }
        let child = try Child(
            ["-o", folder.path("out"), "--per-host", "3"] + split + [server.url("a"), server.url("b")], in: folder)
        // Three places, two files: one range more.
        try await server.log.wait(for: "three requests") { $0.count == 3 }
        #expect(Set(server.log.value.map(\.path)) == ["/a", "/b"])
        child.kill(SIGINT)
        #expect(try await child.wait().code == 130)
        #expect(server.log.value.count == 3)
    }

    @Test("A server without ranges, and one that has no validator, give the file in one piece")
    func unsplittable() async throws {
        server.serve("a", Self.whole, servesRanges: false)
        server.serve("b", Self.whole, entityTag: "")
        server.serve("c", Self.whole, entityTag: "W/\"weak\"")
        #expect(try await run(split + ["a", "b", "c"].map { server.url($0) }).code == 0)
        for name in ["a", "b", "c"] { #expect(folder.data("out/\(name)") == Self.whole) }
        #expect(server.requests(for: "b").count == 1 && server.requests(for: "c").count == 1)
    }

    @Test("After a kill the missing ranges are asked for, and nothing stands under the final name before")
    func kill() async throws {
        let resource = server.serve("a", Self.whole, released: 600_000)
        let arguments = ["-o", folder.path("out"), "--json", server.url("a")] + split
        let child = try Child(arguments, in: folder)
        try await server.waitForRequests(4, for: "a")
        try await folder.waitForSize("out/a.part", atLeast: 600_000)
        try await folder.waitForSize("out/a.part.json", atLeast: 1)
        child.kill(SIGINT)
        #expect(try await child.wait().code == 130)
        #expect(folder.files.filter { $0.hasPrefix("out/") } == ["out/a.part", "out/a.part.json"])
        resource.release()
        let before = server.log.value.count
        let outcome = try await batchget(arguments, in: folder)
        #expect(outcome.code == 0 && folder.data("out/a") == Self.whole)
        let again = server.log.value.dropFirst(before)
        #expect(!again.isEmpty && again.allSatisfy { $0["If-Range"] == resource.entityTag })
        let download = try #require(try report(outcome).downloads.first)
        #expect(download.resumedFrom > 0)
        #expect(try report(outcome).receivedBytes == 1_000_000 - download.resumedFrom)
        #expect(folder.files.filter { $0.hasPrefix("out/") } == ["out/a"])
    }

    @Test("A hard kill, at any moment: the next run completes the file", arguments: [0, 200_000, 400_000, 900_000])
    func hardKill(_ size: Int) async throws {
        let resource = server.serve("a", Self.whole, released: max(1, size))
        let arguments = ["-o", folder.path("out"), server.url("a")] + split
        let child = try Child(arguments, in: folder)
        try await server.waitForRequests(for: "a")
        if size > 0 { try await folder.waitForSize("out/a.part", atLeast: size / 2) }
        child.kill(SIGKILL)
        #expect(try await child.wait().signal == SIGKILL)
        #expect(folder.data("out/a") == nil)
        resource.release()
        #expect(try await batchget(arguments, in: folder).code == 0)
        #expect(folder.data("out/a") == Self.whole)
        #expect(folder.files.filter { $0.hasPrefix("out/") } == ["out/a"])
    }

    @Test("A file that was changed between two runs, or between two ranges, begins anew")
    func changed() async throws {
        server.serve("a", Self.whole, released: 600_000)
        let arguments = ["-o", folder.path("out"), server.url("a")] + split
        let child = try Child(arguments, in: folder)
        try await server.waitForRequests(4, for: "a")
        try await folder.waitForSize("out/a.part", atLeast: 600_000)
        child.kill(SIGINT)
        _ = try await child.wait()
        let other = content(1_000_000, seed: 2)
        server.serve("a", other, entityTag: "\"other\"")
        #expect(try await batchget(arguments, in: folder).code == 0)
        #expect(folder.data("out/a") == other)
    }

    @Test("With and without ranges, what one run left is no mistake of the next")
    func otherKind() async throws {
        for (first, second) in [(split, []), ([], split)] {
            let resource = server.serve("a", Self.whole, released: 500_000)
            let child = try Child(["-o", folder.path("out"), "--force", server.url("a")] + first, in: folder)
            try await folder.waitForSize("out/a.part", atLeast: 250_000)
            child.kill(SIGKILL)
            _ = try await child.wait()
            resource.release()
            #expect(try await run(second + [server.url("a"), "--force"]).code == 0)
            #expect(folder.data("out/a") == Self.whole)
            #expect(folder.files.filter { $0.hasPrefix("out/") } == ["out/a"])
        }
    }

    @Test("Another digest: no file, and no part of one")
    func digest() async throws {
        server.serve("a", Self.whole)
        let input = "\(server.url("a"))\n  checksum=md5=\(String(repeating: "0", count: 32))\n"
        let outcome = try await run(split, input: input)
        #expect(outcome.code == 1 && outcome.errors.contains("failed a the md5 digest is "))
        #expect(folder.files.filter { $0.hasPrefix("out/") }.isEmpty)
    }

    // MARK: Places of one file

    @Test("What one place does not have is had of another, by an input file and by a Metalink")
    func mirrors() async throws {
        server.serve("b", Self.whole)
        let urls = [server.url("missing"), "http://127.0.0.1:1/a", server.url("b", host: "127.0.0.2")]
        let options = ["--max-tries", "2", "--retry-wait", "0"]
        #expect(try await run(options, input: urls.joined(separator: "\t") + "\n  out=x\n").code == 0)
        #expect(folder.data("out/x") == Self.whole)
        let metalink = """
            <?xml version="1.0"?><metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="d/y">
            <size>1000000</size><hash type="sha-256">\(try await sha256(Self.whole))</hash>
            \(urls.map { "<url>\($0)</url>" }.joined())</file></metalink>
            """
        #expect(try await run(options, input: metalink).code == 0)
        #expect(folder.data("out/d/y") == Self.whole)
    }

    @Test("Several places give ranges of one file at once, and one that has another file gives none")
    func severalPlaces() async throws {
        let near = server.serve("a", Self.whole, released: 1000)
        let far = server.serve("b", Self.whole, released: 1000, entityTag: near.entityTag)
        server.serve("c", content(1_000_000, seed: 2), entityTag: "\"other\"")
        let urls = [server.url("a"), server.url("b", host: "127.0.0.2"), server.url("c", host: "127.0.0.3")]
        let list = try folder.write(urls.joined(separator: " "), to: "list.txt")
        let child = try Child(["-o", folder.path("out"), "--min-split-size", "128K", list], in: folder)
        for name in ["a", "b", "c"] { try await server.waitForRequests(for: name) }
        near.release()
        far.release()
        #expect(try await child.wait().code == 0)
        #expect(folder.data("out/a") == Self.whole)
    }

    @Test("What comes after a file of several ranges comes after all of them, and not at all when it fails")
    func dependencies() async throws {
        let first = server.serve("a", Self.whole, released: 1000)
        server.serve("b", content(10))
        server.serve("bad", Data(), status: 404)
        let list = try folder.write(
            """
            \(server.url("b")) after=a
            \(server.url("a")) split=4
            \(server.url("bad")) split=4 group=g
            \(server.url("c")) after=bad
            \(server.url("d")) after=bad split=2
            \(server.url("e")) after=c
            """, to: "list.txt")
        let child = try Child(["-o", folder.path("out"), "--json", "--min-split-size", "128K", list], in: folder)
        try await server.waitForRequests(for: "a")
        #expect(server.requests(for: "b").isEmpty)
        first.release()
        let outcome = try await child.wait()
        let downloads = try report(outcome).downloads
        #expect(downloads.map(\.state) == ["done", "done", "failed", "cancelled", "cancelled", "cancelled"])
        #expect(downloads.map(\.cause) == [nil, nil, nil, "bad", "bad", "c"])
        #expect(folder.data("out/b") == content(10))
        for name in ["c", "d", "e"] { #expect(server.requests(for: name).isEmpty) }
    }
}
