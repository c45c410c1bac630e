// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc

/// A server program that a test started. It ends with this object, and with the test process in whatever way that ends.
package final class ServerProcess: Sendable {
    /// It did not come up.
    package struct DidNotStart: Error, CustomStringConvertible {
        package let description: String
    }

    private struct State {
        /// The program is the leader of its own group; 0 when it has been waited for.
        var process: pid_t
        /// Our end of the socket that the watcher beside the program reads: its end of file, also when this process
        /// dies, is the end of the program.
        var lifeline: Int32
    }

    /// Closes what was inherited from the test process, starts the watcher, which cleans up when the lifeline is cut, and
    /// becomes the server.
    private static let launcher = """
        for fd in /proc/self/fd/*; do fd=${fd##*/}; if [ "$fd" -gt 2 ]; then eval "exec $fd>&-"; fi; done
        exec 3<&0
        (read -r -u 3; rm -rf "$1"; kill -KILL 0) &
        cd "$1"; shift
        exec "$@" </dev/null 3<&-
        """

    private let name: String
    private let output: URL
    private let state: Monitor<State>

    /// Starts the program in a process group of its own and returns when all `ports` at 127.0.0.1 take connections.
    init(
        _ program: ExternalProgram, _ arguments: [String], directory: TemporaryDirectory, ports: [Int],
        environment: [String: String] = [:], timeout: TimeInterval = 30
    ) throws {
        name = URL(fileURLWithPath: program.path).lastPathComponent
        output = try directory.write("", to: "\(name).output")
        let words = ["/bin/bash", "-c", Self.launcher, "bash", directory.path, program.path] + arguments
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0)=\($1)" }
        state = Monitor(try Self.spawn(words, variables, output: output.path))
        do {
            for port in ports { try waitUntilReachable(port, deadline: Date(timeIntervalSinceNow: timeout)) }
        } catch {
            stop()
            throw error
        }
    }

    deinit { stop() }

    /// Kills it and everything it started. Doing it again changes nothing.
    package func stop() {
        state.withLock { state in
            guard state.process > 0 else { return }
            kill(-state.process, SIGKILL)
            var status: Int32 = 0
            while waitpid(state.process, &status, 0) == -1, errno == EINTR {}
            close(state.lifeline)
            state.process = 0
        }
    }

    /// Sends it a signal, if it is still there: the program, and nothing that it started.
    func signal(_ signal: Int32) {
        state.withLock { state in
            if state.process > 0 { kill(state.process, signal) }
        }
    }

    /// Whether it has not ended by itself.
    private var isRunning: Bool {
        state.withLock { state in
            var information = siginfo_t()
            let options = WEXITED | WNOHANG | WNOWAIT
            guard waitid(P_PID, id_t(state.process), &information, options) == 0 else { return false }
            return information.si_signo == 0
        }
    }

    /// What it wrote to its standard output and standard error.
    package var log: String { (try? String(contentsOf: output, encoding: .utf8)) ?? "" }

    /// Not Foundation's `Process`: it waits for descriptors that the watcher inherits, and hands on those of this process.
    private static func spawn(_ words: [String], _ variables: [String], output: String) throws -> State {
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw SystemError(call: "socketpair", code: errno)
        }
        defer { close(ends[0]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_APPEND, 0)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // Threads of libdispatch block signals, and this process may ignore SIGPIPE: servers want neither.
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        posix_spawnattr_setflags(&attributes, Int16(flags))
        let arguments = words.map { strdup($0) } + [nil]
        let environment = variables.map { strdup($0) } + [nil]
        defer { for text in arguments + environment { free(text) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, "/bin/bash", &actions, &attributes, arguments, environment)
        guard code == 0 else {
            close(ends[1])
            throw SystemError(call: "posix_spawn", code: code)
        }
        return State(process: process, lifeline: ends[1])
    }

    private func waitUntilReachable(_ port: Int, deadline: Date) throws {
        while !isReachable(port) {
            guard isRunning else { throw DidNotStart(description: "\(name) ended at once:\n\(log)") }
            guard Date() < deadline else { throw DidNotStart(description: "\(name) does not listen:\n\(log)") }
            Thread.sleep(forTimeInterval: 0.02)
        }
    }

    private func isReachable(_ port: Int) -> Bool {
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(client) }
        return withLoopbackAddress(port: port) { connect(client, $0, $1) } == 0
    }

    /// Starts something on ports that were free a moment ago, and tries again if somebody else was quicker.
    static func retrying<Server>(ports count: Int, _ start: ([Int]) throws -> Server) throws -> Server {
        for _ in 0..<2 {
            if let server = try? start(try (0..<count).map { _ in try freePort() }) { return server }
        }
        return try start(try (0..<count).map { _ in try freePort() })
    }
}
