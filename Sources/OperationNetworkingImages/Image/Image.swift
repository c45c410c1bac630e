// SPDX-License-Identifier: MIT
public import Foundation

/// A decoded image in memory, with pixels of red, green, blue and alpha, 8 bits each.
///
/// Alpha is straight, not premultiplied. The first row is the top one; the orientation that a camera notes in the file
/// is applied. Colour profiles are not: values are taken for sRGB.
public struct Image: Sendable {
    /// Columns of pixels.
    public let width: Int
    /// Rows of pixels.
    public let height: Int
    /// Pixels for each point of the user's coordinates, 1 by default. Says nothing about `width` and `height`.
    /// AF: `UIImage.scale`.
    public let scale: Double
    /// Bytes from the beginning of one row to that of the next, which are `width * 4`.
    public let bytesPerRow: Int
    /// The rows, `height * bytesPerRow` bytes.
    public let pixels: Data
    /// The type of the file. `nil` for an image that was made from pixels.
    public let fileType: ImageFileType?

    /// Decodes the content of a file.
    ///
    /// The header is read first, so that a file that announces too many pixels costs nothing.
    ///
    /// - Parameters:
    ///   - data: a whole file in one of the formats of ``ImageFileType``.
    ///   - scale: pixels for each point; 1 by default. What is not above zero counts as 1.
    ///   - maximumPixelCount: how many pixels, width times height, the file may have; 100 million by default, which are
    ///     400 MB in memory.
    ///   - thumbnailSize: pixels that the longer side is to have at most: a larger image is made smaller while it is
    ///     decoded, which for JPEG and WebP takes less memory and time, too. Nil by default: as large as it is.
    /// - Throws: ``ImageError``: also for a file that ends too early.
    public init(
        data: Data, scale: Double = 1, maximumPixelCount: Int = Image.defaultMaximumPixelCount,
        thumbnailSize: Int? = nil
    ) throws(ImageError) {
        self = try EncodedImage(data: data, scale: scale, maximumPixelCount: maximumPixelCount)
            .decoded(thumbnailSize: thumbnailSize)
    }

    /// An image of the given pixels.
    ///
    /// - Parameters:
    ///   - width: columns, at least 1.
    ///   - height: rows, at least 1.
    ///   - pixels: red, green, blue and straight alpha of each pixel, the top row first, without gaps.
    ///   - scale: pixels for each point; 1 by default.
    /// - Throws: ``ImageError`` with code `invalidPixels` when `pixels` is not `width * height * 4` bytes long.
    public init(width: Int, height: Int, pixels: Data, scale: Double = 1) throws(ImageError) {
        let (rowSize, isWide) = width.multipliedReportingOverflow(by: 4)
        let (count, isHigh) = rowSize.multipliedReportingOverflow(by: height)
        guard width > 0, height > 0, !isWide, !isHigh, pixels.count == count else {
            throw ImageError(
                code: .invalidPixels,
                reason: "An image of \(width) × \(height) pixels takes four bytes for each, not \(pixels.count) bytes.")
        }
        self.init(width: width, height: height, scale: scale, pixels: pixels, fileType: nil)
    }

    init(width: Int, height: Int, scale: Double, pixels: Data, fileType: ImageFileType?) {
        self.width = width
        self.height = height
        self.scale = scale > 0 && scale.isFinite ? scale : 1
        bytesPerRow = width * 4
        self.pixels = pixels
        self.fileType = fileType
    }

    /// 100 million.
    public static let defaultMaximumPixelCount = 100_000_000

    /// Bytes that the pixels take in memory.
    public var memorySize: Int { pixels.count }

    /// Width and height in points.
    public var size: (width: Double, height: Double) { (Double(width) / scale, Double(height) / scale) }
}

extension Image: Equatable {
    /// Returns true if both have the same pixels and the same scale, from whatever file.
    public static func == (left: Image, right: Image) -> Bool {
        left.width == right.width && left.height == right.height && left.scale == right.scale
            && left.pixels == right.pixels
    }
}

extension Image: CustomStringConvertible {
    /// Format and size.
    public var description: String { "<Image \(width) × \(height)\(fileType.map { " \($0.name)" } ?? "")>" }
}
