// SPDX-License-Identifier: MIT
public import Foundation
internal import NetworkingSupport
internal import NetworkingTransport

/// A pattern for URLs. `https://api.example.org/users/{id}?page=*`.
///
/// | In a template | fits |
/// |---|---|
/// | `{name}` | one segment of the path, not empty: ``parameters(in:)`` has it; in a query, any value |
/// | `*` | any characters within a segment, a host or a value |
/// | `**` as a segment | any number of segments |
/// | no `?` | any query; else the URL needs the items that are named, in any order, and may have others |
/// | no scheme and host, as in `/users` | any scheme and host |
/// | `*` alone | every URL |
///
/// Scheme and host are compared without regard to case, and a port that is the scheme's own may be left out. A host may
/// be written in ASCII (`xn--…`) or not, with or without a final dot, and an IPv6 address in any of its spellings.
/// Paths and queries are compared once percent-encoding was undone, by their bytes; `%2F` is part of a segment, and
/// what is not UTF-8 stays percent-encoded. Fragments do not count.
public struct URLTemplate: Sendable, CustomStringConvertible {
    private enum Shape: Sendable {
        case everything
        case parts(origin: String?, segments: [String], query: [(name: String, value: String)])
        case unreadable
    }

    /// The template as it was given.
    public let description: String
    private let shape: Shape

    /// A template. See above. One that cannot be read fits nothing.
    public init(_ text: String) {
        description = text
        guard text != "*" else {
            shape = .everything
            return
        }
        let withoutFragment = text.prefix { $0 != "#" }
        let parts = withoutFragment.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let front = parts.first, !front.isEmpty else {
            shape = .unreadable
            return
        }
        var origin: String?
        var path = String(front)
        if let scheme = front.range(of: "://") {
            let rest = front[scheme.upperBound...]
            let authority = rest.prefix { $0 != "/" }
            origin = Self.canonical(
                Self.origin(scheme: String(front[..<scheme.lowerBound]), authority: String(authority)))
            path = String(rest[authority.endIndex...])
            if authority.isEmpty {
                shape = .unreadable
                return
            }
        } else if !front.hasPrefix("/") {
            shape = .unreadable
            return
        }
        let query = parts.count > 1 ? Self.items(String(parts[1])) : []
        shape = .parts(origin: origin, segments: Self.segments(path), query: query)
    }

    /// Returns the texts that the names in braces stand for in a URL. `nil` when the template does not fit it.
    public func parameters(in url: URL) -> [String: String]? {
        var parameters: [String: String] = [:]
        guard mismatch(with: url, &parameters) == nil else { return nil }
        return parameters
    }

    /// The difference of a URL from the template, as the beginning of a sentence about the URL; nil: it fits.
    func mismatch(with url: URL) -> Mismatch? {
        var parameters: [String: String] = [:]
        return mismatch(with: url, &parameters)
    }

    struct Mismatch: Equatable {
        /// The measure of how much was found to fit before, from 0.
        var depth: Int
        var reason: String
    }

    private func mismatch(with url: URL, _ parameters: inout [String: String]) -> Mismatch? {
        switch shape {
        case .everything:
            return nil
        case .unreadable:
            return Mismatch(
                depth: 0, reason: "the template is neither a path that begins with “/” nor an absolute URL")
        case .parts(let origin, let segments, let query):
            guard let found = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
                return Mismatch(depth: 0, reason: "the URL cannot be taken apart")
            }
            let path = Self.segments(found.percentEncodedPath)
            let shared = zip(segments, path).prefix { Self.fits($0, $1) }.count
            if let origin {
                let port = found.port.map { ":\($0)" } ?? ""
                let host = found.percentEncodedHost ?? ""
                let isBareAddress = host.contains(":") && !host.hasPrefix("[")
                let written = Self.origin(
                    scheme: found.scheme ?? "", authority: (isBareAddress ? "[\(host)]" : host) + port)
                let own = Self.canonical(written)
                // A pattern with "*" may be meant for the host as it is written.
                guard Self.fits(origin, own) || Self.fits(origin, written) else {
                    // Of rules for other hosts the one for such a path is nearer.
                    return Mismatch(depth: min(shared, 9), reason: "it goes to \(own), not to \(origin)")
                }
            }
            guard Self.fits(segments[...], path[...], &parameters) else {
                return Mismatch(
                    depth: 10 + min(shared, 80), reason: "its path is /\(path.joined(separator: "/"))")
            }
            let items = Self.items(found.percentEncodedQuery ?? "")
            for (name, value) in query {
                let candidates = items.filter { $0.name == name }
                guard !candidates.isEmpty else {
                    return Mismatch(depth: 100, reason: "its query has no item “\(name)”")
                }
                let parameter = Self.parameter(value)
                guard let item = candidates.first(where: { parameter != nil || Self.fits(value, $0.value) }) else {
                    return Mismatch(
                        depth: 101, reason: "the item “\(name)” of its query is “\(candidates[0].value)”")
                }
                if let parameter { parameters[parameter] = item.value }
            }
            return nil
        }
    }

    // MARK: Parts

    /// In lower case, without user name, password and the scheme's own port.
    private static func origin(scheme: String, authority: String) -> String {
        let scheme = scheme.lowercased()
        var host = authority.lowercased()
        if let at = host.lastIndex(of: "@") { host = String(host[host.index(after: at)...]) }
        let own = scheme == "https" ? ":443" : scheme == "http" ? ":80" : ""
        if !own.isEmpty, host.hasSuffix(own) { host = String(host.dropLast(own.count)) }
        return scheme + "://" + host
    }

    /// An origin with its host in one form, whatever the form was.
    private static func canonical(_ origin: String) -> String {
        guard let start = origin.range(of: "://")?.upperBound else { return origin }
        var host = origin[start...]
        var port = origin[origin.endIndex...]
        if host.hasPrefix("[") {
            let end = host.lastIndex(of: "]").map { host.index(after: $0) } ?? host.endIndex
            port = host[end...]
            host = host[..<end]
        } else if let colon = host.firstIndex(of: ":"), colon == host.lastIndex(of: ":") {
            port = host[colon...]
            host = host[..<colon]
        }
        return "\(origin[..<start])\(canonicalHost(String(host)))\(port)"
    }

    /// A name in ASCII, without a final dot, and an IPv6 address in brackets. Of a pattern the labels without wildcards
    /// are in that form.
    private static func canonicalHost(_ host: String) -> String {
        guard isPattern(host[...]) else {
            // Foundation percent-encodes a name that the URL has in ASCII.
            let name = HTTPStubs.shownName(host.contains(":") ? host : host.removingPercentEncoding ?? host)
            guard name.contains(":") else { return name }
            let address = TransportEngine.host(of: "http://[\(name)]/") ?? name
            return "[\(address)]"
        }
        let labels = (host.hasSuffix(".") ? host.dropLast() : host[...])
            .split(separator: ".", omittingEmptySubsequences: false)
        return labels.map { isPattern($0) ? String($0) : HTTPStubs.shownName(String($0)) }.joined(separator: ".")
    }

    private static func isPattern(_ host: Substring) -> Bool { host.contains("*") || host.contains("{") }

    private static func segments(_ path: String) -> [String] {
        path.split(separator: "/", omittingEmptySubsequences: false).dropFirst(path.hasPrefix("/") ? 1 : 0)
            .map(decoded)
            // "https://host" is "https://host/".
            .reduce(into: []) { $0.append($1) }
            .droppingOnlyEmpty
    }

    private static func items(_ query: String) -> [(name: String, value: String)] {
        query.split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            func text(_ part: Substring) -> String { decoded(part.replacingOccurrences(of: "+", with: " ")[...]) }
            return (text(parts[0]), parts.count > 1 ? text(parts[1]) : "")
        }
    }

    /// Without escapes; where they are not UTF-8, with those of what needs them.
    private static func decoded(_ text: Substring) -> String {
        String(validating: URLEscaping.decoded(text.utf8), as: UTF8.self)
            ?? String(decoding: URLEscaping.normalizedPath(String(text)), as: UTF8.self)
    }

    private static func parameter(_ pattern: String) -> String? {
        guard pattern.count > 2, pattern.hasPrefix("{"), pattern.hasSuffix("}") else { return nil }
        return String(pattern.dropFirst().dropLast())
    }

    private static func fits(
        _ pattern: ArraySlice<String>, _ path: ArraySlice<String>, _ parameters: inout [String: String]
    ) -> Bool {
        guard let first = pattern.first else { return path.isEmpty }
        if first == "**" {
            for start in path.startIndex...path.endIndex {
                if fits(pattern.dropFirst(), path[start...], &parameters) { return true }
            }
            return false
        }
        guard let segment = path.first, fits(first, segment) else { return false }
        guard fits(pattern.dropFirst(), path.dropFirst(), &parameters) else { return false }
        if let name = parameter(first) { parameters[name] = segment }
        return true
    }

    /// Returns true if a segment, host or value fits its pattern.
    private static func fits(_ pattern: String, _ text: String) -> Bool {
        if parameter(pattern) != nil { return !text.isEmpty }
        guard pattern.contains("*") else { return pattern.hasOctets(of: text) }
        let pieces = pattern.split(separator: "*", omittingEmptySubsequences: false)
        guard let first = pieces.first, let last = pieces.last, text.hasPrefix(first) else { return false }
        var rest = text[...].dropFirst(first.count)
        for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
            guard let found = rest.range(of: piece) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.count >= last.count && rest.hasSuffix(last)
    }
}

extension [String] {
    /// A path of one empty segment is one of none.
    fileprivate var droppingOnlyEmpty: [String] { self == [""] ? [] : self }
}
