// SPDX-License-Identifier: MIT
internal import Foundation

/// The facts about an image file that are known without decoding it: its size, and that it is whole.
///
/// gdk-pixbuf takes what there is of a truncated file for an image, and looks at sizes late. So nothing reaches it that
/// was not looked through here: each format's own way of saying how long it is.
struct ImageHeader: Sendable {
    let fileType: ImageFileType
    /// As the file says, one at least.
    let width: Int
    let height: Int
    /// The bytes and file type that the decoder gets in place of the whole file.
    var content: (Data, ImageFileType)?

    /// No side has more than 32 bits, so that there is no overflow.
    var pixelCount: Int { width * height }

    static func read(_ data: Data) throws(ImageError) -> ImageHeader {
        // What the decoder counts is an Int32.
        guard data.count <= Int(Int32.max) else {
            throw ImageError(code: .tooManyPixels, reason: "A file of \(data.count) bytes is too large for an image.")
        }
        let result = data.withUnsafeBytes { bytes -> Result<ImageHeader, ImageError> in
            do throws(ImageError) {
                return .success(try read(ImageBytes(bytes)))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    private static func read(_ bytes: ImageBytes) throws(ImageError) -> ImageHeader {
        guard let fileType = ImageFileType.recognize(bytes) else { throw unknownFormat(bytes) }
        let header =
            switch fileType {
            case .png: try png(bytes)
            case .jpeg: try jpeg(bytes)
            case .gif: try gif(bytes)
            case .tiff: try tiff(bytes)
            case .bmp: try bmp(bytes)
            case .ico: try ico(bytes)
            case .webp: try webp(bytes)
            }
        guard header.width > 0, header.height > 0 else { throw .damaged(fileType, "it has no pixels") }
        return header
    }

    private static func unknownFormat(_ bytes: ImageBytes) -> ImageError {
        if bytes.count < 16 {
            return ImageError(
                code: .unknownFormat, reason: "\(bytes.count) bytes are too few for an image of a known format.")
        }
        if bytes.has("#define", at: 0) {
            // The decoder's reader writes the file to the disk to parse it there.
            return ImageError(code: .unsupportedFormat, reason: "X bitmaps are not decoded.")
        }
        let known = ImageFileType.allCases.map(\.name).joined(separator: ", ")
        return ImageError(code: .unknownFormat, reason: "The data are not an image in one of these formats: \(known).")
    }
}
