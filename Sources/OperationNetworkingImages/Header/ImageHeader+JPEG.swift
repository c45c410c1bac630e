// SPDX-License-Identifier: MIT
extension ImageHeader {
    /// libjpeg-turbo's advice: more scans take time, and show nothing.
    private static let maximumScanCount = 500
    /// Scans that a file of any size may have. Progressive ones have ten or so.
    private static let ordinaryScanCount = 20
    /// Pixels in all scans together, if there are more: the decoder shows the whole image anew for each.
    private static let maximumScannedPixelCount = 2_000_000_000

    /// Marker segments up to EOI (ITU-T T.81, B.1).
    static func jpeg(_ bytes: ImageBytes) throws(ImageError) -> ImageHeader {
        var header: ImageHeader?
        var scanCount = 0
        var offset = 2
        while let (marker, next) = marker(bytes, from: offset, inScan: scanCount > 0) {
            offset = next
            switch marker {
            case 0xD9:
                guard let header, scanCount > 0 else { throw .damaged(.jpeg, "it has no image") }
                // There is no overflow: sides have 16 bits.
                guard
                    scanCount <= ordinaryScanCount || scanCount * header.pixelCount <= maximumScannedPixelCount
                else { throw tooManyScans(scanCount, header) }
                return header
            case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
                guard header == nil else { throw .damaged(.jpeg, "it has two frames") }
                guard let height = bytes.uint16(offset + 3, bigEndian: true),
                    let width = bytes.uint16(offset + 5, bigEndian: true)
                else { throw .truncated(.jpeg) }
                header = ImageHeader(fileType: .jpeg, width: width, height: height)
            case 0xDA:
                scanCount += 1
                guard scanCount <= maximumScanCount else {
                    throw .damaged(.jpeg, "it has more than \(maximumScanCount) scans")
                }
            case 0x01, 0xD0...0xD8:
                continue
            default:
                break
            }
            guard let length = bytes.uint16(offset, bigEndian: true) else { throw .truncated(.jpeg) }
            guard length >= 2 else { throw .damaged(.jpeg, "a segment has no length") }
            offset += length
        }
        throw .truncated(.jpeg)
    }

    private static func tooManyScans(_ count: Int, _ header: ImageHeader) -> ImageError {
        ImageError(
            code: .tooManyPixels,
            reason: "The JPEG file has \(count) scans of \(header.width) × \(header.height) pixels, which would take "
                + "very long to decode: save it with fewer scans.")
    }

    /// The next marker, and where what follows it begins. Coded data between scans, and fill bytes, are passed over.
    private static func marker(_ bytes: ImageBytes, from start: Int, inScan: Bool) -> (marker: Int, next: Int)? {
        var offset = start
        while let found = bytes.firstIndex(of: 0xFF, from: offset), let code = bytes.byte(found + 1) {
            switch code {
            case 0xFF: offset = found + 1
            case 0x00: offset = found + 2
            case 0xD0...0xD7 where inScan: offset = found + 2
            default: return (code, found + 2)
            }
        }
        return nil
    }
}
