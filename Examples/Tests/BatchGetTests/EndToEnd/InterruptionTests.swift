// SPDX-License-Identifier: MIT
import BatchGetCore
import Foundation
import Glibc
import Testing

@Suite("Interrupted and run again", .timeLimit(.minutes(1))) struct InterruptionTests {
    private static let content = BatchGetTests.content(400_000)
    private static let half = 200_000

    private let server: FileServer
    private let folder: Folder
    private let file: FileServer.Resource
    private let arguments: [String]

    init() async throws {
        server = try await FileServer()
        folder = try Folder()
        file = server.serve("big", Self.content, released: Self.half)
        server.serve("small", BatchGetTests.content(10))
        server.serve("last", BatchGetTests.content(20))
        let list = try folder.write(
            """
            \(server.url("big")) sha256=\(try await sha256(Self.content))
            \(server.url("small"))
            \(server.url("last")) after=big
            """, to: "list.txt")
        arguments = ["-o", folder.path("out"), list]
    }

    /// The rest of the big file is asked for, and nothing that is there.
    private func expectResumption(after requests: Int) async throws {
        let partial = folder.size("out/big.part")
        #expect(partial > 0 && partial <= Self.half)
        file.release()
        let outcome = try await batchget(arguments + ["--json"], in: folder)
        #expect(outcome.code == 0)
        let again = Array(server.log.value.dropFirst(requests))
        #expect(again.map(\.path) == ["/big", "/last"])
        #expect(again.first?["Range"] == "bytes=\(partial)-")
        #expect(again.first?["If-Range"] == file.entityTag)
        let report = try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
        #expect(report.downloads.map(\.state) == ["done", "skipped", "done"])
        #expect(report.downloads.map(\.status) == [206, nil, 200])
        #expect(report.downloads.first?.resumedFrom == Int64(partial))
        #expect(report.downloads.first?.bytes == 400_000)
        #expect(report.receivedBytes == Int64(400_000 - partial + 20))
        #expect(folder.data("out/big") == Self.content)
        #expect(folder.files.filter { $0.hasPrefix("out/") } == ["out/big", "out/last", "out/small"])
    }

    /// Waits until as much is there as the server gives, and the program has said so of the file that is complete.
    private func waitForHalf(_ child: Child) async throws {
        try await folder.waitForSize("out/big.part", atLeast: Self.half)
        try await child.waitForErrors("done small 10\n")
    }

    @Test(
        "A signal cancels everything; the exit status names it; the next run goes on",
        arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
    func signals(_ signal: Int32, _ code: Int32) async throws {
        let child = try Child(arguments + ["--json"], in: folder)
        try await waitForHalf(child)
        child.kill(signal)
        let outcome = try await child.wait()
        #expect(outcome.code == code)
        #expect(outcome.errorLines.last?.hasPrefix("interrupted: 1 done, 2 cancelled; ") == true)
        let report = try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
        #expect(report.signal == signal && report.exitCode == code)
        #expect(report.downloads.map(\.state) == ["cancelled", "done", "cancelled"])
        #expect(report.downloads.map(\.reason) == ["interrupted", nil, "interrupted"])
        try await expectResumption(after: 2)
    }

    @Test("Ctrl-C on a terminal: it is left clean")
    func controlC() async throws {
        let terminal = try PseudoTerminal(columns: 80, rows: 24)
        let child = try Child(arguments, terminal: terminal, in: folder)
        try await terminal.wait(for: "half of it") { screen in
            screen.visibleText.contains { $0.hasPrefix("big ") && $0.contains(" 50 %") }
                && screen.visibleText.last?.hasPrefix("1 of 3 done") == true
        }
        try await folder.waitForSize("out/big.part", atLeast: Self.half)
        terminal.type("\u{3}")
        let screen = try await terminal.waitForEnd()
        #expect(try await child.wait().code == 130)
        #expect(screen.text.count == 2)
        #expect(screen.text.first?.hasPrefix("interrupted: 1 done, 2 cancelled; 200.0 kB in ") == true)
        #expect(screen.text.last == "  from here")
        #expect(screen.isCursorBelowText)
        #expect(screen.wrapCount == 0)
        #expect(screen.unknownSequences.isEmpty)
        try await expectResumption(after: 2)
    }

    @Test("A kill leaves what the next run goes on with")
    func kill() async throws {
        let child = try Child(arguments, in: folder)
        try await waitForHalf(child)
        child.kill(SIGKILL)
        #expect(try await child.wait().signal == SIGKILL)
        #expect(folder.size("out/big.part") == Self.half)
        #expect(folder.data("out/big") == nil)
        try await expectResumption(after: 2)
    }

    @Test("What is there of one URL's file is not taken for a part of another's")
    func otherURL() async throws {
        let child = try Child(arguments, in: folder)
        try await waitForHalf(child)
        child.kill(SIGKILL)
        _ = try await child.wait()
        // As long, and with the same entity tag, which is made of length and first byte.
        let other = Self.content.prefix(1) + BatchGetTests.content(399_999, seed: 2)
        #expect(server.serve("other", other).entityTag == file.entityTag)
        let list = "\(server.url("other")) out=big"
        #expect(try await batchget(["-o", folder.path("out")], input: list, in: folder).code == 0)
        #expect(server.requests(for: "other").map { $0["Range"] } == [nil])
        #expect(folder.data("out/big") == other)
    }

    @Test(
        "Ctrl-C while a file that is there is being checked: it ends at once, and the file stays",
        arguments: [("sha256=", 64), ("checksum=sha-512=", 128)])
    func whileChecking(_ option: String, _ digits: Int) async throws {
        // Takes no space, and longer to read than anybody waits.
        let size: off_t = 1 << 40
        let path = try folder.write("", to: "out/huge")
        guard truncate(path, size) == 0 else { throw TestFailure("truncate: \(String(cString: strerror(errno)))") }
        let list = try folder.write(
            "\(server.url("huge")) \(option)\(String(repeating: "0", count: digits))", to: "list.txt")
        let terminal = try PseudoTerminal(columns: 80, rows: 24)
        let child = try Child(["-o", folder.path("out"), list], terminal: terminal, in: folder)
        try await terminal.wait(for: "the check") { $0.visibleText.first?.hasPrefix("checking huge ") == true }
        terminal.type("\u{3}")
        let screen = try await terminal.waitForEnd()
        #expect(try await child.wait().code == 130)
        #expect(screen.text.first?.hasPrefix("interrupted: 1 cancelled; 0 B in ") == true)
        #expect(server.log.value.isEmpty)
        #expect(folder.size("out/huge") == Int(size))
    }

    @Test("A signal while the note of an earlier run is being read")
    func whileReadingNote() async throws {
        server.serve("a", BatchGetTests.content(10), released: 0)
        // As long as a note may be, so that there is time.
        let parts = String(repeating: "1,2,", count: 250_000) + "3,4"
        let note = #"{"format":"batchget ranges 2","file":{"inode":1},"total":9,"parts":[\#(parts)],"validators":{}}"#
        let path = try folder.write(note, to: "out/a.part.json")
        #expect(chmod(path, 0o600) == 0)
        let child = try Child(["-o", folder.path("out"), "-s2", server.url("a")], in: folder)
        let deadline = ContinuousClock.now + .seconds(30)
        // The part is made right before the note is read.
        while !folder.files.contains("out/a.part") {
            guard ContinuousClock.now < deadline else { throw TestFailure("there is no part") }
            try await Task.sleep(for: .milliseconds(1))
        }
        child.kill(SIGINT)
        let outcome = try await child.wait()
        #expect(outcome.code == 130)
        #expect(outcome.errorLines.first == "cancelled a interrupted")
        #expect(folder.files.filter { $0.hasPrefix("out/") }.isEmpty)
    }

    @Test("A signal before anything came")
    func early() async throws {
        server.serve("silent", BatchGetTests.content(10), released: 0)
        let child = try Child(["-o", folder.path("out")], input: server.url("silent"), in: folder)
        try await server.waitForRequests(for: "silent")
        child.kill(SIGTERM)
        let outcome = try await child.wait()
        #expect(outcome.code == 143)
        #expect(outcome.errorLines.first == "cancelled silent interrupted")
        #expect(folder.files.filter { $0.hasPrefix("out/") }.isEmpty)
    }
}
