// SPDX-License-Identifier: MIT
import Foundation
import Glibc

/// A run of batchget.
final class Child: Sendable {
    /// How it ended, and what it wrote to files.
    struct Outcome: Sendable {
        /// Nil after a signal.
        var code: Int32?
        var signal: Int32?
        var output: String
        /// Empty when it went to a terminal.
        var errors: String

        var errorLines: [String] { errors.split(separator: "\n").map(String.init) }
    }

    let pid: pid_t
    private let folder: Folder
    private let files: (output: String, errors: String)

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - input: its standard input, unless there is a terminal.
    ///   - terminal: its controlling terminal: standard input and error. Standard output always goes to a file.
    ///   - variables: of its environment, beside those of the tests.
    init(
        _ arguments: [String], input: String = "", terminal: PseudoTerminal? = nil, variables: [String: String] = [:],
        in folder: Folder
    ) throws {
        let id = UUID().uuidString
        self.folder = folder
        files = (folder.path(".output-\(id)"), folder.path(".errors-\(id)"))
        let inputPath = try folder.write(input, to: ".input-\(id)")

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let creation = O_WRONLY | O_CREAT | O_TRUNC
        // A leader of a session without a terminal gets the first one it opens.
        posix_spawn_file_actions_addopen(
            &actions, 0, terminal?.path ?? inputPath, terminal == nil ? O_RDONLY : O_RDWR, 0)
        posix_spawn_file_actions_addopen(&actions, 1, files.output, creation, 0o600)
        posix_spawn_file_actions_addopen(
            &actions, 2, terminal?.path ?? files.errors, terminal == nil ? creation : O_RDWR, 0o600)
        // A connection of the server's that a child holds does not end when the server closes it.
        try Self.closeFiles(from: 3, &actions)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(
            &attributes, Self.newSession | Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))

        let program = try Self.program()
        var environment = ProcessInfo.processInfo.environment
        environment["TERM"] = "xterm"
        environment.merge(variables) { $1 }
        let words = ([program] + arguments).map { strdup($0) } + [nil]
        let settings = environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { (words + settings).forEach { free($0) } }
        var pid: pid_t = 0
        let status = posix_spawn(&pid, program, &actions, &attributes, words, settings)
        guard status == 0 else { throw TestFailure("cannot start \(program): \(String(cString: strerror(status)))") }
        self.pid = pid
    }

    func kill(_ signal: Int32) {
        Glibc.kill(pid, signal)
    }

    /// Stops it, until it gets SIGCONT. Returns when it stands still.
    func pause() async throws {
        let pid = pid
        try await blocking {
            Glibc.kill(pid, SIGSTOP)
            var status: Int32 = 0
            guard waitpid(pid, &status, WUNTRACED) == pid, status & 0xFF == 0x7F else {
                throw TestFailure("the child did not stop")
            }
        }
    }

    /// Waits until it has written a text to standard error, which is no terminal.
    func waitForErrors(_ text: String) async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while !self.text(files.errors).contains(text) {
            guard ContinuousClock.now < deadline else { throw TestFailure("the child did not write: \(text)") }
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Waits for the end; kills what does not come to one.
    func wait() async throws -> Outcome {
        let pid = pid
        let watchdog = DispatchWorkItem { Glibc.kill(pid, SIGKILL) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 40, execute: watchdog)
        nonisolated(unsafe) let pending = watchdog
        let status = try await blocking {
            var status: Int32 = 0
            while waitpid(pid, &status, 0) < 0 {
                guard errno == EINTR else { throw TestFailure("waitpid: \(String(cString: strerror(errno)))") }
            }
            pending.cancel()
            return status
        }
        let signal = status & 0x7F
        return Outcome(
            code: signal == 0 ? (status >> 8) & 0xFF : nil, signal: signal == 0 ? nil : signal,
            output: text(files.output), errors: text(files.errors))
    }

    private func text(_ path: String) -> String {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    // MARK: What glibc declares only for _GNU_SOURCE

    /// `POSIX_SPAWN_SETSID`.
    private static let newSession: Int16 = 0x80

    /// `posix_spawn_file_actions_addclosefrom_np`.
    private static func closeFiles(from first: Int32, _ actions: inout posix_spawn_file_actions_t) throws {
        typealias Function = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
        guard let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else {
            throw TestFailure("glibc 2.34 or later is needed")
        }
        _ = unsafeBitCast(symbol, to: Function.self)(&actions, first)
    }

    /// The program lies beside the test bundle.
    private static func program() throws -> String {
        let candidates =
            [Bundle.main.bundleURL, URL(fileURLWithPath: CommandLine.arguments[0])]
            + Bundle.allBundles.map(\.bundleURL)
        for candidate in candidates {
            var folder = candidate
            for _ in 0..<4 {
                let file = folder.appendingPathComponent("batchget")
                if FileManager.default.isExecutableFile(atPath: file.path) { return file.path }
                folder.deleteLastPathComponent()
            }
        }
        throw TestFailure("there is no batchget beside the tests")
    }
}

/// Runs batchget to its end.
func batchget(_ arguments: [String], input: String = "", in folder: Folder) async throws -> Child.Outcome {
    try await Child(arguments, input: input, in: folder).wait()
}
