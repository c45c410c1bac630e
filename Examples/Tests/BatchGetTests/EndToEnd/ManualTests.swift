// SPDX-License-Identifier: MIT
import Foundation
import Testing

@Suite("The manual", .timeLimit(.minutes(1))) struct ManualTests {
    private let folder: Folder

    init() throws {
        folder = try Folder()
    }

    /// The manual page, without roff's way of writing hyphens.
    private func page() throws -> String {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources/BatchGet/batchget.1")
        return try String(contentsOf: file, encoding: .utf8).replacingOccurrences(of: "\\-", with: "-")
    }

    /// The names of all options that --help lists.
    private func options() async throws -> Set<String> {
        let help = try await batchget(["--help"], in: folder).output
        let list = try #require(help.components(separatedBy: "\nOPTIONS:\n").last)
        let lines = list.split(separator: "\n").filter { $0.hasPrefix("  -") }
        return Set(lines.flatMap { $0.matches(of: /--?[a-z][a-z-]*/).prefix(2).map { String($0.0) } })
    }

    @Test("The manual page has every option of --help, and no other one")
    func manualPage() async throws {
        let options = try await options()
        #expect(options.count > 20 && options.contains("--limit-rate-per-host") && options.contains("-s"))
        let page = try page()
        let section = try #require(
            page.components(separatedBy: ".SH OPTIONS").last?.components(separatedBy: ".SH MANIFESTS").first)
        let heads = section.components(separatedBy: ".TP\n").dropFirst().compactMap { $0.split(separator: "\n").first }
        let documented = Set(heads.flatMap { $0.matches(of: /--?[a-z][a-z-]*/).map { String($0.0) } })
        #expect(documented == options)
    }

    @Test("The manual page, and --help, name every field of a manifest")
    func fields() async throws {
        let page = try page()
        let help = try await batchget(["--help"], in: folder).output
        for field in TextManifestTests.known.components(separatedBy: ", ") {
            #expect(page.contains("\(field)="), "\(field)")
            #expect(
                help.contains("\(field)=") || help.contains(" \(field),") || help.contains(" \(field)\n"), "\(field)")
        }
    }
}
