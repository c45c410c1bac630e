internal import Foundation
internal import Testing

/// The documents at the top of the repository say what is true.
@Suite("Documents", .timeLimit(.minutes(1)))
struct DocumentationTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    private static let root = folder.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    @Test(
        "Every Swift snippet is compiled by the test target",
        arguments: [
            ("README.md", "ReadmeSnippetsTests.swift", 8), ("Migration.md", "MigrationSnippetsTests.swift", 12),
        ])
    func snippets(document: String, source: String, count: Int) throws {
        let text = try String(contentsOf: Self.root.appendingPathComponent(document), encoding: .utf8)
        let compiled = Self.normalized(
            try String(contentsOf: Self.folder.appendingPathComponent(source), encoding: .utf8))
        let snippets = Self.swiftBlocks(in: text)
        #expect(snippets.count == count)
        for snippet in snippets {
            let isCompiled = compiled.contains(Self.normalized(snippet))
            #expect(isCompiled, "not in \(source): \(snippet)")
        }
    }

    private static let catalogue = root.appendingPathComponent("Sources/OperationNetworking/OperationNetworking.docc")

    @Test(
        "Every Swift snippet of an article is compiled by the test target",
        arguments: [
            ("OperationNetworking.md", 1), ("Articles/ComingFromAFNetworking.md", 1), ("Articles/Caching.md", 3),
            ("Articles/Dependencies.md", 2),
            ("Articles/Errors.md", 3), ("Articles/GettingStarted.md", 5), ("Articles/GroupsAndCancellation.md", 4),
            ("Articles/LifeCycle.md", 2), ("Articles/PauseResumeAndDownloads.md", 1), ("Articles/Performance.md", 2),
            ("Articles/ReachabilityAndActivity.md", 3), ("Articles/OperationsOrSessions.md", 0),
            ("Articles/Retry.md", 1), ("Articles/Security.md", 10),
            ("Articles/Streaming.md", 3), ("Articles/Testing.md", 6), ("Articles/ThreadsAndQueues.md", 2),
        ])
    func articleSnippets(document: String, count: Int) throws {
        let text = try String(contentsOf: Self.catalogue.appendingPathComponent(document), encoding: .utf8)
        let sources = [
            "ArticleSnippetsTests.swift", "MigrationSnippetsTests.swift", "ReadmeSnippetsTests.swift",
            "TestingArticleTests.swift",
        ]
        let compiled = try sources.map { source in
            Self.normalized(try String(contentsOf: Self.folder.appendingPathComponent(source), encoding: .utf8))
        }
        let snippets = Self.swiftBlocks(in: text)
        #expect(snippets.count == count)
        for snippet in snippets {
            let isCompiled = compiled.contains { $0.contains(Self.normalized(snippet)) }
            #expect(isCompiled, "not compiled: \(snippet)")
        }
    }

    @Test("No article is left out of that")
    func articles() throws {
        let folder = Self.catalogue.appendingPathComponent("Articles").path
        let found = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".md") }
        #expect(found.count == 16)
    }

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
            ("unknown", .unknown),
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
        for document in ["README.md", "Migration.md", "CHANGELOG.md", "CONTRIBUTING.md"] {
            let text = try String(contentsOf: Self.root.appendingPathComponent(document), encoding: .utf8)
            for match in text.matches(of: /\]\(([^)#]+)[^)]*\)/) where !match.1.contains("://") {
                let target = Self.root.appendingPathComponent(String(match.1))
                #expect(FileManager.default.fileExists(atPath: target.path), "\(document): \(match.1)")
            }
        }
    }

    @Test("README is short")
    func length() throws {
        let text = try String(contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count < 250)
    }

    /// The contents of the code blocks marked as Swift.
    private static func swiftBlocks(in text: String) -> [String] {
        text.components(separatedBy: "\n```swift\n").dropFirst().compactMap { rest in
            rest.components(separatedBy: "\n```").first
        }
    }

    /// Text with every run of white space as one space, wherever its lines were broken.
    private static func normalized(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            .replacingOccurrences(of: "( ", with: "(").replacingOccurrences(of: " )", with: ")")
    }
}
