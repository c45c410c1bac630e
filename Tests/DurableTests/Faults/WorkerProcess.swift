// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer

/// A worker in a process of its own, which may be killed.
final class WorkerProcess: Sendable {
    private let output: Locked<[String]>
    private let errors: Locked<String>
    private let state: Locked<Bool>
    let pid: pid_t

    convenience init(store: URL, lease: Double = 1, concurrent: Int = 4, environment: [String: String] = [:]) throws {
        try self.init(store: store.path, lease: lease, concurrent: concurrent, environment: environment)
    }

    /// - Parameters:
    ///   - store: a file or a connection string, as `DurableFixture` takes it.
    ///   - namespace: the name of the network namespace that it runs in; nil: this one.
    init(
        store: String, lease: Double = 1, concurrent: Int = 4, environment: [String: String] = [:],
        namespace: String? = nil
    ) throws {
        let process = Process()
        let fixture = try FixtureProgram.url("DurableFixture")
        let arguments = ["work", store, "\(lease)", "\(concurrent)"]
        if let namespace {
            process.executableURL = URL(fileURLWithPath: try ExternalProgram("nsenter").path)
            process.arguments = ["--net=/run/netns/\(namespace)", "--", fixture.path] + arguments
        } else {
            process.executableURL = fixture
            process.arguments = arguments
        }
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let (out, err) = (Pipe(), Pipe())
        process.standardOutput = out
        process.standardError = err
        let (output, errors, state) = (Locked<[String]>([]), Locked<String>(""), Locked<Bool>(false))
        (self.output, self.errors, self.state) = (output, errors, state)
        let rest = Locked<Data>(Data())
        out.fileHandleForReading.readabilityHandler = { handle in
            let lines = rest.withLock { rest -> [String] in
                rest.append(handle.availableData)
                var lines: [String] = []
                while let end = rest.firstIndex(of: 10) {
                    lines.append(String(decoding: rest[rest.startIndex..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
                return lines
            }
            output.withLock { $0 += lines }
        }
        err.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            errors.withLock { $0 += String(decoding: data, as: UTF8.self) }
        }
        process.terminationHandler = { _ in
            // What it has printed is read to the end.
            out.fileHandleForReading.readabilityHandler = nil
            let data = (try? out.fileHandleForReading.readToEnd()) ?? nil
            let text = rest.withLock { String(decoding: $0 + (data ?? Data()), as: UTF8.self) }
            output.withLock { $0 += text.split(separator: "\n").map(String.init).filter { $0.count == 36 } }
            state.withLock { $0 = true }
        }
        try process.run()
        pid = process.processIdentifier
    }

    var isFinished: Bool { state.withLock { $0 } }
    /// The IDs of the requests whose ends it has recorded, as far as it came to print them.
    var ends: [String] { output.withLock { $0 } }
    var message: String { errors.withLock { $0 } }

    func kill() { _ = Foundation.kill(pid, SIGKILL) }
}
