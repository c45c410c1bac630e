// SPDX-License-Identifier: MIT
import BatchGetCore
import Foundation
import Glibc
import Testing

@Suite("On a terminal", .timeLimit(.minutes(1))) struct TerminalTests {
    private let server: FileServer
    private let folder: Folder

    init() async throws {
        server = try await FileServer()
        folder = try Folder()
    }

    private func start(_ manifest: String, _ options: [String] = [], on terminal: PseudoTerminal) throws -> Child {
        let path = try folder.write(manifest, to: "list.txt")
        return try Child(["-o", folder.path("out")] + options + [path], terminal: terminal, in: folder)
    }

    @Test("Every active download has a line, and nothing is left of them", arguments: [80, 200])
    func lines(_ columns: Int) async throws {
        let terminal = try PseudoTerminal(columns: columns, rows: 24)
        let long = "日本語の名前-" + String(repeating: "long-", count: 8) + "name.tar.gz"
        let half = server.serve("half", content(200_000), released: 100_000)
        let quarter = server.serve("quarter", content(400_000), released: 100_000)
        server.serve("quick", content(1000))
        let child = try start(
            "\(server.url("half")) out=\(long)\n\(server.url("quarter"))\n\(server.url("quick"))", on: terminal)
        let screen = try await terminal.wait(for: "both lines") { screen in
            let text = screen.visibleText
            return text.count == 3 && text[2].hasPrefix("1 of 3 done  2 active  ")
                && text.contains { $0.contains("  50 %  100.0 kB / 200.0 kB") }
                && text.contains { $0.contains("  25 %  100.0 kB / 400.0 kB") }
        }
        // Which of the two began first is nobody's promise.
        let text = screen.visibleText.dropLast().sorted()
        #expect(text[0].hasPrefix("quarter "))
        #expect(columns == 200 ? text[1].hasPrefix(long + "  [") : text[1].hasPrefix("日本語の名"))
        #expect(columns == 200 || text[1].contains("..."))
        #expect(DisplayText.width(text[0]) == DisplayText.width(text[1]))
        #expect(screen.isCursorBelowText)
        half.release()
        quarter.release()
        let final = try await terminal.waitForEnd()
        #expect(try await child.wait().code == 0)
        #expect(final.text.count == 1)
        #expect(final.text.first?.hasPrefix("3 done; 601.0 kB in 0:") == true)
        #expect(final.isCursorBelowText)
        #expect(final.wrapCount == 0 && final.longestRow < columns)
        #expect(final.unknownSequences.isEmpty)
    }

    @Test("More downloads than lines")
    func manyDownloads() async throws {
        let terminal = try PseudoTerminal(columns: 80, rows: 8)
        let files = (0..<20).map { server.serve("file-\($0)", content(1000), released: 500) }
        let child = try start(
            files.indices.map { server.url("file-\($0)") }.joined(separator: "\n"), ["-j", "20", "--per-host", "0"],
            on: terminal)
        for index in files.indices { try await server.waitForRequests(for: "file-\(index)") }
        try await terminal.wait(for: "the first lines") { screen in
            let text = screen.visibleText
            return text.count == 7 && text.prefix(5).allSatisfy { $0.contains("  50 %") }
                && text[5] == "... and 15 more"
                && text[6].hasPrefix("0 of 20 done  20 active")
        }
        for file in files { file.release() }
        let final = try await terminal.waitForEnd()
        #expect(try await child.wait().code == 0)
        #expect(final.text.count == 1 && final.text.first?.hasPrefix("20 done; ") == true)
        #expect(final.wrapCount == 0 && final.unknownSequences.isEmpty)
    }

    @Test("Failures stay above the lines, in full, and never wrap")
    func failures() async throws {
        let terminal = try PseudoTerminal(columns: 40, rows: 24)
        let slow = server.serve("slow", content(1000), released: 500)
        let child = try start("\(server.url("slow"))\n\(server.url("missing"))", on: terminal)
        try await terminal.wait(for: "the failure above the line") { screen in
            let text = screen.visibleText
            return text.count == 4 && text[0] == "failed missing Request failed: not" && text[1] == "  found (404)"
                && text[2].hasPrefix("slow ") && text[3].hasPrefix("0 of 2 done  1 act")
        }
        slow.release()
        let final = try await terminal.waitForEnd()
        #expect(try await child.wait().code == 1)
        #expect(final.text.count == 3 && final.text[2].hasPrefix("1 done, 1 failed; "))
        #expect(final.wrapCount == 0 && final.unknownSequences.isEmpty)
    }

    @Test("A window that is made narrower, lower and wider again")
    func resizing() async throws {
        let terminal = try PseudoTerminal(columns: 120, rows: 24)
        // Nothing comes, so that nothing is drawn but the time, once a second.
        let files = (0..<4).map { server.serve("file-\($0)", content(1000), released: 0) }
        let child = try start(files.indices.map { server.url("file-\($0)") }.joined(separator: "\n"), on: terminal)
        try await terminal.wait(for: "all lines") { screen in
            screen.text.count == 5 && screen.text.last?.hasPrefix("0 of 4 done  4 active") == true
        }
        // With the columns of the first line: name, bar, percent, bytes and rate; without the bar; name and percent.
        for (columns, rows, lines, first) in [(120, 24, 5, 90), (50, 24, 5, 46), (30, 12, 5, 13), (200, 50, 5, 90)] {
            // Between two frames: what was drawn for the old size is on the screen before that changes.
            try await child.pause()
            try await terminal.resize(columns: columns, rows: rows)
            child.kill(SIGCONT)
            try await terminal.wait(for: "lines of \(columns) columns") { screen in
                let text = screen.text
                return text.count == lines && text.first.map(DisplayText.width) == first
                    && text.last?.hasPrefix("0 of 4 done  4 ") == true && screen.longestRow < columns
                    && screen.isCursorBelowText
            }
        }
        // Lower than the lines are: what has left the screen is out of reach.
        try await child.pause()
        try await terminal.resize(columns: 80, rows: 4)
        child.kill(SIGCONT)
        try await terminal.wait(for: "as many lines as there is room for") { screen in
            let text = screen.visibleText
            return text.count == 3 && text[0].hasPrefix("file-") && text[1] == "... and 3 more"
                && text[2].hasPrefix("0 of 4 done  4 active")
        }
        for file in files { file.release() }
        let final = try await terminal.waitForEnd()
        #expect(try await child.wait().code == 0)
        #expect(final.visibleText.last?.hasPrefix("4 done; ") == true)
        #expect(final.isCursorBelowText && final.unknownSequences.isEmpty)
    }

    @Test("--no-progress: lines, on a terminal too")
    func noProgress() async throws {
        let terminal = try PseudoTerminal(columns: 80, rows: 24)
        server.serve("a", content(1000))
        let child = try start(server.url("a"), ["--no-progress", "--json"], on: terminal)
        let final = try await terminal.waitForEnd()
        let outcome = try await child.wait()
        #expect(outcome.code == 0)
        #expect(final.text.first == "done a 1000")
        #expect(final.text.count == 2 && final.feedCount > 0)
        #expect(throws: Never.self) { try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8)) }
    }
}
