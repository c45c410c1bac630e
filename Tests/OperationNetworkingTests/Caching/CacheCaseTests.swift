// SPDX-License-Identifier: MIT
import Foundation
import Testing

@Suite("The public suite for HTTP caches", .timeLimit(.minutes(2))) struct CacheCaseTests {
    @Test("A case of the suite comes out as the article says", arguments: CacheCase.all)
    func run(test: CacheCase) async throws {
        let differences = try await CacheCaseRun(test).differences()
        #expect(differences.isEmpty == test.passes, "\(differences)")
    }

    @Test("The names are those of different cases")
    func names() {
        #expect(Set(CacheCase.all.map(\.id)).count == CacheCase.all.count)
    }

    @Test("The article's table has every case, and its outcome")
    func article() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appendingPathComponent("Documentation/CacheTests.md"), encoding: .utf8)
        for test in CacheCase.all {
            let row = "| \(test.id) | \(test.passes ? "yes" : "no") |"
            #expect(text.contains(row), "\(row)")
        }
        #expect(text.components(separatedBy: "\n| ").count - 1 == CacheCase.all.count + 1)
    }
}
