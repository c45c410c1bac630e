// SPDX-License-Identifier: MIT
extension ImageHeader {
    static func bmp(_ bytes: ImageBytes) throws(ImageError) -> ImageHeader {
        guard let pixels = bytes.uint32(10, bigEndian: false) else { throw .truncated(.bmp) }
        let bitmap = try BitmapInfo(bytes, at: 14, in: .bmp)
        guard let size = bitmap.pixelBytes else {
            // Run-length coded: only the file's own word.
            guard let size = bytes.uint32(2, bigEndian: false), bytes.has(count: size, at: 0), pixels < bytes.count
            else { throw .truncated(.bmp) }
            return ImageHeader(fileType: .bmp, width: bitmap.width, height: bitmap.height)
        }
        guard bytes.has(count: size, at: pixels) else { throw .truncated(.bmp) }
        return ImageHeader(fileType: .bmp, width: bitmap.width, height: bitmap.height)
    }
}

/// The header of a Windows bitmap (BITMAPINFOHEADER and its relatives).
struct BitmapInfo {
    let headerSize: Int
    let width: Int
    /// As it is in the header of an icon: that of image and mask together.
    let height: Int
    let bitsPerPixel: Int
    private let compression: Int
    let colorCount: Int

    /// With so many pixels on a side no calculation here overflows.
    private static let maximumSide = 1 << 24

    init(_ bytes: ImageBytes, at offset: Int, in fileType: ImageFileType) throws(ImageError) {
        guard let headerSize = bytes.uint32(offset, bigEndian: false),
            bytes.has(count: headerSize, at: offset)
        else { throw .truncated(fileType) }
        self.headerSize = headerSize
        let isCore = headerSize == 12
        guard isCore || (40...124).contains(headerSize) else {
            throw .damaged(fileType, "its header has an unknown length")
        }
        let width = isCore ? bytes.uint16(offset + 4, bigEndian: false) : bytes.int32(offset + 4, bigEndian: false)
        let height = isCore ? bytes.uint16(offset + 6, bigEndian: false) : bytes.int32(offset + 8, bigEndian: false)
        let bits = bytes.uint16(offset + (isCore ? 10 : 14), bigEndian: false)
        let compression = isCore ? 0 : bytes.uint32(offset + 16, bigEndian: false)
        let colorCount = isCore ? 0 : bytes.uint32(offset + 32, bigEndian: false)
        guard let width, let height, let bits, let compression, let colorCount else { throw .truncated(fileType) }
        // Rows from top to bottom have a negative height.
        guard width > 0, height != 0 else { throw .damaged(fileType, "it has no pixels") }
        guard width <= Self.maximumSide, abs(height) <= Self.maximumSide else {
            throw .damaged(fileType, "it has too large sides")
        }
        guard [1, 4, 8, 16, 24, 32].contains(bits), compression <= 6, colorCount <= 256 else {
            throw .damaged(fileType, "it has an unknown kind of pixels")
        }
        self.width = width
        self.height = abs(height)
        bitsPerPixel = bits
        self.compression = compression
        self.colorCount = colorCount
    }

    var isCompressed: Bool { compression != 0 && compression != 3 && compression != 6 }

    /// Bytes of the rows, each a multiple of four; nil: compressed.
    var pixelBytes: Int? {
        isCompressed ? nil : Self.rowSize(width: width, bitsPerPixel: bitsPerPixel) * height
    }

    static func rowSize(width: Int, bitsPerPixel: Int) -> Int { (width * bitsPerPixel + 31) / 32 * 4 }
}
