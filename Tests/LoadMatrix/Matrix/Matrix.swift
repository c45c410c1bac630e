// SPDX-License-Identifier: MIT
import CMalloc
import Foundation
import OperationNetworking
import TestServer

/// Draws cells, runs them, and says what was found.
final class Matrix: Sendable {
    private let options: Options
    private let faces: [(name: String, make: Faces.Maker)]
    private let servers: LoadServers
    private let ledger = Ledger()
    private let directory: TemporaryDirectory
    private let present = Guarded<(cell: String, seed: UInt64)>(("none", 0))
    private let peak = Guarded(ProcessFigures.now)

    init(_ options: Options) throws {
        self.options = options
        faces = Faces.all.filter { face in
            (options.faces.isEmpty || options.faces.contains { face.name.hasPrefix($0) })
                && !options.except.contains { face.name.hasPrefix($0) }
        }
        guard !faces.isEmpty else { throw Unexpected("no such face") }
        directory = try TemporaryDirectory()
        servers = try LoadServers()
    }

    /// Whether nothing was found.
    func run() async throws -> Bool {
        say("seed \(options.seed)")
        watch()
        var dice = Dice(seed: options.seed)
        var totals: [String: Tally] = [:]
        var growth = GrowthCheck()
        let start = Date()
        var count = 0
        var isGood = true
        var pending: [String] = []
        while Date().timeIntervalSince(start) < options.seconds {
            var seed = dice.next() % 1_000_000_000
            let cell: Cell
            if let text = options.cell {
                seed = options.seed &+ UInt64(count)
                var own = Dice(seed: seed)
                guard let one = Cell(text, faces: faces.map(\.name), &own) else {
                    throw Unexpected("no such cell: \(text)")
                }
                cell = one
            } else {
                if pending.isEmpty { pending = faces.map(\.name).shuffled(using: &dice) }
                cell = Cell(pending.removeLast(), &dice)
            }
            let tally = await run(cell, seed: seed)
            totals[cell.face, default: Tally()] += tally
            try record(cell, tally)
            count += 1
            let findings = ledger.takeFindings()
            if !findings.isEmpty {
                report(cell, seed, findings)
                isGood = false
                if !options.keepsGoing { break }
            }
            if count % 6 == 0 { growth.add(await atRest()) }
        }
        growth.add(await atRest())
        if let count = await threadsLeft() {
            say("FAILED: \(count) threads are left")
            isGood = false
        }
        if let finding = growth.finding {
            say(
                "FAILED: \(finding)\n  samples: \(growth.samples.map(\.description).joined(separator: "\n           "))"
            )
            isGood = false
        }
        printTable(totals, cells: count)
        return isGood
    }

    // MARK: A cell

    private func run(_ cell: Cell, seed: UInt64) async -> Tally {
        present.withLock { $0 = ("\(cell)", seed) }
        if let file = options.current {
            try? Data("\(cell) seed \(seed)\n".utf8).write(to: URL(fileURLWithPath: file))
        }
        let start = Date()
        let before = ProcessFigures.now
        await makeCalls(cell, seed: seed)
        var tally = ledger.takeTally()
        tally.seconds = Date().timeIntervalSince(start)
        await waitForSurvivors()
        tally.kept = ProcessFigures.now.allocated - before.allocated
        if options.isVerbose {
            say(
                "\(cell) seed \(seed): \(tally.requests) requests, \(tally.cancelled) cancelled, \(tally.failed) failed; "
                    + "\(ProcessFigures.now)")
        }
        return tally
    }

    private func makeCalls(_ cell: Cell, seed: UInt64) async {
        guard let make = faces.first(where: { $0.name == cell.face })?.make else { return }
        let folder = directory.file("cell")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let context = CellContext(cell, seed: seed, ledger, servers, folder: folder)
        let face = make(context)
        let end = Date(timeIntervalSinceNow: options.slice)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<cell.concurrency {
                group.addTask {
                    repeat {
                        let call = context.makeCall(face.kind)
                        let reply = await face.reply(to: call)
                        call.judge(reply, face.expected(call), isDisturbed: face.isDisturbed)
                    } while Date() < end
                }
            }
        }
        await face.end()
    }

    /// What calls have made is gone soon after the last of them.
    private func waitForSurvivors() async {
        let deadline = Date(timeIntervalSinceNow: 20 * Patience.factor)
        var survivors = ledger.survivors
        while !survivors.isEmpty, Date() < deadline {
            try? await Task.sleep(for: .milliseconds(10))
            survivors = ledger.survivors
        }
        if let first = survivors.first {
            ledger.found("\(survivors.count) objects are kept, such as \(first)")
        }
        ledger.forgetWatched()
        ledger.forgetOpen()
        let left =
            (try? FileManager.default.contentsOfDirectory(atPath: directory.file("cell").path)) ?? []
        // What was cancelled may leave a part, whose name the face has taken away: all else is of nobody.
        if left.count > 0 { try? FileManager.default.removeItem(at: directory.file("cell")) }
    }

    // MARK: Watching

    /// The figures when idle connections are closed.
    private func atRest() async -> ProcessFigures {
        let timeout = NetworkEngine.idleConnectionTimeout
        NetworkEngine.idleConnectionTimeout = 0.05
        var figures = ProcessFigures.now
        var steady = 0
        let deadline = Date(timeIntervalSinceNow: 10 * Patience.factor)
        while steady < 10, Date() < deadline {
            try? await Task.sleep(for: .milliseconds(50))
            let next = ProcessFigures.now
            steady =
                next.descriptors == figures.descriptors && next.threads == figures.threads ? steady + 1 : 0
            figures = next
        }
        NetworkEngine.idleConnectionTimeout = timeout
        malloc_trim(0)
        return ProcessFigures.now
    }

    /// How many threads stay, if that is more than the library's own pools and those of the run-time libraries.
    private func threadsLeft() async -> Int? {
        let deadline = Date(timeIntervalSinceNow: 30 * Patience.factor)
        var count = ProcessFigures.now.threads
        while count > 40, Date() < deadline {
            try? await Task.sleep(for: .milliseconds(100))
            count = ProcessFigures.now.threads
        }
        return count > 40 ? count : nil
    }

    /// Looks for peaks and for hangs, on a thread of its own: the others may be what hangs.
    private func watch() {
        let (ledger, present, peak, patience) = (ledger, present, peak, options.patience)
        Thread.detachNewThread {
            var answers = -1
            var last = Date()
            while true {
                Thread.sleep(forTimeInterval: 0.1)
                let figures = ProcessFigures.now
                peak.withLock { $0 = $0.max(figures) }
                let now = ledger.answers
                if now != answers { (answers, last) = (now, Date()) }
                let open = ledger.open
                if open.isEmpty { last = Date() }
                guard Date().timeIntervalSince(last) > patience else { continue }
                let (cell, seed) = present.withLock { $0 }
                say(
                    "FAILED: no answer for \(patience) s in \(cell), seed \(seed); \(open.count) calls are open:"
                )
                for name in open.prefix(20) {
                    say("  \(name)")
                    say("    \(ledger.description(ofObjectOf: name))")
                }
                say("  " + Self.repeating(cell, seed))
                // For a debugger, or the traces of all threads.
                if getenv("LOAD_STOPS") != nil { kill(getpid(), SIGSTOP) }
                _exit(3)
            }
        }
    }

    // MARK: Saying

    private static func repeating(_ cell: String, _ seed: UInt64) -> String {
        "Repeat: Scripts/load --cell '\(cell)' --seed \(seed) --seconds 60"
    }

    private func report(_ cell: Cell, _ seed: UInt64, _ findings: [String]) {
        say("FAILED: \(cell), seed \(seed):")
        for finding in findings { say("  \(finding.prefix(1_200))") }
        say("  " + Self.repeating("\(cell)", seed))
    }

    private func record(_ cell: Cell, _ tally: Tally) throws {
        guard let name = options.record else { return }
        let line = "\(cell)\t\(tally.requests)\t\(String(format: "%.1f", tally.seconds))\n"
        if !FileManager.default.fileExists(atPath: name) {
            _ = FileManager.default.createFile(atPath: name, contents: nil)
        }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: name))
        try file.seekToEnd()
        try file.write(contentsOf: Data(line.utf8))
        try file.close()
    }

    private func printTable(_ totals: [String: Tally], cells: Int) {
        func row(_ name: String, _ columns: [String]) {
            say(
                name.padding(toLength: 36, withPad: " ", startingAt: 0)
                    + columns.map { String(repeating: " ", count: max(1, 11 - $0.count)) + $0 }.joined())
        }
        row("face", ["requests", "right", "cancelled", "failed", "MB", "s", "kept KB"])
        var sum = Tally()
        for (name, tally) in totals.sorted(by: { $0.key < $1.key }) {
            row(name, Self.columns(tally))
            sum += tally
        }
        row("all, \(cells) cells", Self.columns(sum))
        say("peak: \(peak.withLock { $0 }); at the end: \(ProcessFigures.now)")
    }

    private static func columns(_ tally: Tally) -> [String] {
        [tally.requests, tally.succeeded, tally.cancelled, tally.failed, tally.bytes >> 20].map(
            String.init)
            + [String(format: "%.1f", tally.seconds), String(tally.kept >> 10)]
    }
}
