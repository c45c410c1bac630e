// SPDX-License-Identifier: MIT

/// The parts of a URL that go to the engine, found in one pass over its bytes.
package struct RequestTarget: Sendable, Hashable {
    /// The reason why a URL names no target.
    package enum Failure: Error, Equatable {
        case noScheme
        /// The scheme, in lower case.
        case unsupportedScheme(String)
        case noHost
    }

    /// The URL without fragment, user name and password.
    package let url: String
    /// Scheme, host and port, by which requests are counted. In lower case and without the scheme's own port, so that
    /// `http://host` and `HTTP://Host:80` have the same.
    package let origin: String

    /// - Parameter url: An absolute URL, percent-encoded.
    package init(_ url: String) throws(Failure) {
        var text = url
        var failure: Failure?
        let target = text.withUTF8 { bytes -> (url: String?, origin: String) in
            do throws(Failure) {
                return try Self.parse(bytes)
            } catch {
                failure = error
                return (nil, "")
            }
        }
        if let failure { throw failure }
        self.url = target.url ?? url
        origin = target.origin
    }

    /// `url` is nil where the text is good as it is.
    private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) throws(Failure) -> (url: String?, origin: String) {
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { throw .noScheme }
        let scheme = lowercased(bytes[..<colon])
        let ownPort: StaticString
        switch scheme {
        case "http": ownPort = "80"
        case "https": ownPort = "443"
        default: throw .unsupportedScheme(scheme)
        }
        guard bytes.count > colon + 2, bytes[colon + 1] == UInt8(ascii: "/"), bytes[colon + 2] == UInt8(ascii: "/")
        else { throw .noHost }
        let start = colon + 3
        let end = bytes[start...].firstIndex(where: isEndOfAuthority) ?? bytes.count
        let host = (bytes[start..<end].lastIndex(of: UInt8(ascii: "@")) ?? start - 1) + 1
        guard host < end, bytes[host] != UInt8(ascii: ":") else { throw .noHost }
        let textEnd = bytes[end...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
        var url: String?
        if host > start || textEnd < bytes.count {
            url = String(decoding: bytes[..<start], as: UTF8.self)
            url?.append(String(decoding: bytes[host..<textEnd], as: UTF8.self))
        }
        let authority = bytes[host..<originEnd(bytes[host..<end], ownPort: ownPort)]
        return (url, scheme + "://" + lowercased(authority))
    }

    private static func isEndOfAuthority(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
    }

    /// The end of the host, or of the port if it is not the scheme's own. "host:" is "host".
    private static func originEnd(_ authority: Slice<UnsafeBufferPointer<UInt8>>, ownPort: StaticString) -> Int {
        guard let colon = authority.lastIndex(where: { $0 < 0x30 || $0 > 0x39 }), authority[colon] == UInt8(ascii: ":")
        else { return authority.endIndex }
        let digits = authority[(colon + 1)...].drop { $0 == UInt8(ascii: "0") }
        let own = UnsafeBufferPointer(start: ownPort.utf8Start, count: ownPort.utf8CodeUnitCount)
        let isOwn = digits.elementsEqual(own)
        return isOwn || colon + 1 == authority.endIndex ? colon : authority.endIndex
    }

    /// Changes ASCII letters only: what else is in a host is compared as it is.
    private static func lowercased(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        String(unsafeUninitializedCapacity: bytes.count) { buffer in
            for (index, byte) in bytes.enumerated() {
                buffer[index] = byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
            }
            return bytes.count
        }
    }
}
