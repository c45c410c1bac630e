// SPDX-License-Identifier: MIT
import Foundation
import Testing

@testable import OperationNetworkingImages

@Suite("Decoding images", .timeLimit(.minutes(1)))
struct ImageDecodingTests {
    @Test(
        "Formats without loss give the very pixels, with straight alpha",
        arguments: [
            ("rgba.png", ImageFileType.png, true), ("rgb.png", .png, false), ("rgba.tiff", .tiff, true),
            ("lzw.tiff", .tiff, false), ("rgb.bmp", .bmp, false), ("lossless.webp", .webp, true),
        ])
    func lossless(name: String, type: ImageFileType, hasAlpha: Bool) throws {
        let image = try Image(data: file(name), scale: 2)
        #expect(image.width == 37 && image.height == 23 && image.scale == 2 && image.fileType == type)
        #expect(image.bytesPerRow == 37 * 4 && image.pixels.count == 37 * 23 * 4)
        #expect(image.size.width == 18.5 && image.size.height == 11.5)
        for y in 0..<23 {
            for x in 0..<37 {
                let (pixel, painted) = (image.pixel(x, y), paintedPixel(x, y, alpha: hasAlpha))
                if type == .tiff, hasAlpha, x >= 20 {
                    // Its decoder multiplies by alpha.
                    try #require(zip(pixel, painted).allSatisfy { left, right in abs(Int(left) - Int(right)) <= 1 })
                } else {
                    try #require(pixel == painted)
                }
            }
        }
    }

    @Test(
        "Formats with loss give nearly the pixels, also CMYK and palettes",
        arguments: [
            ("baseline.jpg", ImageFileType.jpeg, 40), ("progressive.jpg", .jpeg, 40), ("cmyk.jpg", .jpeg, 120),
            ("palette.png", .png, 120), ("palette.bmp", .bmp, 120), ("lossy.webp", .webp, 160),
        ])
    func lossy(name: String, type: ImageFileType, tolerance: Int) throws {
        let image = try Image(data: file(name))
        #expect(image.width == 37 && image.height == 23 && image.fileType == type && image.scale == 1)
        #expect(deviation(image) <= tolerance)
        #expect(image.pixel(3, 3)[3] == 255)
    }

    @Test("16 bits become 8")
    func deep() throws {
        let image = try Image(data: file("gray16.png"))
        #expect(image.width == 4 && image.height == 2 && image.pixel(1, 1) == [0x80, 0x80, 0x80, 255])
    }

    @Test("The orientation that a camera notes is applied", arguments: [1, 3, 6, 8])
    func orientation(value: Int) throws {
        let image = try Image(data: file("orientation\(value).jpg"))
        #expect(image.width == 16 && image.height == 8)
        #expect(image.pixel(2, 4)[0] > 240 && image.pixel(2, 4)[2] < 20, "red on the left")
        #expect(image.pixel(13, 4)[2] > 240 && image.pixel(13, 4)[0] < 20, "blue on the right")
    }

    @Test("Of an animation the first frame is the image")
    func animation() throws {
        let image = try Image(data: file("animation.gif"))
        #expect(image.width == 8 && image.height == 6 && image.fileType == .gif)
        #expect(image.pixel(0, 0) == [255, 0, 0, 255] && image.pixel(7, 5) == [255, 0, 0, 255])
        let error = #expect(throws: ImageError.self) { try Image(data: file("animation.webp")) }
        #expect(error?.code == .unsupportedFormat)
    }

    @Test("Of an icon the largest image is taken, PNG or bitmap", arguments: ["png.ico", "bitmap.ico"])
    func icon(name: String) throws {
        let image = try Image(data: file(name))
        #expect(image.width == 32 && image.height == 32 && image.fileType == .ico)
        #expect(image.pixel(31, 0)[0] > 200 && image.pixel(0, 0)[0] < 40 && image.pixel(4, 4)[3] == 255)
    }

    @Test(
        "A thumbnail is no larger than wanted, keeps its proportions, and never grows",
        arguments: ["rgba.png", "baseline.jpg", "lossless.webp", "rgb.bmp", "lzw.tiff", "animation.gif"])
    func thumbnails(name: String) throws {
        let full = try Image(data: file(name))
        #expect(try Image(data: file(name), thumbnailSize: 100).width == full.width)
        #expect(try Image(data: file(name), thumbnailSize: full.width).width == full.width)
        for size in [full.width / 2, 5, 1, 0, -7] {
            let image = try Image(data: file(name), thumbnailSize: size)
            #expect(image.width == max(size, 1))
            let height = (Double(full.height) * Double(image.width) / Double(full.width)).rounded()
            #expect(image.height == max(Int(height), 1))
            #expect(image.pixels.count == image.width * image.height * 4)
        }
        #expect(try Image(data: file("orientation6.jpg"), thumbnailSize: 8).height == 4)
    }

    @Test("A part of larger data is decoded, whatever its indices")
    func slices() throws {
        let bytes = try file("rgba.png")
        let slice = (Data([1, 2, 3]) + bytes).dropFirst(3)
        #expect(try Image(data: slice) == Image(data: bytes))
        #expect(ImageFileType(firstBytesOf: slice) == .png)
        #expect(ImageFileType(firstBytesOf: Data("hello".utf8)) == nil)
    }

    @Test("Many threads decode at once")
    func threads() throws {
        let names = ["rgba.png", "baseline.jpg", "animation.gif", "lzw.tiff", "lossless.webp", "bitmap.ico"]
        let files = try names.map(file)
        let expected = try files.map { try Image(data: $0) }
        DispatchQueue.concurrentPerform(iterations: 240) { index in
            let number = index % files.count
            #expect((try? Image(data: files[number])) == expected[number])
        }
    }
}
