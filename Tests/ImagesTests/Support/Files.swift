// SPDX-License-Identifier: MIT
import Foundation
import Testing

@testable import OperationNetworkingImages

/// A file of the folder Files, which make.py has made.
func file(_ name: String) throws -> Data {
    let folder = try #require(Bundle.module.resourceURL)
    return try Data(contentsOf: folder.appendingPathComponent("Files/\(name)"))
}

/// Red, green, blue and alpha.
typealias Pixel = [UInt8]

extension Image {
    func pixel(_ x: Int, _ y: Int) -> Pixel {
        let start = pixels.startIndex + y * bytesPerRow + x * 4
        return Pixel(pixels[start..<start + 4])
    }

    /// Of one colour.
    static func plain(_ width: Int, _ height: Int, _ color: Pixel = [10, 20, 30, 255]) throws -> Image {
        try Image(width: width, height: height, pixels: Data((0..<width * height).flatMap { _ in color }))
    }
}

/// What make.py paints.
func paintedPixel(_ x: Int, _ y: Int, alpha: Bool) -> Pixel {
    [UInt8(x * 7 % 256), UInt8(y * 11 % 256), UInt8(x * y % 256), alpha && x >= 20 ? 128 : 255]
}

/// The largest difference of a colour from what make.py paints.
func deviation(_ image: Image) -> Int {
    var largest = 0
    for y in 0..<image.height {
        for x in 0..<image.width {
            for (left, right) in zip(image.pixel(x, y), paintedPixel(x, y, alpha: false)).prefix(3) {
                largest = max(largest, abs(Int(left) - Int(right)))
            }
        }
    }
    return largest
}

extension Data {
    /// With a number at a place, in as many bytes as it has.
    func replacing(at offset: Int, with bytes: [UInt8]) -> Data {
        var copy = self
        copy.replaceSubrange(startIndex + offset..<startIndex + offset + bytes.count, with: bytes)
        return copy
    }
}
