// SPDX-License-Identifier: MIT
internal import CCurl

/// Owns a `curl_slist` of request header lines.
final class HeaderList {
    // curl_slist *
    private(set) var pointer: UnsafeMutablePointer<curl_slist>?

    init() {}

    deinit { curl_slist_free_all(pointer) }

    /// Appends a line. False: out of memory.
    func append(_ line: String) -> Bool {
        guard let longer = curl_slist_append(pointer, line) else { return false }
        pointer = longer
        return true
    }

    /// The same for a line that is not UTF-8, without zeros in it.
    func append(octets line: [UInt8]) -> Bool {
        let longer = (line + [0]).withUnsafeBytes { bytes in
            curl_slist_append(pointer, bytes.bindMemory(to: CChar.self).baseAddress)
        }
        guard let longer else { return false }
        pointer = longer
        return true
    }
}
