// SPDX-License-Identifier: MIT
internal import COpenSSL

/// Something that OpenSSL would not do, with its reasons.
package struct OpenSSLFailure: Error, CustomStringConvertible {
    package let description: String

    /// Takes the reasons that OpenSSL has noted on this thread.
    package init(_ what: String) {
        var reasons: [String] = []
        while case let code = ERR_get_error(), code != 0 {
            var text = [CChar](repeating: 0, count: 256)
            ERR_error_string_n(code, &text, text.count)
            reasons.append(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
        }
        description = ([what] + reasons).joined(separator: ": ")
    }

    /// Throws unless a call has returned 1.
    package static func check(_ result: Int32, _ what: String) throws(OpenSSLFailure) {
        if result != 1 { throw OpenSSLFailure(what) }
    }

    /// Throws when a call has returned no object.
    package static func check<Object>(_ object: Object?, _ what: String) throws(OpenSSLFailure) -> Object {
        guard let object else { throw OpenSSLFailure(what) }
        return object
    }
}
