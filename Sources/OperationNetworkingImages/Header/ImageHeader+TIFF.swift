// SPDX-License-Identifier: MIT
extension ImageHeader {
    /// The first directory (TIFF 6.0, section 2). That its content is there the decoder does look at.
    static func tiff(_ bytes: ImageBytes) throws(ImageError) -> ImageHeader {
        let bigEndian = bytes.has("MM", at: 0)
        guard let offset = bytes.uint32(4, bigEndian: bigEndian),
            let count = bytes.uint16(offset, bigEndian: bigEndian),
            bytes.has(count: count * 12, at: offset + 2)
        else { throw .truncated(.tiff) }
        var sides: (width: Int?, height: Int?)
        for entry in stride(from: offset + 2, to: offset + 2 + count * 12, by: 12) {
            let isShort = bytes.uint16(entry + 2, bigEndian: bigEndian) == 3
            let value =
                isShort
                ? bytes.uint16(entry + 8, bigEndian: bigEndian) : bytes.uint32(entry + 8, bigEndian: bigEndian)
            switch bytes.uint16(entry, bigEndian: bigEndian) {
            case 256: sides.width = value
            case 257: sides.height = value
            default: break
            }
        }
        guard let width = sides.width, let height = sides.height, width <= Int(Int32.max), height <= Int(Int32.max)
        else { throw .damaged(.tiff, "it does not say how large the image is") }
        return ImageHeader(fileType: .tiff, width: width, height: height)
    }
}
