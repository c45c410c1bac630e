// SPDX-License-Identifier: MIT
internal import ArgumentParser
internal import BatchGetCore
internal import Foundation

/// Downloads URLs, and what a manifest lists.
@main
struct BatchGet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batchget", abstract: "Download URLs, or what a manifest lists: in parallel, resumable, verified.",
        discussion: Manual.text)

    @Argument(
        help: ArgumentHelp(
            "URLs, and a manifest: text, JSON, Metalink, or an input file of aria2. - for standard input, which is also read when there is nothing else.",
            valueName: "url or manifest"),
        completion: .file())
    var sources: [String] = []

    @Option(name: .shortAndLong, help: ArgumentHelp("A manifest, whatever its name.", valueName: "file"))
    var input: String?

    @Option(
        help: ArgumentHelp(
            "A queue that outlives this run, and that several runs may have at once: a file, made if missing, or a database of PostgreSQL's, as postgresql:///name.",
            valueName: "file or url"))
    var queue: String?

    @Option(name: .shortAndLong, help: ArgumentHelp("Where files go; made if missing.", valueName: "dir"))
    var output = "."

    @Option(
        name: [.customShort("j", allowingJoined: true), .long],
        help: ArgumentHelp("Requests at once.", valueName: "n"))
    var jobs = 8

    @Option(help: ArgumentHelp("Requests at once to one host; 0 for no limit but --jobs.", valueName: "n"))
    var perHost = 4

    @Option(help: ArgumentHelp("Seconds without a byte after which a request fails.", valueName: "seconds"))
    var timeout = 60.0

    @Option(help: ArgumentHelp("Attempts at a request in all; 0 for any number.", valueName: "n"))
    var maxTries = 5

    @Option(
        help: ArgumentHelp(
            "Seconds before the second attempt, at most; twice as many before each further one, up to 120.",
            valueName: "seconds"))
    var retryWait = 1.0

    @Option(
        name: [.customShort("s", allowingJoined: true), .long],
        help: ArgumentHelp(
            "Ranges of one file at once, 1 to 64, as far as --jobs and --per-host leave room; one for each of its places if not given.",
            valueName: "n"))
    var split: Int?

    @Option(help: ArgumentHelp("Bytes that a range has at least, as 500K or 20M.", valueName: "size"))
    var minSplitSize = "20M"

    @Option(help: ArgumentHelp("Bytes a second altogether, as 500K or 2M; 0 for no limit.", valueName: "rate"))
    var limitRate = "0"

    @Option(help: ArgumentHelp("Bytes a second from one host; 0 for no limit.", valueName: "rate"))
    var limitRatePerHost = "0"

    @Option(help: ArgumentHelp("A header field for every request; may be repeated.", valueName: "name: value"))
    var header: [String] = []

    @Option(
        help: ArgumentHelp(
            "A file of header fields, one a line: other users see a command line, but not this.", valueName: "file"))
    var headerFile: String?

    @Option(
        help: ArgumentHelp(
            "Root certificates, PEM or DER, to trust beside the system's.", valueName: "file"))
    var ca: String?

    @Option(
        help: ArgumentHelp(
            "A proxy, as http://host:port; or \"environment\" for what http_proxy and the like say.", valueName: "url"))
    var proxy: String?

    @Flag(help: "Cancel the rest of a group when one of it fails.")
    var cancelGroupOnFailure = false

    @Flag(help: "Download also what is there already.")
    var force = false

    @Flag(help: "Print a report as JSON to standard output.")
    var json = false

    @Flag(name: .shortAndLong, help: "Tell of failures only.")
    var quiet = false

    @Flag(help: "Lines instead of a live display, on a terminal too.")
    var noProgress = false

    func validate() throws {
        // What is wrong with a header is told without its value: it may be a secret.
        for (index, text) in header.enumerated() {
            if let problem = HeaderField.problem(with: text) {
                throw ValidationError("--header no. \(index + 1): \(problem).")
            }
        }
        guard jobs > 0 else { throw ValidationError("--jobs has to be at least 1.") }
        guard perHost >= 0 else { throw ValidationError("--per-host has to be at least 0.") }
        guard timeout > 0, timeout <= 86_400 else {
            throw ValidationError("--timeout has to be more than 0 and at most 86400 seconds.")
        }
        guard maxTries >= 0, maxTries <= Int32.max else { throw ValidationError("--max-tries has to be at least 0.") }
        guard retryWait >= 0, retryWait <= 86_400 else {
            throw ValidationError("--retry-wait has to be at least 0 and at most 86400 seconds.")
        }
        guard DownloadOptions.splits.contains(Int64(split ?? 1)) else {
            throw ValidationError("--split has to be from 1 to 64.")
        }
        let sizes = [
            ("--min-split-size", minSplitSize), ("--limit-rate", limitRate),
            ("--limit-rate-per-host", limitRatePerHost),
        ]
        for (name, text) in sizes where ByteCount.read(text) == nil {
            throw ValidationError("\(name) has to be a number of bytes, as 1000, 500K, 20M or 2G.")
        }
        let manifests = manifests
        guard manifests.count <= 1 else {
            throw ValidationError(
                "There can be one manifest, not \(manifests.count): \(manifests.joined(separator: ", ")).")
        }
        if let queue {
            guard !queue.isEmpty else { throw ValidationError("--queue must not be empty.") }
            let others = [
                ("--force", force), ("--split", split ?? 1 > 1), ("--limit-rate", ByteCount.read(limitRate) != 0),
                ("--limit-rate-per-host", ByteCount.read(limitRatePerHost) != 0),
            ]
            for (name, isGiven) in others where isGiven {
                throw ValidationError("\(name) cannot be given together with --queue.")
            }
        }
        guard !output.isEmpty else { throw ValidationError("--output must not be empty.") }
    }

    /// The arguments that are URLs: they have a scheme.
    var urls: [String] { sources.filter { $0.contains("://") } }

    /// The arguments that are manifests, and that of the option.
    var manifests: [String] { sources.filter { !$0.contains("://") } + [input].compactMap { $0 } }

    func run() async throws {
        let inputs: Inputs
        do {
            inputs = try Inputs(self)
        } catch {
            throw error.print()
        }
        throw ExitCode(await Session(self, inputs).run())
    }
}
