// SPDX-License-Identifier: MIT
internal import CCurl
internal import Glibc

/// Owns a `CURLU`: a URL as libcurl has taken it apart.
final class ParsedURL {
    // CURLU *
    let pointer: OpaquePointer

    /// Nil: libcurl does not take it for a URL, or is out of memory.
    init?(_ text: String) {
        guard let pointer = curl_url() else { return nil }
        // As a transfer with CURLOPT_PATH_AS_IS parses what CURLOPT_URL says.
        let flags = UInt32(CURLU_GUESS_SCHEME | CURLU_NON_SUPPORT_SCHEME | CURLU_PATH_AS_IS)
        guard curl_url_set(pointer, CURLUPART_URL, text, flags) == CURLUE_OK else {
            curl_url_cleanup(pointer)
            return nil
        }
        self.pointer = pointer
    }

    deinit { curl_url_cleanup(pointer) }
}

/// A URL that a handle is asked for time and again.
///
/// libcurl takes a URL apart for every transfer, which costs more than all other options together. The second time in a row
/// that a handle gets the same URL, it is taken apart here, and libcurl gets a copy from then on.
struct RepeatedURL {
    private var text = ""
    private var count = 0
    private var parsed: ParsedURL?

    /// Takes note of the next transfer's URL.
    ///
    /// - Returns: The URL taken apart; nil: libcurl has to do that. It has to outlive the transfer: it does not change
    ///   before the next call.
    mutating func next(_ url: String) -> ParsedURL? {
        guard Self.isSame(url, text) else {
            self = RepeatedURL()
            text = url
            return nil
        }
        count += 1
        if count == 1 { parsed = ParsedURL(url) }
        return parsed
    }

    /// Compares bytes: what is the same text to Unicode need not be the same to a server.
    private static func isSame(_ left: String, _ right: String) -> Bool {
        var (left, right) = (left, right)
        return left.withUTF8 { left in
            right.withUTF8 { right in
                guard left.count == right.count else { return false }
                guard let first = left.baseAddress, let second = right.baseAddress else { return true }
                return memcmp(first, second, left.count) == 0
            }
        }
    }
}

// Belongs to the network thread.
@available(*, unavailable)
extension ParsedURL: Sendable {}
