// SPDX-License-Identifier: MIT
import BatchGetCore
import Foundation
import FoundationNetworking
import Glibc
import OperationNetworking
import OperationNetworkingDurable
import Testing

@Suite("A queue for many runs", .timeLimit(.minutes(2))) struct QueueTests {
    private let server: FileServer
    private let folder: Folder
    private let queue: [String]

    init() async throws {
        server = try await FileServer()
        folder = try Folder()
        queue = ["--queue", folder.path("jobs.sqlite")]
    }

    private func report(_ outcome: Child.Outcome) throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
    }

    private func serveMany(_ count: Int) throws -> String {
        for number in 0..<count { server.serve("f\(number)", content(1000, seed: UInt64(number + 1))) }
        let lines = (0..<count).map {
            "\(server.url("f\($0)")) out=d\($0 % 3)/f\($0)" + ($0 > 9 ? " after=d\(($0 - 10) % 3)/f\($0 - 10)" : "")
        }
        return try folder.write(lines.joined(separator: "\n"), to: "list.txt")
    }

    @Test("A list with entries that wait for others: all files, each asked for once; a second run asks for none")
    func list() async throws {
        let list = try serveMany(60)
        let arguments = queue + ["-o", folder.path("out"), "--json", list]
        let first = try await batchget(arguments, in: folder)
        #expect(first.code == 0, "\(first.errors)")
        #expect(try report(first).done == 60)
        #expect(try report(first).receivedBytes == 60_000)
        #expect(folder.data("out/d1/f7") == content(1000, seed: 8))
        #expect(server.log.value.count == 60)
        #expect(server.log.value.allSatisfy { $0["Accept-Encoding"] == "identity" && $0["User-Agent"] != nil })
        let second = try await batchget(arguments, in: folder)
        #expect(second.code == 0)
        #expect(try report(second).skipped == 60)
        #expect(server.log.value.count == 60)
    }

    @Test("A kill: the next run goes on, also in the middle of a file")
    func kill() async throws {
        let big = content(400_000)
        let file = server.serve("big", big, released: 200_000)
        server.serve("last", content(20))
        let list = try folder.write(
            "\(server.url("big")) sha256=\(try await sha256(big))\n\(server.url("last")) after=big", to: "list.txt")
        let child = try Child(queue + ["-o", folder.path("out"), list], in: folder)
        try await folder.waitForSize("out/big.part", atLeast: 200_000)
        child.kill(SIGKILL)
        #expect(try await child.wait().signal == SIGKILL)
        file.release()
        // Without the list: the queue has it.
        let outcome = try await batchget(queue + ["-o", folder.path("out"), "--json"], in: folder)
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try report(outcome).downloads.map(\.id) == ["big", "last"])
        #expect(try report(outcome).downloads.first?.resumedFrom == 200_000)
        #expect(server.log.value.map(\.path) == ["/big", "/big", "/last"])
        #expect(server.requests(for: "big").last?["Range"] == "bytes=200000-")
        #expect(folder.data("out/big") == big)
    }

    @Test("Ctrl-C gives back what runs, at once")
    func interruption() async throws {
        let file = server.serve("a", content(1000), released: 500)
        let arguments = queue + ["-o", folder.path("out"), "--json", server.url("a")]
        let child = try Child(arguments, in: folder)
        try await folder.waitForSize("out/a.part", atLeast: 500)
        child.kill(SIGINT)
        let outcome = try await child.wait()
        #expect(outcome.code == 130)
        #expect(try report(outcome).downloads.map(\.reason) == ["interrupted"])
        file.release()
        let next = try await batchget(arguments, in: folder)
        #expect(next.code == 0)
        #expect(folder.data("out/a") == content(1000))
    }

    @Test("Two runs at once share a list; each has a folder of its own", arguments: [false, true])
    func side(byDatabase isDatabase: Bool) async throws {
        if isDatabase, Database.programs == nil { return }
        let database = isDatabase ? try Database() : nil
        let queue = database.map { ["--queue", $0.url] } ?? queue
        let list = try serveMany(200)
        let children = try (0..<2).map {
            try Child(queue + ["-j2", "-o", folder.path("out\($0)"), "--json", list], in: folder)
        }
        for child in children {
            let outcome = try await child.wait()
            #expect(outcome.code == 0, "\(outcome.errors)")
            #expect(try report(outcome).downloads.count == 200)
            #expect(try report(outcome).failed == 0)
        }
        let files = folder.files.filter { $0.hasPrefix("out") }
        #expect(files.count == 200)
        #expect(Set(files.map { $0.dropFirst(5) }).count == 200)
        #expect((1...199).contains(files.count { $0.hasPrefix("out0") }))
        #expect(server.log.value.count == 200)
        withExtendedLifetime(database) {}
    }

    @Test("What failed is tried again when it is asked for again, and so is what was skipped for it")
    func failure() async throws {
        server.serve("a", content(10), status: 404)
        server.serve("b", content(20))
        server.serve("c", content(30))
        let list = "\(server.url("a"))\n\(server.url("b")) after=a\n\(server.url("c"))"
        let arguments = queue + ["-o", folder.path("out"), "--json", "-"]
        let first = try await batchget(arguments, input: list, in: folder)
        #expect(first.code == 1)
        #expect(try report(first).downloads.map(\.state) == ["failed", "cancelled", "done"])
        #expect(try report(first).downloads.map(\.cause) == [nil, "a", nil])
        #expect(first.errorLines.contains("cancelled b comes after a, which is not there"))
        server.serve("a", content(10))
        let second = try await batchget(arguments, input: list, in: folder)
        #expect(second.code == 0, "\(second.errors)")
        #expect(try report(second).downloads.map(\.state) == ["done", "done", "skipped"])
        #expect(server.log.value.map(\.path).sorted() == ["/a", "/a", "/b", "/c"])
    }

    @Test("The rest of a group is cancelled when one of it fails")
    func group() async throws {
        server.serve("a", content(10), status: 404)
        let slow = server.serve("b", content(20), released: 0)
        let list = "\(server.url("a")) group=g\n\(server.url("b")) group=g"
        let outcome = try await batchget(
            queue + ["--cancel-group-on-failure", "-o", folder.path("out"), "--json", "-"], input: list, in: folder)
        #expect(outcome.code == 1)
        #expect(try report(outcome).downloads.map(\.state) == ["failed", "cancelled"])
        #expect(try report(outcome).downloads.map(\.cause) == [nil, "a"])
        slow.release()
    }

    @Test("Fields of the command line are sent, and are not in the queue; the entry's own count more")
    func secrets() async throws {
        server.serve("a", content(10))
        let list = "\(server.url("a")) header=\"X-Kind: own\""
        let outcome = try await batchget(
            queue + [
                "-o", folder.path("out"), "--header", "Authorization: Bearer hush-hush", "--header", "x-kind: other",
                "-",
            ], input: list, in: folder)
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(server.log.value.map { $0["Authorization"] } == ["Bearer hush-hush"])
        #expect(server.log.value.map { $0["X-Kind"] } == ["own"])
        for name in folder.files where name.hasPrefix("jobs.sqlite") {
            #expect(folder.data(name)?.range(of: Data("hush".utf8)) == nil)
        }
    }

    @Test("What a queue has no place for is refused, and nothing is downloaded")
    func refusals() async throws {
        server.serve("a", content(10))
        let list = """
            \(server.url("a")) checksum=md5=\(String(repeating: "0", count: 32))
            \(server.url("a")) out=b header="Authorization: Bearer secret"
            \(server.url("a").replacing("//", with: "//user:secret@", maxReplacements: 1)) out=c
            \(server.url("a")) out=d size=10
            """
        let outcome = try await batchget(queue + ["-o", folder.path("out"), "-"], input: list, in: folder)
        #expect(outcome.code == 65)
        #expect(outcome.errorLines.count == 4)
        #expect(!outcome.errors.contains("secret"))
        for options in [["--force"], ["-s4"], ["--limit-rate", "1K"], ["--limit-rate-per-host", "1K"]] {
            #expect(try await batchget(queue + options, input: server.url("a"), in: folder).code == 64)
        }
        #expect(server.log.value.isEmpty)
        #expect(folder.files.filter { !$0.hasPrefix(".") }.isEmpty)
    }

    @Test("Whoever writes to a queue cannot lead a run out of its folder", arguments: ["../x", "d/../../x", "link/x"])
    func strangeDestination(_ path: String) async throws {
        server.serve("a", content(10))
        try folder.write("", to: "out/b")
        try folder.write("", to: "elsewhere/b")
        #expect(symlink("../elsewhere", folder.path("out/link")) == 0)
        let store = try SQLiteRequestStore(url: URL(fileURLWithPath: folder.path("jobs.sqlite")))
        let durable = DurableRequestQueue(store: store, manager: .init(baseURL: nil))
        let url = try #require(URL(string: server.url("a")))
        let id = try await durable.add(URLRequest(url: url), destination: URL(string: "file:///\(path)"))
        let outcome = try await batchget(queue + ["-o", folder.path("out")], in: folder)
        #expect(outcome.code == 0)
        let result = try #require(try await durable.result(of: id))
        #expect(result.state == .failed)
        #expect(result.failure?.description.contains(path.hasPrefix("link") ? "is a link" : "contains \"..\"") == true)
        await store.close()
        #expect(server.log.value.isEmpty)
        #expect(folder.files.filter { $0.hasSuffix("x") } == [])
    }

    @Test(
        "A queue that cannot be had: status 69, a line that says why",
        arguments: ["none/jobs", "text", "postgresql://tests@/x?host=/nowhere"])
    func noQueue(_ name: String) async throws {
        try folder.write("this is no queue, and long enough to be taken for something", to: "text")
        let queue = name.hasPrefix("postgresql") ? name : folder.path(name)
        let outcome = try await batchget(["--queue", queue, "-o", folder.path("out"), server.url("a")], in: folder)
        #expect(outcome.code == 69)
        #expect(outcome.errorLines.count == 1 && outcome.errors.hasPrefix("batchget: queue: "))
        #expect(server.log.value.isEmpty)
    }
}
