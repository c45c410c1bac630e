// SPDX-License-Identifier: MIT
internal import Foundation
internal import Testing

/// The documents at the top of the repository say what is true.
@Suite("Documents", .timeLimit(.minutes(1)))
struct DocumentationTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    private static let root = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test("Every Swift sample of a document or a comment is compiled")
    func samples() throws {
        let compiled = try Self.compiledFiles().map { Self.normalized(try Self.text(of: $0)) }
        var count = 0
        for document in try Self.documents() {
            let text = try Self.text(of: document)
            for sample in Self.swiftBlocks(in: document.hasSuffix(".swift") ? Self.comments(of: text) : text) {
                count += 1
                let normalized = Self.normalized(sample)
                // The manifest is read by `Scripts/examples`.
                guard !sample.hasPrefix("// swift-tools-version:") else { continue }
                #expect(compiled.contains { $0.contains(normalized) }, "\(document): not compiled: \(sample)")
            }
        }
        #expect(count > 100)
    }

    @Test("Every listing of a comment names its language")
    func languages() throws {
        for document in try Self.documents() where document.hasSuffix(".swift") {
            let fences = Self.comments(of: try Self.text(of: document)).split(separator: "\n")
                .map { $0.drop { $0 == " " } }.filter { $0.hasPrefix("```") }
            // Every other one closes a listing.
            for (number, fence) in fences.enumerated() {
                #expect((fence == "```") == !number.isMultiple(of: 2), "\(document): fence \(number + 1): \(fence)")
            }
        }
    }

    @Test("The program of README and the example are the same")
    func firstProgram() throws {
        let example = Self.normalized(try Self.text(of: "Examples/Sources/FirstProgram/main.swift"))
        let blocks = Self.swiftBlocks(in: try Self.text(of: "README.md"))
        let program = try #require(blocks.dropFirst().first)
        #expect(blocks.first?.contains("// swift-tools-version: 6.2\n") == true)
        #expect(example.hasSuffix(Self.normalized(program)))
    }

    @Test("Samples on the site fit into its column")
    func widths() throws {
        for document in try Self.documents() where document.hasPrefix("Sources/") {
            let text = try Self.text(of: document)
            let blocks = Self.swiftBlocks(in: document.hasSuffix(".swift") ? Self.comments(of: text) : text)
            for line in blocks.joined(separator: "\n").split(separator: "\n") {
                #expect(line.count <= 75, "\(document): \(line)")
            }
        }
    }

    @Test("The guides for those who come from elsewhere have no line of more than 120 columns")
    func migrationLineLengths() throws {
        for document in try Self.documents() where document.contains("Migration") {
            for line in try Self.text(of: document).split(separator: "\n") {
                #expect(line.count <= 120, "\(document): \(line)")
            }
        }
    }

    private static let catalogue = root.appendingPathComponent("Sources/OperationNetworking/OperationNetworking.docc")

    @Test("The figures in the article on performance are those of README")
    func figures() throws {
        let readme = try String(contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
        let article = try String(
            contentsOf: Self.catalogue.appendingPathComponent("Articles/Performance.md"), encoding: .utf8)
        let figures = try #require(
            readme.components(separatedBy: "<!-- figures -->").last?.components(separatedBy: "<!-- /figures -->").first)
        let rows = figures.split(separator: "\n").filter { $0.hasPrefix("|") }
        #expect(rows.count > 2)
        for row in rows {
            #expect(article.contains(row), "not in the article: \(row)")
        }
    }

    @Test("The numbers in the article on errors are Foundation's")
    func errorNumbers() throws {
        let text = try String(contentsOf: Self.catalogue.appendingPathComponent("Articles/Errors.md"), encoding: .utf8)
        let codes: [(String, URLError.Code)] = [
            ("cancelled", .cancelled), ("badURL", .badURL), ("timedOut", .timedOut),
            ("unsupportedURL", .unsupportedURL), ("cannotFindHost", .cannotFindHost),
            ("cannotConnectToHost", .cannotConnectToHost), ("networkConnectionLost", .networkConnectionLost),
            ("httpTooManyRedirects", .httpTooManyRedirects),
            ("userCancelledAuthentication", .userCancelledAuthentication),
            ("cannotDecodeContentData", .cannotDecodeContentData), ("cannotParseResponse", .cannotParseResponse),
            ("requestBodyStreamExhausted", .requestBodyStreamExhausted),
            ("dataLengthExceedsMaximum", .dataLengthExceedsMaximum),
            ("secureConnectionFailed", .secureConnectionFailed),
            ("serverCertificateHasBadDate", .serverCertificateHasBadDate),
            ("serverCertificateUntrusted", .serverCertificateUntrusted),
            ("serverCertificateHasUnknownRoot", .serverCertificateHasUnknownRoot),
            ("serverCertificateNotYetValid", .serverCertificateNotYetValid),
            ("clientCertificateRejected", .clientCertificateRejected),
            ("clientCertificateRequired", .clientCertificateRequired),
            ("userAuthenticationRequired", .userAuthenticationRequired), ("cannotCreateFile", .cannotCreateFile),
            ("cannotDecodeRawData", .cannotDecodeRawData), ("cannotWriteToFile", .cannotWriteToFile),
            ("unknown", .unknown), ("resourceUnavailable", .resourceUnavailable),
            ("appTransportSecurityRequiresSecureConnection", .appTransportSecurityRequiresSecureConnection),
        ]
        for (name, code) in codes {
            #expect(text.contains("\n| −\(-code.rawValue) | `\(name)` | "))
        }
        // Each row of that table names one of them.
        #expect(text.matches(of: /\n\| −\d+ \| `/).count == codes.count)
    }

    @Test("Every link to a file of the repository leads somewhere")
    func links() throws {
        for document in try Self.documents() where !document.hasPrefix("Sources/") {
            let text = try Self.text(of: document)
            let folder = Self.root.appendingPathComponent(document).deletingLastPathComponent()
            for match in text.matches(of: /\]\(([^)#]+)[^)]*\)/) where !match.1.contains("://") {
                let target = folder.appendingPathComponent(String(match.1))
                #expect(FileManager.default.fileExists(atPath: target.path), "\(document): \(match.1)")
            }
        }
    }

    @Test("Every link to a heading leads to one")
    func headings() throws {
        for document in try Self.documents() where !document.hasPrefix("Sources/") {
            let folder = Self.root.appendingPathComponent(document).deletingLastPathComponent()
            for match in try Self.text(of: document).matches(of: /\]\(([^)#: ]*)#([^)]+)\)/) {
                let target =
                    match.1.isEmpty
                    ? Self.root.appendingPathComponent(document) : folder.appendingPathComponent(String(match.1))
                let text = try String(contentsOf: target, encoding: .utf8)
                let headings = text.matches(of: /\n#+ ([^\n]+)/).map { heading in
                    heading.1.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
                        .replacingOccurrences(of: " ", with: "-")
                }
                #expect(headings.contains(String(match.2)), "\(document): \(match.0)")
            }
        }
    }

    @Test("README is short")
    func length() throws {
        let text = try String(contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 220)
    }

    private static func text(of file: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(file), encoding: .utf8)
    }

    /// Paths of all files below a folder.
    private static func files(in folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.appendingPathComponent(folder).path)
            .map { "\(folder)/\($0)" }.sorted()
    }

    /// What is read by users: the documents, the articles, and the comments of the sources.
    private static func documents() throws -> [String] {
        let sources = try files(in: "Sources").filter { $0.hasSuffix(".md") || $0.hasSuffix(".swift") }
        let documents = try files(in: "Documentation").filter { $0.hasSuffix(".md") }
        return ["README.md", "Migration.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"] + documents + sources
    }

    /// Where samples are compiled: in tests by name, in the benchmarks, and as the first of the examples. Of those in
    /// Documentation/TwelveTasks the page says that they are not.
    private static func compiledFiles() throws -> [String] {
        let names = ["Snippet", "Sample", "ArticleTests", "TwelveTasks"]
        let tests = try files(in: "Tests").filter { file in
            file.hasSuffix(".swift") && names.contains { file.contains($0) }
        }
        return try tests + files(in: "Documentation/TwelveTasks") + files(in: "Benchmarks/Sources/TwelveTasks")
            + ["Examples/Sources/FirstProgram/main.swift"]
    }

    /// The documentation comments, without their marks.
    private static func comments(of source: String) -> String {
        source.split(separator: "\n").compactMap { line in
            let line = line.drop { $0 == " " }
            guard line.hasPrefix("///") else { return nil }
            return String(line.hasPrefix("/// ") ? line.dropFirst(4) : line.dropFirst(3))
        }.joined(separator: "\n")
    }

    /// The contents of the code blocks marked as Swift.
    private static func swiftBlocks(in text: String) -> [String] {
        text.components(separatedBy: "\n```swift\n").dropFirst().compactMap { rest in
            rest.components(separatedBy: "\n```").first
        }
    }

    /// Text without white space, wherever its lines were broken, and without the commas that go with broken lines.
    private static func normalized(_ text: String) -> String {
        text.filter { !$0.isWhitespace }.replacingOccurrences(of: ",]", with: "]")
            .replacingOccurrences(of: ",)", with: ")")
    }
}
