// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc
internal import NetworkingSupport
package import NetworkingTransport

/// The header fields that every serializer starts with.
package enum DefaultHeaders {
    static func table() -> HeaderTable {
        var table = HeaderTable()
        table["Accept-Language"] = presentAcceptLanguage
        table["User-Agent"] = userAgent
        return table
    }

    /// The same, as the environment was when they were first needed, for requests that no serializer made.
    package static let fields = [
        HeaderField("Accept-Language", presentAcceptLanguage), HeaderField("User-Agent", userAgent),
    ]

    private static var presentAcceptLanguage: String {
        acceptLanguage { name in getenv(name).map { String(cString: $0) } }
    }

    // MARK: Accept-Language

    /// The languages of the locale environment, best first, with falling weights; `en` when it names none.
    ///
    /// As in gettext: the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is set is the locale, and unless that is
    /// the C locale, the list in `LANGUAGE` goes before it.
    static func acceptLanguage(environment: (String) -> String?) -> String {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap(environment).first { !$0.isEmpty }
        var tags: [String] = []
        if let locale, let tag = languageTag(ofLocale: locale) {
            let preferred = (environment("LANGUAGE") ?? "").split(separator: ":").compactMap {
                languageTag(ofLocale: String($0))
            }
            for tag in preferred + [tag] where !tags.contains(tag) { tags.append(tag) }
        }
        if tags.isEmpty { tags = ["en"] }
        // Weights 1, 0.9 … 0.5: the list ends after the entry that has 0.5.
        return tags.prefix(6).enumerated()
            .map { index, tag in "\(tag);q=\(index == 0 ? "1" : "0.\(10 - index)")" }
            .joined(separator: ", ")
    }

    /// `de_AT.UTF-8@euro` as `de-AT`; nil for the C locale and what is no language.
    static func languageTag(ofLocale locale: String) -> String? {
        let parts = locale.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts[0].prefix { $0 != "." }
        guard name != "C", name != "POSIX" else { return nil }
        var subtags = name.split(whereSeparator: { $0 == "_" || $0 == "-" }).map(String.init)
        guard let language = subtags.first, (2...8).contains(language.utf8.count),
            language.utf8.allSatisfy({ (0x41...0x5A).contains($0 & 0xDF) }),
            subtags.allSatisfy({ $0.utf8.count <= 8 && $0.utf8.allSatisfy(isAlphanumeric) })
        else { return nil }
        switch parts.count > 1 ? parts[1] : "" {
        case "latin": subtags.insert("Latn", at: 1)
        case "cyrillic": subtags.insert("Cyrl", at: 1)
        case "devanagari": subtags.insert("Deva", at: 1)
        case "valencia": subtags.append("valencia")
        default: break
        }
        return subtags.joined(separator: "-")
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
    }

    // MARK: User-Agent

    /// `<process>/<version> (Linux <kernel release>)`; the version is the main bundle's, 0 when it has none.
    static let userAgent: String = {
        let information = RunningProgram.bundle?.infoDictionary
        let version =
            information?["CFBundleShortVersionString"] as? String ?? information?["CFBundleVersion"] as? String
        return userAgent(
            process: RunningProgram.name, version: version ?? "0", kernelRelease: kernelRelease)
    }()

    /// Letters with marks lose them; what is still not a token's character is left out.
    static func userAgent(process: String, version: String, kernelRelease: String) -> String {
        let product = token(process)
        let version = token(version)
        let comment = kernelRelease.unicodeScalars.filter {
            (0x20..<0x7F).contains($0.value) && !"()\\".unicodeScalars.contains($0)
        }
        return "\(product.isEmpty ? "swift" : product)/\(version.isEmpty ? "0" : version)"
            + " (Linux \(String(String.UnicodeScalarView(comment))))"
    }

    private static func token(_ text: String) -> String {
        String(
            decoding: text.decomposedStringWithCanonicalMapping.utf8.filter(\.isTokenCharacter), as: UTF8.self)
    }

    private static var kernelRelease: String {
        var system = utsname()
        guard uname(&system) == 0 else { return "unknown" }
        return withUnsafeBytes(of: &system.release) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
