// SPDX-License-Identifier: MIT
internal import Foundation

/// Runs the measurements, each in a process of its own, interleaved; prints tables and writes JSON.
///
/// Options: `url=`, `h2=`, `tls=` and `h2tls=` (an nginx on loopback, with HTTP/2, with TLS, with both), `ca=` (whom its
/// certificate is from), `root=` (its documents), `scratch=` (a folder for large files), `json=`,
/// `markdown=` and `chart=` (where the result goes), `raw=` and `sink=` (the two C programs), `rounds=`, `only=`, `quick=true`, and
/// `versions=` for the report.
final class Driver {
    let options: Options
    let url: String
    let isQuick: Bool
    private let executable: String
    private var report: Report
    private var text = ""

    init(_ options: Options) throws {
        self.options = options
        url = try options.string("url")
        isQuick = options.flag("quick")
        executable = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        report = Report(versions: options.optionalString("versions") ?? "", isQuick: isQuick)
    }

    func run() throws {
        let only = options.optionalString("only")
        let parts = Part.allCases.filter { only == nil || only == $0.rawValue }
        guard !parts.isEmpty else {
            throw BenchmarkError("only= is one of \(Part.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        emit(report.heading)
        for part in parts {
            let start = monotonicSeconds()
            let section = try part.measure(with: self)
            emit(section.text)
            Console.write("(\(Int((monotonicSeconds() - start).rounded())) s)\n")
            report.sections.append(section)
        }
        emit(report.summary)
        if let path = options.optionalString("json") {
            try report.write(to: URL(fileURLWithPath: path))
            Console.write("written: \(path)")
        }
        if let path = options.optionalString("chart"), let chart = Chart(report) {
            try Data(chart.svg.utf8).write(to: URL(fileURLWithPath: path))
            Console.write("written: \(path)")
        }
        if let path = options.optionalString("markdown") {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            Console.write("written: \(path)")
        }
    }

    /// Prints what belongs to the result.
    private func emit(_ part: String) {
        Console.write(part)
        text += part + "\n"
    }

    /// How often a part repeats its measurements.
    func rounds(_ usual: Int, quick: Int) throws -> Int {
        options.optionalString("rounds") == nil ? (isQuick ? quick : usual) : try options.count("rounds")
    }

    /// How long a load is measured.
    var loadSeconds: Double { isQuick ? 0.4 : 1.5 }

    /// Runs `body` so often, but no more than three times once that took a minute: for what a busy disk can slow down
    /// without end.
    ///
    /// - Returns: how often.
    func repeated(_ rounds: Int, _ body: () throws -> Void) rethrows -> Int {
        let start = monotonicSeconds()
        for round in 0..<rounds {
            if round >= 3, monotonicSeconds() - start > 60 { return round }
            try body()
        }
        return rounds
    }

    // MARK: Processes

    /// One measurement of a role.
    func measure(
        _ role: Role, _ arguments: [String: any CustomStringConvertible], environment: [String: String] = [:]
    ) throws -> Figures {
        try run(
            executable, ["role", role.rawValue] + arguments.map { "\($0.key)=\($0.value)" }, environment: environment)
    }

    /// What a program printed on its last line, as JSON.
    ///
    /// - Parameter environment: what is added to that of this process.
    func run(_ path: String, _ arguments: [String], environment: [String: String] = [:]) throws -> Figures {
        let process = Process()
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let watchdog = DispatchWorkItem { process.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + 180, execute: watchdog)
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        watchdog.cancel()
        guard process.terminationReason == .exit, process.terminationStatus == 0,
            let line = String(decoding: data, as: UTF8.self).split(separator: "\n").last,
            let figures = try? JSONDecoder().decode(Figures.self, from: Data(line.utf8))
        else { throw BenchmarkError("failed: \(([path] + arguments).joined(separator: " "))") }
        return figures
    }
}

/// Standard output, unbuffered.
enum Console {
    static func write(_ text: String) {
        FileHandle.standardOutput.write(Data((text + "\n").utf8))
    }
}
