// SPDX-License-Identifier: MIT
public import Foundation
internal import NetworkingSupport
internal import NetworkingTransport

/// The hosts that are asked over TLS only, because they said so by HTTP Strict Transport Security (RFC 6797).
///
/// Off unless a manager or an operation has one as its `strictTransportSecurity`; several may share it. A host enters
/// by the field `Strict-Transport-Security` of a response that came over TLS from a server that the policy trusted,
/// without invalid certificates allowed or an answer to a challenge. From then on requests for `http` URLs of it, also
/// after a redirect, go to `https` in their place, port 80 to 443, and any other port stays. Kept in memory: store
/// `hosts`, which is `Codable`, to keep it between runs. From any thread.
public final class StrictTransportSecurity: Sendable {
    /// A host that is asked over TLS only.
    public struct Host: Sendable, Hashable, Codable {
        /// In ASCII and lower case, without a trailing dot.
        public let name: String
        /// True if all names below it are asked over TLS only, too.
        public let includesSubdomains: Bool
        /// The time until which the host is known.
        public let expires: Date

        /// A host that is to be known until `expires`.
        public init(name: String, includesSubdomains: Bool = false, expires: Date) {
            self.name = name
            self.includesSubdomains = includesSubdomains
            self.expires = expires
        }
    }

    /// The number of hosts that are kept. Beyond it, the registrable domain with the most hosts loses one, so that no
    /// domain pushes out another's: the host that was heard of, or asked, longest ago.
    static let limit = 10_000

    /// By name.
    private let known = Locked(FairTable<String, Host>(capacity: limit))

    /// Knows the given hosts, such as those of an earlier run. Those that cannot be names of hosts are left out.
    public init(hosts: [Host] = []) { self.hosts = hosts }

    /// The hosts known, by name. Setting it forgets the others.
    public var hosts: [Host] {
        get { known.withLock { $0.values }.sorted { $0.name < $1.name } }
        set {
            var table = FairTable<String, Host>(capacity: Self.limit)
            for host in newValue {
                guard let name = Self.name(host.name) else { continue }
                let known = Host(name: name, includesSubdomains: host.includesSubdomains, expires: host.expires)
                table.insert(known, forKey: name, of: Self.domain(of: name))
            }
            known.withLock { $0 = table }
        }
    }

    /// The URL to ask in place of an `http` one; nil: none.
    func secureURL(for url: URL, now: Date = Date()) -> URL? {
        guard url.scheme?.utf8.equalsIgnoringCase("http") == true, let name = url.host.flatMap(Self.name),
            isKnown(name, now: now), var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return nil }
        components.scheme = "https"
        if components.port == 80 { components.port = nil }
        return components.url
    }

    /// Takes note of what a host says of itself over TLS. Only the first field of a response counts (section 8.1).
    func note(_ head: ResponseHead, from url: URL, now: Date = Date()) {
        guard url.scheme?.utf8.equalsIgnoringCase("https") == true, let name = url.host.flatMap(Self.name) else {
            return
        }
        var field: StrictTransportSecurityField?
        var isFirst = true
        head.forEachField { fieldName, value in
            guard isFirst, fieldName.utf8.equalsIgnoringCase("Strict-Transport-Security") else { return }
            isFirst = false
            field = StrictTransportSecurityField(value.utf8)
        }
        guard let field else { return }
        guard field.maximumAge > 0 else {
            known.withLock { _ = $0.remove(name) }
            return
        }
        let host = Host(
            name: name, includesSubdomains: field.includesSubdomains,
            expires: now.addingTimeInterval(TimeInterval(field.maximumAge)))
        let domain = Self.domain(of: name)
        known.withLock { $0.insert(host, forKey: name, of: domain) }
    }

    /// Returns the domain that a host belongs to: the name below a public suffix.
    private static func domain(of name: String) -> String {
        PublicSuffixList.shared.registrableDomain(of: name) ?? name
    }

    /// Section 8.2: the host itself, or one above it that speaks for those below.
    private func isKnown(_ name: String, now: Date) -> Bool {
        known.withLock { table in
            guard !table.isEmpty else { return false }
            if let host = table.use(name), host.expires > now { return true }
            var rest = Substring(name)
            while let dot = rest.utf8.firstIndex(of: UInt8(ascii: ".")) {
                rest = rest[rest.utf8.index(after: dot)...]
                if let host = table.use(String(rest)), host.includesSubdomains, host.expires > now { return true }
            }
            return false
        }
    }

    /// Nil for what is no name: an IP address, most of all, is never known (section 8.3).
    private static func name(_ host: String) -> String? {
        guard host.utf8.count <= 1024, case .domain(let name) = CertificateHostName(host),
            // "127.1" and "2130706433" are connected to as addresses.
            !CookieDomain.endsInNumber(Array(name.utf8))
        else { return nil }
        return name
    }
}

/// The contents of the field (section 6.1).
struct StrictTransportSecurityField: Equatable {
    /// Seconds; 0: the host is to be forgotten.
    let maximumAge: Int64
    let includesSubdomains: Bool

    /// Nil for a value that is not to be taken: without `max-age`, with a directive given twice, or against the syntax.
    init?(_ value: some BidirectionalCollection<UInt8>) {
        guard value.count <= 1024 else { return nil }
        var maximumAge: Int64?
        var includesSubdomains = false
        guard let directives = Self.directives(value) else { return nil }
        for directive in directives {
            let directive = directive.trimmingBlanks
            guard !directive.isEmpty else { continue }
            let end = directive.firstIndex(of: UInt8(ascii: "=")) ?? directive.endIndex
            let name = directive[..<end].trimmingBlanks
            guard !name.isEmpty, name.allSatisfy(\.isTokenCharacter) else { return nil }
            if name.equalsIgnoringCase("max-age") {
                guard maximumAge == nil, end < directive.endIndex else { return nil }
                var digits = directive[directive.index(after: end)...].trimmingBlanks
                if digits.count >= 2, digits.first == UInt8(ascii: "\""), digits.last == UInt8(ascii: "\"") {
                    digits = digits.dropFirst().dropLast()
                }
                guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
                // A century is for ever, and what no number holds more than that.
                maximumAge = min(digits.decimalNumber ?? .max, 3_155_760_000)
            } else if name.equalsIgnoringCase("includeSubDomains") {
                guard !includesSubdomains, end == directive.endIndex else { return nil }
                includesSubdomains = true
            }
        }
        guard let maximumAge else { return nil }
        self.maximumAge = maximumAge
        self.includesSubdomains = includesSubdomains
    }

    /// Returns the parts between semicolons, except those in quoted strings. Nil: such a string does not end.
    private static func directives<Value: BidirectionalCollection<UInt8>>(_ value: Value) -> [Value.SubSequence]? {
        var directives: [Value.SubSequence] = []
        var (start, isQuoted, isEscaped) = (value.startIndex, false, false)
        for index in value.indices {
            let byte = value[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted, byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if !isQuoted, byte == UInt8(ascii: ";") {
                directives.append(value[start..<index])
                start = value.index(after: index)
            }
        }
        guard !isQuoted else { return nil }
        return directives + [value[start...]]
    }
}
