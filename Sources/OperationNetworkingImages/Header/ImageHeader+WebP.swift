// SPDX-License-Identifier: MIT
extension ImageHeader {
    /// The first chunk (RFC 9649, section 2).
    static func webp(_ bytes: ImageBytes) throws(ImageError) -> ImageHeader {
        guard let size = bytes.uint32(4, bigEndian: false), bytes.has(count: size, at: 8), bytes.has(count: 30, at: 0)
        else { throw .truncated(.webp) }
        if bytes.has("VP8X", at: 12) {
            guard bytes.byte(20).map({ $0 & 2 == 0 }) == true else {
                throw ImageError(code: .unsupportedFormat, reason: "WebP files with an animation are not decoded.")
            }
            return try header(
                bytes.uint24(24, bigEndian: false).map { $0 + 1 }, bytes.uint24(27, bigEndian: false).map { $0 + 1 })
        }
        if bytes.has("VP8L", at: 12), bytes.byte(20) == 0x2F, let bits = bytes.uint32(21, bigEndian: false) {
            return try header(bits & 0x3FFF + 1, bits >> 14 & 0x3FFF + 1)
        }
        if bytes.has("VP8 ", at: 12), bytes.has([0x9D, 0x01, 0x2A], at: 23) {
            return try header(
                bytes.uint16(26, bigEndian: false).map { $0 & 0x3FFF },
                bytes.uint16(28, bigEndian: false).map { $0 & 0x3FFF })
        }
        throw .damaged(.webp, "it does not begin with an image")
    }

    private static func header(_ width: Int?, _ height: Int?) throws(ImageError) -> ImageHeader {
        guard let width, let height else { throw .truncated(.webp) }
        return ImageHeader(fileType: .webp, width: width, height: height)
    }
}
