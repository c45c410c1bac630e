// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc

/// A tour of the library against an httpbin server: its own, or the one at `--base-url`.
@main
enum Demo {
    // An async main runs the main queue, on which operations deliver their blocks by default.
    static func main() async {
        do {
            let options = try Options(Array(CommandLine.arguments.dropFirst()))
            if options.wantsHelp {
                print(Options.usage)
            } else {
                try await run(options)
            }
        } catch {
            let text = (error as NSError).userInfo[NSLocalizedDescriptionKey] ?? error
            FileHandle.standardError.write(Data("\ndemo: \(text)\n".utf8))
            exit(EXIT_FAILURE)
        }
    }

    private static func run(_ options: Options) async throws {
        let console = Console()
        let server = options.baseURL == nil ? try await EmbeddedServer() : nil
        guard let baseURL = options.baseURL ?? server?.baseURL else { throw DemoFailure("there is no server") }
        console.line("server: \(baseURL.absoluteString)\(server == nil ? "" : " (embedded)")")

        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("OperationNetworking-demo-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }

        let stage = Stage(api: APIClient(baseURL: baseURL), console: console, directory: directory)
        do {
            try await stage.logIn()
            try await stage.upload()
            try await stage.downloadBatch()
            try await stage.cancelGroup()
            try await stage.pauseAndResume()
        } catch {
            console.endBar()
            throw error
        }
        await server?.stop()
        console.heading("Everything went as expected.")
    }
}

/// What the steps work with.
struct Stage: Sendable {
    let api: APIClient
    let console: Console
    /// Files of the demo: removed at its end.
    let directory: URL
}
