// SPDX-License-Identifier: MIT

/// The numbers in a TIFF file's first directory by which the decoder takes memory.
struct TIFFDirectory {
    enum Tag: Int {
        case imageWidth = 256
        case imageLength = 257
        case samplesPerPixel = 277
        case rowsPerStrip = 278
        case planarConfiguration = 284
        case tileWidth = 322
        case tileLength = 323
    }

    private var numbers: [Tag: Int] = [:]

    init(_ bytes: ImageBytes) throws(ImageError) {
        let bigEndian = bytes.has("MM", at: 0)
        guard let offset = bytes.uint32(4, bigEndian: bigEndian),
            let count = bytes.uint16(offset, bigEndian: bigEndian),
            bytes.has(count: count * 12, at: offset + 2)
        else { throw .truncated(.tiff) }
        for entry in stride(from: offset + 2, to: offset + 2 + count * 12, by: 12) {
            // Of a tag that comes twice libtiff takes the first.
            guard let number = bytes.uint16(entry, bigEndian: bigEndian), let tag = Tag(rawValue: number),
                numbers[tag] == nil
            else { continue }
            numbers[tag] = try Self.value(bytes, at: entry, bigEndian: bigEndian)
        }
    }

    subscript(tag: Tag) -> Int? { numbers[tag] }

    /// The number in an entry. The kinds of 8, 16 and 32 bits are those that libtiff takes for these tags, and that have
    /// their value in the entry; one that is negative for it is a large one here.
    private static func value(_ bytes: ImageBytes, at entry: Int, bigEndian: Bool) throws(ImageError) -> Int {
        let value: Int? =
            switch bytes.uint16(entry + 2, bigEndian: bigEndian) {
            case 1, 6: bytes.byte(entry + 8)
            case 3, 8: bytes.uint16(entry + 8, bigEndian: bigEndian)
            case 4, 9: bytes.uint32(entry + 8, bigEndian: bigEndian)
            default: nil
            }
        guard let value else { throw .damaged(.tiff, "a size in its directory is of a kind that sizes do not have") }
        return value
    }

    // MARK: Tiles and strips

    /// The side that a tile may have, however small the image.
    private static let ordinarySide = 2048
    /// Samples for each pixel of the image that a tile or strip may have: it is unpacked as a whole.
    private static let maximumSegmentSamples = 8
    /// Samples for each pixel of the image in all tiles together, which on the edges reach beyond it.
    private static let maximumSamples = 32

    /// Refuses tiles and strips that would take far more memory or time than the image.
    ///
    /// - Parameters:
    ///   - width: columns of pixels, an Int32 at most.
    ///   - height: rows of pixels, an Int32 at most.
    func checkSegments(width: Int, height: Int) throws(ImageError) {
        guard self[.tileWidth] != nil || self[.tileLength] != nil else {
            let rows = min(self[.rowsPerStrip] ?? height, height)
            guard isFair(segment: (width, rows), all: (width, height), image: (width, height)) else {
                throw unfair("strips of \(width) × \(rows)", width: width, height: height)
            }
            return
        }
        guard let tileWidth = self[.tileWidth], let tileLength = self[.tileLength], tileWidth > 0, tileLength > 0
        else { throw .damaged(.tiff, "it does not say how large its tiles are") }
        guard tileWidth <= Self.rounded(width, to: Self.ordinarySide),
            tileLength <= Self.rounded(height, to: Self.ordinarySide),
            isFair(
                segment: (tileWidth, tileLength),
                all: (Self.rounded(width, to: tileWidth), Self.rounded(height, to: tileLength)),
                image: (width, height))
        else { throw unfair("tiles of \(tileWidth) × \(tileLength)", width: width, height: height) }
    }

    private func isFair(
        segment: (width: Int, height: Int), all: (width: Int, height: Int), image: (width: Int, height: Int)
    ) -> Bool {
        guard let segmentSamples = Self.product(segment.width, segment.height, samples),
            let allSamples = Self.product(all.width, all.height, samples)
        else { return false }
        // There is no overflow: the sides of the image have 31 bits.
        let pixelCount = max(image.width * image.height, Self.ordinarySide * Self.ordinarySide)
        return segmentSamples / Self.maximumSegmentSamples <= pixelCount
            && allSamples / Self.maximumSamples <= pixelCount
    }

    private var samplesPerPixel: Int { self[.samplesPerPixel] ?? 1 }

    /// The samples of a pixel that are unpacked: of separate planes only those of colours and alpha are.
    private var samples: Int { self[.planarConfiguration] == 2 && samplesPerPixel > 1 ? 4 : samplesPerPixel }

    private func unfair(_ segments: String, width: Int, height: Int) -> ImageError {
        ImageError(
            code: .tooManyPixels,
            reason: "The TIFF file has \(segments) pixels with \(samplesPerPixel) samples each, for an image of "
                + "\(width) × \(height) pixels. It is not decoded, as that would take far more memory or time than the "
                + "image: save it with smaller tiles or strips.")
    }

    /// The next multiple of `unit`, of one at least.
    private static func rounded(_ side: Int, to unit: Int) -> Int { (max(side, 1) + unit - 1) / unit * unit }

    /// Nil: it is too large for an Int.
    private static func product(_ factors: Int...) -> Int? {
        var product = 1
        for factor in factors {
            let (next, isTooLarge) = product.multipliedReportingOverflow(by: factor)
            guard !isTooLarge else { return nil }
            product = next
        }
        return product
    }
}
