// SPDX-License-Identifier: MIT
public import Foundation

extension Image {
    /// The content of a file with this image.
    ///
    /// - Parameter format: PNG, or JPEG of a certain quality.
    /// - Throws: ``ImageError`` with code `notEncodable`: a JPEG has at most 65 535 pixels on a side.
    public func encoded(as format: ImageFormat) throws(ImageError) -> Data {
        switch format {
        case .png:
            return try PixbufEncoder.encode(self, as: "png", options: [])
        case .jpeg(let quality):
            let percent = quality.isNaN ? 90 : Int((min(max(quality, 0), 1) * 100).rounded())
            return try PixbufEncoder.encode(onWhite, as: "jpeg", options: [("quality", "\(percent)")])
        }
    }

    /// Without transparency.
    private var onWhite: Image {
        var pixels = pixels
        pixels.withUnsafeMutableBytes { bytes in
            for start in stride(from: 0, to: bytes.count - 3, by: 4) where bytes[start + 3] != 255 {
                let alpha = Int(bytes[start + 3])
                for index in start..<start + 3 {
                    bytes[index] = UInt8((Int(bytes[index]) * alpha + 255 * (255 - alpha) + 127) / 255)
                }
                bytes[start + 3] = 255
            }
        }
        return Image(width: width, height: height, scale: scale, pixels: pixels, fileType: fileType)
    }
}
