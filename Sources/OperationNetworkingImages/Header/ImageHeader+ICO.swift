// SPDX-License-Identifier: MIT
internal import Foundation

extension ImageHeader {
    /// The largest image of an icon. The decoder gets a file with that one alone: a PNG as a PNG, which it would not take
    /// in an icon, and a bitmap behind a directory that is true.
    static func ico(_ bytes: ImageBytes) throws(ImageError) -> ImageHeader {
        guard let count = bytes.uint16(4, bigEndian: false), bytes.has(count: count * 16, at: 6) else {
            throw .truncated(.ico)
        }
        let entries = (0..<count).compactMap { entry(bytes, at: 6 + $0 * 16) }
        guard let best = entries.max(by: { ($0.pixelCount, $0.bits) < ($1.pixelCount, $1.bits) }) else {
            throw .damaged(.ico, "it has no image")
        }
        guard best.size > 0, bytes.has(count: best.size, at: best.offset) else { throw .truncated(.ico) }
        let content = bytes.slice(best.offset, count: best.size)
        return try content.withUnsafeBytes { buffer in
            Result { () throws(ImageError) -> ImageHeader in try ico(content, ImageBytes(buffer)) }
        }.get()
    }

    private static func ico(_ content: [UInt8], _ bytes: ImageBytes) throws(ImageError) -> ImageHeader {
        if ImageFileType.recognize(bytes) == .png {
            let inner = try png(bytes)
            return ImageHeader(
                fileType: .ico, width: inner.width, height: inner.height,
                content: inner.content ?? (Data(content), .png))
        }
        let bitmap = try BitmapInfo(bytes, at: 0, in: .ico)
        guard bitmap.headerSize == 40, !bitmap.isCompressed, bitmap.height % 2 == 0 else {
            throw .damaged(.ico, "its bitmap is of an unknown kind")
        }
        let (width, height) = (bitmap.width, bitmap.height / 2)
        let usualColorCount = bitmap.colorCount > 0 ? bitmap.colorCount : 1 << bitmap.bitsPerPixel
        let colorCount = bitmap.bitsPerPixel > 8 ? 0 : usualColorCount
        let rowSize =
            BitmapInfo.rowSize(width: width, bitsPerPixel: bitmap.bitsPerPixel)
            + (bitmap.bitsPerPixel == 32 ? 0 : BitmapInfo.rowSize(width: width, bitsPerPixel: 1))
        guard bytes.has(count: 40 + colorCount * 4 + rowSize * height, at: 0) else { throw .truncated(.ico) }
        var file: [UInt8] = [0, 0, 1, 0, 1, 0]
        // Sides of 256 and more are 0 there.
        file += [UInt8(width < 256 ? width : 0), UInt8(height < 256 ? height : 0), 0, 0, 1, 0]
        file += [UInt8(bitmap.bitsPerPixel), 0]
        for number in [UInt32(content.count), 22] { Swift.withUnsafeBytes(of: number.littleEndian) { file += $0 } }
        return ImageHeader(fileType: .ico, width: width, height: height, content: (Data(file + content), .ico))
    }

    private struct Entry {
        let pixelCount: Int
        let bits: Int
        let size: Int
        let offset: Int
    }

    private static func entry(_ bytes: ImageBytes, at start: Int) -> Entry? {
        guard let width = bytes.byte(start), let height = bytes.byte(start + 1),
            let bits = bytes.uint16(start + 6, bigEndian: false), let size = bytes.uint32(start + 8, bigEndian: false),
            let offset = bytes.uint32(start + 12, bigEndian: false)
        else { return nil }
        return Entry(
            pixelCount: (width > 0 ? width : 256) * (height > 0 ? height : 256), bits: bits, size: size, offset: offset)
    }
}
