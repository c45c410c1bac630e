// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import NetworkingSupport
import TestServer

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// A program in a network of its own, which the test changes. The program and its network end with this object.
final class NetworkNamespace: Sendable {
    struct Told: Sendable {
        let status: NetworkReachabilityManager.Status
        /// Nanoseconds of the monotonic clock.
        let time: UInt64
    }

    /// Why such a network cannot be made here; nil: it can.
    static let obstacle: String? = {
        do {
            try ExternalProgram("unshare").run(["--net", "--mount", "true"])
            _ = try (ExternalProgram("ip"), ExternalProgram("nsenter"))
            return nil
        } catch {
            return "no network namespaces (they take root, or CAP_SYS_ADMIN, and iproute2): \(error)"
        }
    }()

    private let process: Process
    private let input = Pipe()
    private let told = Recorder<Told>()

    /// Starts `NetworkFixture` in a network without anything, after commands of a shell there.
    init(_ arguments: [String], after commands: String = "true") throws {
        process = Process()
        process.executableURL = URL(fileURLWithPath: try ExternalProgram("unshare").path)
        let fixture = try FixtureProgram.url("NetworkFixture").path
        process.arguments =
            ["--net", "--mount", "sh", "-ec", commands + #"; exec "$@""#, "sh", fixture] + arguments
        process.standardInput = input
        let output = Pipe()
        process.standardOutput = output
        let rest = Locked(Data())
        output.fileHandleForReading.readabilityHandler = { [told] handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            let lines = rest.withLock { rest -> [String] in
                rest += data
                var lines: [String] = []
                while let end = rest.firstIndex(of: 0x0A) {
                    lines.append(String(decoding: rest[..<end], as: UTF8.self))
                    rest = Data(rest[(end + 1)...])
                }
                return lines
            }
            for line in lines {
                let numbers = line.split(separator: " ")
                guard numbers.count == 2,
                    let status = Int(numbers[0]).flatMap({ NetworkReachabilityManager.Status(rawValue: $0) }),
                    let time = UInt64(numbers[1])
                else { continue }
                told.append(Told(status: status, time: time))
            }
        }
        try process.run()
    }

    deinit {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    var isRunning: Bool { process.isRunning }

    /// Once it has ended by itself.
    var exitCode: Int32 { process.terminationStatus }

    var statuses: [NetworkReachabilityManager.Status] { told.values.map(\.status) }

    /// When each was told, in seconds.
    var times: [Double] { told.values.map { Double($0.time) / 1e9 } }

    /// Runs `ip` in the network, once for each line.
    func ip(_ lines: String...) throws {
        for line in lines { try enter("ip", line.split(separator: " ").map(String.init)) }
    }

    /// Runs a program in the network, and among the files that the program sees.
    func enter(_ program: String, _ arguments: [String]) throws {
        try ExternalProgram("nsenter").run(
            ["--target", "\(process.processIdentifier)", "--net", "--mount", ExternalProgram(program).path] + arguments)
    }

    /// Waits for the next status after those that were told by now have been looked at, and sees that it is the only one.
    ///
    /// - Returns: how long it took from the end of `change`, in seconds; 0 when it came before.
    @discardableResult
    func expect(
        _ status: NetworkReachabilityManager.Status, after change: () throws -> Void
    ) async throws -> Double {
        let count = told.count
        try change()
        let time = MonotonicClock.now
        try await eventually("\(status) after \(statuses)") { told.count > count }
        let next = told.values[count]
        guard next.status == status, told.count == count + 1 else {
            throw TimedOutWaiting(description: "told of \(statuses.dropFirst(count)) in place of \(status)")
        }
        return next.time > time ? Double(next.time - time) / 1e9 : 0
    }
}
