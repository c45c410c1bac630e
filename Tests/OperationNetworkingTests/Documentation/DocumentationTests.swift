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
            ("README.md", "ReadmeSnippetsTests.swift", 8), ("Migration.md", "MigrationSnippetsTests.swift", 10),
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
