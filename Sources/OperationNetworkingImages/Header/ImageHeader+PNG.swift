// SPDX-License-Identifier: MIT
internal import Foundation

extension ImageHeader {
    /// Chunks up to IEND (PNG specification, 5). The decoder gets those alone that make pixels: texts and profiles are
    /// packed, and it would unpack each of them.
    static func png(_ bytes: ImageBytes) throws(ImageError) -> ImageHeader {
        guard bytes.has(count: 25, at: 8) else { throw .truncated(.png) }
        guard bytes.uint32(8, bigEndian: true) == 13, bytes.has("IHDR", at: 12),
            let width = bytes.uint32(16, bigEndian: true), let height = bytes.uint32(20, bigEndian: true)
        else { throw .damaged(.png, "it does not begin with an IHDR chunk") }
        guard width <= Int(Int32.max), height <= Int(Int32.max) else { throw .damaged(.png, "it has too large sides") }
        var offset = 8
        // Nil: everything so far.
        var kept: [UInt8]?
        while let length = bytes.uint32(offset, bigEndian: true) {
            guard bytes.has(count: length + 12, at: offset) else { throw .truncated(.png) }
            // The decoder would refuse it, and is not to see it.
            guard isName(bytes, at: offset + 4) else { throw .damaged(.png, "a chunk's name is none") }
            if makesPixels(bytes, at: offset) {
                kept?.append(contentsOf: bytes.slice(offset, count: length + 12))
            } else if kept == nil {
                kept = bytes.slice(0, count: offset)
            }
            if bytes.has("IEND", at: offset + 4) {
                return ImageHeader(
                    fileType: .png, width: width, height: height, content: kept.map { (Data($0), .png) })
            }
            offset += length + 12
        }
        throw .truncated(.png)
    }

    /// Returns true for four letters.
    private static func isName(_ bytes: ImageBytes, at offset: Int) -> Bool {
        (offset..<offset + 4).allSatisfy { bytes.byte($0).map { (0x61...0x7A).contains($0 | 0x20) } == true }
    }

    /// Returns true for critical chunks, which begin with a capital letter, and for transparency. The decoder looks at
    /// no other chunk for pixels, and refuses critical ones that it does not know.
    private static func makesPixels(_ bytes: ImageBytes, at chunk: Int) -> Bool {
        bytes.has("tRNS", at: chunk + 4) || bytes.byte(chunk + 4).map { $0 & 0x20 == 0 } == true
    }
}
