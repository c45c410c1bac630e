// SPDX-License-Identifier: MIT
extension ImageHeader {
    /// Chunks up to IEND (PNG specification, 5).
    static func png(_ bytes: ImageBytes) throws(ImageError) -> ImageHeader {
        guard bytes.has(count: 25, at: 8) else { throw .truncated(.png) }
        guard bytes.uint32(8, bigEndian: true) == 13, bytes.has("IHDR", at: 12),
            let width = bytes.uint32(16, bigEndian: true), let height = bytes.uint32(20, bigEndian: true)
        else { throw .damaged(.png, "it does not begin with an IHDR chunk") }
        guard width <= Int(Int32.max), height <= Int(Int32.max) else { throw .damaged(.png, "it has too large sides") }
        var offset = 8
        while let length = bytes.uint32(offset, bigEndian: true) {
            guard bytes.has(count: length + 12, at: offset) else { throw .truncated(.png) }
            if bytes.has("IEND", at: offset + 4) {
                return ImageHeader(fileType: .png, width: width, height: height)
            }
            offset += length + 12
        }
        throw .truncated(.png)
    }
}
