// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

/// The form of every error's text: one line, with the request in front of what went wrong.
package enum ErrorLine {
    /// Bytes of a text that are shown; what is longer came from outside.
    private static let maximumLength = 1024

    /// `GET https://example.com/a?token=***: reason; advice`, as far as the parts are known.
    ///
    /// - Parameters:
    ///   - method: of the request; left out when it is no token.
    ///   - url: of the request, or of the file that the failure is about.
    ///   - reason: what went wrong.
    ///   - advice: what to do, beginning with a small letter.
    package static func text(_ method: String?, _ url: URL?, _ reason: String, advice: String? = nil) -> String {
        let method = method.flatMap { $0.utf8.count <= 32 && $0.isToken ? $0 : nil }
        let place = [method, url?.masked].compactMap { $0 }.joined(separator: " ")
        return (place.isEmpty ? "" : place + ": ") + joined(reason, advice)
    }

    /// `Request failed: not found (404): GET https://example.com/a; advice`: AFNetworking's text in front.
    package static func text(_ reason: String, of method: String?, _ url: URL?, advice: String? = nil) -> String {
        let method = method.flatMap { $0.utf8.count <= 32 && $0.isToken ? $0 : nil }
        let place = [method, url?.masked].compactMap { $0 }.joined(separator: " ")
        return joined(place.isEmpty ? reason : "\(withoutPeriod(oneLine(reason))): \(place)", advice)
    }

    private static func joined(_ reason: String, _ advice: String?) -> String {
        let reason = oneLine(reason)
        guard let advice else { return reason }
        return "\(withoutPeriod(reason)); \(oneLine(advice))"
    }

    private static func withoutPeriod(_ text: String) -> String {
        text.utf8.last == UInt8(ascii: ".") ? String(decoding: text.utf8.dropLast(), as: UTF8.self) : text
    }

    /// A text without line breaks and other control characters, cut where it is very long.
    package static func oneLine(_ text: String) -> String {
        if text.utf8.count <= maximumLength, text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
        var line = ""
        for scalar in text.unicodeScalars {
            guard line.utf8.count < maximumLength else { return line + "…" }
            line.unicodeScalars.append(isControl(scalar) ? " " : scalar)
        }
        return line
    }

    /// Also what separates lines and paragraphs, and what turns the direction of writing.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case ..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
