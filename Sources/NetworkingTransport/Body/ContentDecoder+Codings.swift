// SPDX-License-Identifier: MIT
extension ContentDecoder {
    /// A content coding (RFC 9110, section 8.4.1).
    package enum Coding: Sendable, Equatable {
        case gzip
        /// In the format of zlib, or, as some servers send it, without.
        case deflate
        /// RFC 7932, by the name "br".
        case brotli
        /// RFC 8878.
        case zstd
        /// One that is not decoded, for the error that says so.
        case other(String)
    }

    /// The names of the codings that are decoded: those whose libraries can be loaded, as libcurl brings them, in
    /// its order.
    package static let available: [String] =
        (Inflater.isAvailable ? ["deflate", "gzip"] : []) + (BrotliDecoder.isAvailable ? ["br"] : [])
        + (ZstdDecoder.isAvailable ? ["zstd"] : [])

    /// The value of `Accept-Encoding` that offers what is decoded.
    package static let acceptEncoding = available.isEmpty ? "identity" : available.joined(separator: ", ")

    /// The largest number of codings of one response. libcurl takes five; but three on top of each other make gigabytes
    /// of a few bytes. Two are enough: a coding of the content, and one of a server between.
    private static let maximumCount = 2
    /// Bytes of a name that are shown in errors, and of a field line that are read.
    private static let (maximumNameLength, maximumFieldLength) = (32, 1024)

    /// The codings of a response's content in the order in which they were applied; none for "identity".
    package static func codings(of head: ResponseHead) -> [Coding] {
        var result: [Coding] = []
        head.forEachValue(of: .contentEncoding) { value in
            guard value.count <= maximumFieldLength else { return result.append(.other("unknown")) }
            for part in value.split(separator: UInt8(ascii: ",")) {
                if let coding = coding(part.trimmingBlanks) { result.append(coding) }
            }
        }
        return result.count <= maximumCount ? result : [.other("more than \(maximumCount) codings")]
    }

    /// A transfer coding of a response other than "chunked"; nil: the response has none.
    ///
    /// libcurl undoes those that are content codings as well, unasked, and takes content for whole wherever it ends,
    /// also where nothing could be decoded. A length in the same head is not one of the content (RFC 9112, section
    /// 6.3).
    static func transferCoding(of head: ResponseHead) -> String? {
        var result: String?
        head.forEachValue(of: .transferEncoding) { value in
            for part in value.split(separator: UInt8(ascii: ",")) where result == nil {
                let part = part.trimmingBlanks
                guard coding(part) != nil, !part.equalsIgnoringCase("chunked") else { continue }
                result = name(part)
            }
        }
        return result
    }

    /// Nil: as it is.
    private static func coding(_ name: Slice<UnsafeRawBufferPointer>) -> Coding? {
        let text = Self.name(name)
        switch text {
        case "", "identity", "none": return nil
        case "gzip", "x-gzip": return .gzip
        case "deflate": return .deflate
        case "br": return .brotli
        case "zstd": return .zstd
        default: return .other(text)
        }
    }

    /// In lower case, and fit for an error.
    private static func name(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        let name = bytes.map(\.lowercasedASCII)
        let isToken = name.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        return isToken && name.count <= maximumNameLength ? String(decoding: name, as: UTF8.self) : "unknown"
    }
}
