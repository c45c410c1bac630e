internal import ArgumentParser
internal import BatchGetCore
internal import Foundation

/// Downloads what a manifest lists.
@main
struct BatchGet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batchget", abstract: "Download what a manifest lists: in parallel, resumable, verified.",
        discussion: Manual.text)

    @Argument(
        help: ArgumentHelp("The manifest, text or JSON; - for standard input.", valueName: "manifest"),
        completion: .file())
    var manifest = "-"

    @Option(name: .shortAndLong, help: ArgumentHelp("Where files go; made if missing.", valueName: "dir"))
    var output = "."

    @Option(name: .shortAndLong, help: ArgumentHelp("Downloads at once.", valueName: "n"))
    var jobs = 8

    @Option(help: ArgumentHelp("Downloads at once from one host; 0 for no limit but --jobs.", valueName: "n"))
    var perHost = 4

    @Option(help: ArgumentHelp("Seconds without a byte after which a download fails.", valueName: "seconds"))
    var timeout = 60.0

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
        guard !output.isEmpty else { throw ValidationError("--output must not be empty.") }
    }

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
