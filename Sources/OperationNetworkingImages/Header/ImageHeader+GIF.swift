// SPDX-License-Identifier: MIT
internal import Foundation

extension ImageHeader {
    /// Blocks up to the trailer (GIF89a, appendix B), or to where no other block begins. The decoder gets the first
    /// image only.
    static func gif(_ bytes: ImageBytes) throws(ImageError) -> ImageHeader {
        guard let screenWidth = bytes.uint16(6, bigEndian: false), let screenHeight = bytes.uint16(8, bigEndian: false),
            let flags = bytes.byte(10), bytes.has(count: 13, at: 0)
        else { throw .truncated(.gif) }
        var offset = 13 + colorTableSize(flags)
        var header: ImageHeader?
        while let introducer = bytes.byte(offset) {
            switch introducer {
            case 0x3B:
                guard let header else { throw .damaged(.gif, "it has no image") }
                return header
            case 0x21:
                offset = try endOfBlocks(bytes, from: offset + 2)
            case 0x2C:
                guard let left = bytes.uint16(offset + 1, bigEndian: false),
                    let top = bytes.uint16(offset + 3, bigEndian: false),
                    let width = bytes.uint16(offset + 5, bigEndian: false),
                    let height = bytes.uint16(offset + 7, bigEndian: false), let flags = bytes.byte(offset + 9)
                else { throw .truncated(.gif) }
                // One more for the size of codes.
                offset = try endOfBlocks(bytes, from: offset + 11 + colorTableSize(flags))
                guard header == nil else { continue }
                guard left + width <= screenWidth, top + height <= screenHeight else {
                    throw .damaged(.gif, "its first image is larger than its screen")
                }
                header = ImageHeader(
                    fileType: .gif, width: screenWidth, height: screenHeight,
                    content: (Data(bytes.slice(0, count: offset) + [0x3B]), .gif))
            default:
                // Behind a whole image browsers take it for the end, as they do the end of the file.
                guard let header else { throw .damaged(.gif, "it has an unknown kind of block") }
                return header
            }
        }
        guard let header else { throw .truncated(.gif) }
        return header
    }

    private static func colorTableSize(_ flags: Int) -> Int { flags & 0x80 != 0 ? 3 << (flags & 7 + 1) : 0 }

    /// Returns the offset that follows a row of sub-blocks.
    private static func endOfBlocks(_ bytes: ImageBytes, from start: Int) throws(ImageError) -> Int {
        var offset = start
        while let length = bytes.byte(offset) {
            offset += length + 1
            if length == 0 { return offset }
        }
        throw .truncated(.gif)
    }
}
