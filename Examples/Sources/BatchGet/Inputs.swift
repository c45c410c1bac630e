// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BatchGetCore
internal import Foundation
internal import OperationNetworking

/// Everything that is read before anything is downloaded.
struct Inputs {
    /// Why nothing is downloaded.
    struct Failure: Error {
        var status: Int32
        var lines: [String]

        /// Writes the lines, and is the exit code then.
        func print() -> ExitCode {
            write(lines.map { "batchget: \(DisplayText.sanitized($0))\n" }.joined(), to: STDERR_FILENO)
            return ExitCode(status)
        }
    }

    let entries: [ManifestEntry]
    let options: DownloadOptions
    let directory: OutputDirectory

    init(_ command: BatchGet) throws(Failure) {
        var options = DownloadOptions()
        options.jobs = command.jobs
        options.jobsPerHost = command.perHost
        options.timeout = command.timeout
        options.cancelsGroupOnFailure = command.cancelGroupOnFailure
        options.replacesExisting = command.force
        options.maximumTries = command.maxTries
        options.retryWait = command.retryWait
        options.split = command.split
        options.minimumSplitSize = ByteCount.read(command.minSplitSize) ?? options.minimumSplitSize
        options.rateLimit = ByteCount.read(command.limitRate) ?? 0
        options.rateLimitPerHost = ByteCount.read(command.limitRatePerHost) ?? 0
        options.headers = command.header.compactMap(HeaderField.init)
        if let file = command.headerFile { options.headers += try Self.headers(in: file) }
        if let file = command.ca { options.anchorCertificates = try Self.certificates(in: file) }
        if let proxy = command.proxy { options.proxies = try Self.proxies(proxy) }
        self.options = options
        // Without both, a run with a queue has what is there.
        let path = command.manifests.first ?? (command.urls.isEmpty && command.queue == nil ? "-" : nil)
        if path == "-", !command.quiet, isatty(STDIN_FILENO) == 1 {
            write("batchget: reading URLs, one a line; Ctrl-D ends\n", to: STDERR_FILENO)
        }
        let manifest = try Self.manifest(path, urls: command.urls)
        var warnings = manifest.warnings
        if command.queue != nil {
            let problems = QueueRules.problems(with: manifest.entries)
            guard problems.isEmpty else { throw Failure(status: ExitStatus.badManifest, lines: problems) }
            warnings += QueueRules.warnings(about: manifest.entries)
        }
        if !command.quiet {
            for line in warnings {
                write("batchget: \(DisplayText.sanitized(line))\n", to: STDERR_FILENO)
            }
        }
        entries = manifest.entries
        directory = OutputDirectory(command.output)
        let problems = directory.prepare(for: entries)
        guard problems.isEmpty else { throw Failure(status: ExitStatus.cannotCreate, lines: problems) }
    }

    private static func proxies(_ text: String) throws(Failure) -> ProxyConfiguration {
        do {
            return text == "environment" ? try .environment() : ProxyConfiguration(try ProxyServer(text))
        } catch {
            throw Failure(status: ExitStatus.usage, lines: ["--proxy: \(error.description)"])
        }
    }

    private static func manifest(_ path: String?, urls: [String]) throws(Failure) -> Manifest {
        let source = path == "-" ? "standard input" : path ?? "the command line"
        let data: Data?
        do {
            switch path {
            case nil: data = nil
            case "-": data = try FileHandle.standardInput.readToEnd() ?? Data()
            case let path?: data = try Data(contentsOf: URL(fileURLWithPath: path))
            }
        } catch {
            throw Failure(status: ExitStatus.noInput, lines: ["\(source): \(error.localizedDescription)"])
        }
        do {
            return try Manifest(data, source: source, urls: urls)
        } catch {
            throw Failure(status: ExitStatus.badManifest, lines: error.lines)
        }
    }

    private static func headers(in path: String) throws(Failure) -> [HeaderField] {
        let text = String(decoding: try contents(of: path), as: UTF8.self)
        var fields: [HeaderField] = []
        var problems: [String] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            guard line.contains(where: { !$0.isWhitespace }), line.first != "#" else { continue }
            if let problem = HeaderField.problem(with: String(line)) {
                problems.append("\(path):\(index + 1): \(problem)")
            } else if let field = HeaderField(String(line)) {
                fields.append(field)
            }
        }
        guard problems.isEmpty else { throw Failure(status: ExitStatus.usage, lines: problems) }
        return fields
    }

    private static func certificates(in path: String) throws(Failure) -> Set<Data> {
        let content = try contents(of: path)
        let policy = SecurityPolicy.default()
        do {
            policy.anchorCertificates = try SecurityPolicy.certificates(from: content)
            try policy.validate()
        } catch {
            throw Failure(status: ExitStatus.usage, lines: ["\(path): \(error.localizedDescription)"])
        }
        return policy.anchorCertificates
    }

    private static func contents(of path: String) throws(Failure) -> Data {
        do {
            return try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw Failure(status: ExitStatus.noInput, lines: ["\(path): \(error.localizedDescription)"])
        }
    }
}
