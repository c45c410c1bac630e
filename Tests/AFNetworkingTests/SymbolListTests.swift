// SPDX-License-Identifier: MIT
import Foundation
import Testing

/// The list of AFNetworking's symbols, and what became of each.
@Suite("The symbols of AFNetworking", .timeLimit(.minutes(1)))
struct SymbolListTests {
    /// The versions, and how many symbols each has at least.
    private static let versions = ["2.6.3": 250, "3.2.1": 240, "4.0.1": 240]

    /// The names in a version's list, as they stand there.
    private func listed(_ version: String) throws -> [String] {
        let list = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("Symbols/AFNetworking-\(version).txt")
        return try String(contentsOf: list, encoding: .utf8).split(separator: "\n").map(String.init)
            .filter { !$0.hasPrefix("#") }
    }

    @Test("Every symbol in the lists has one state, and nothing else has one")
    func complete() throws {
        let known = Symbol.all.map(\.name)
        #expect(Set(known).count == known.count, "two states: \(repeated(known))")
        var all: Set<String> = []
        for (version, count) in Self.versions {
            let listed = try listed(version)
            #expect(listed.count > count)
            #expect(Set(listed).count == listed.count, "listed twice in \(version): \(repeated(listed))")
            #expect(Set(listed).subtracting(known).sorted() == [], "no state, in \(version)")
            all.formUnion(listed)
        }
        #expect(Set(known).subtracting(all).sorted() == [], "in no list")
    }

    @Test("A symbol that is here has a name in Swift that its own can become, and one that is not has a reason")
    func plausible() {
        for symbol in Symbol.all {
            switch symbol.state {
            case .available(let names, let note):
                #expect(!names.isEmpty && note?.isEmpty != true, "\(symbol.name)")
                for name in names {
                    #expect(Self.canBecome(name, from: symbol.name), "\(symbol.name) as \(name)")
                }
            case .expressed(let names):
                #expect(names.allSatisfy { $0.contains(".") }, "\(symbol.name)")
            case .missing(let reason):
                #expect(!reason.isEmpty, "\(symbol.name)")
            }
        }
    }

    @Test("All is here but what is named; only what stands on types of UIKit and WebKit has another name")
    func extent() {
        let missing = Symbol.all.filter { if case .missing = $0.state { true } else { false } }.map(\.name)
        #expect(
            missing == ["-[AFNetworkReachabilityManager initWithReachability:]", "AFImageDownloadReceipt.task"])
        let renamed = Symbol.all.filter { if case .expressed = $0.state { true } else { false } }.map(\.name)
        // The cache of 2.x was a protocol with the name that another has in 3.x.
        let others = renamed.filter { name in
            let type = name.drop { "+-[".contains($0) }
            return !["UI", "WK"].contains { type.hasPrefix($0) }
        }
        #expect(others == ["-[AFImageCache cachedImageForRequest:]", "-[AFImageCache cacheImage:forRequest:]"])
    }

    private func repeated(_ names: [String]) -> [String] {
        Dictionary(grouping: names, by: { $0 }).filter { $0.value.count > 1 }.keys.sorted()
    }

    /// Whether a name in Swift starts as the one in Objective-C does, or is an initializer for one that makes an object.
    private static func canBecome(_ swift: String, from name: String) -> Bool {
        let base = swift.prefix { $0 != "(" }
        guard let bracket = name.firstIndex(of: "[") else {
            let last = name.split(separator: ".").last.map(String.init) ?? name
            // A Boolean property's getter has an "is" in front.
            return base.lowercased() == "is" + last.lowercased()
                || last.lowercased() == base.lowercased() || last.hasSuffix(base) || last.hasPrefix(base)
                || last.lowercased().hasSuffix(base.lowercased())
        }
        let selector = name[bracket...].split(separator: " ").last.map { $0.dropLast() } ?? ""
        let isFactory = name.hasPrefix("+") || selector.hasPrefix("init")
        let factoryName = base == "init" || (base == "default" && selector == "defaultPolicy")
        if factoryName { return isFactory }
        return selector.lowercased().hasPrefix(base.lowercased())
    }
}
