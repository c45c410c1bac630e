// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingImages

@Suite("Image files that are not what they should be", .timeLimit(.minutes(2)))
struct HostileImageTests {
    static let files = [
        "rgba.png", "palette.png", "gray16.png", "baseline.jpg", "progressive.jpg", "cmyk.jpg", "orientation6.jpg",
        "animation.gif", "rgba.tiff", "lzw.tiff", "rgb.bmp", "palette.bmp", "png.ico", "bitmap.ico", "lossless.webp",
        "lossy.webp",
    ]

    private func code(_ data: Data, maximumPixelCount: Int = 1_000_000) -> ImageError.Code? {
        do throws(ImageError) {
            _ = try Image(data: data, maximumPixelCount: maximumPixelCount)
            return nil
        } catch {
            #expect(!error.reason.isEmpty && (error as NSError).localizedDescription == error.reason)
            let value: Any = error
            #expect((value as? NSError)?.code == error.code.rawValue && (value as? NSError) as Any is ImageError)
            return error.code
        }
    }

    @Test("A file that ends early, wherever, is an error", arguments: files)
    func truncated(name: String) throws {
        let whole = try file(name)
        #expect(code(whole) == nil)
        for count in 0..<whole.count {
            // What comes last in a directory of icons or pages may be there for nothing.
            guard let code = code(whole.prefix(count)) else {
                // Of an animation the first image is shown, whichever of the blocks behind it are there.
                if name.hasSuffix(".gif"), [0x21, 0x2C, 0x3B].contains(whole[whole.startIndex + count]) { continue }
                Issue.record("\(name): \(count) of \(whole.count) bytes are an image")
                return
            }
            #expect([.truncated, .damaged, .unknownFormat].contains(code), "\(name), \(count) bytes: \(code)")
        }
    }

    @Test("What is said at the end of a file may be said before it, and what follows is not looked at")
    func trailing() throws {
        for name in ["rgba.png", "baseline.jpg", "animation.gif", "lossless.webp"] {
            #expect(code(try file(name) + Data("more".utf8)) == nil)
        }
    }

    @Test("An image with more pixels than allowed is refused, at the limit it is not", arguments: files)
    func limit(name: String) throws {
        let data = try file(name)
        let image = try EncodedImage(data: data)
        #expect(code(data, maximumPixelCount: image.width * image.height) == nil)
        #expect(code(data, maximumPixelCount: image.width * image.height - 1) == .tooManyPixels)
    }

    @Test("A header that announces a gigantic image costs neither time nor memory")
    func bombs() throws {
        let big: [UInt8] = [0x00, 0x01, 0x86, 0xA0]
        let bigLittle = [UInt8](big.reversed())
        let bombs: [(String, Data)] = [
            ("png", try file("rgba.png").replacing(at: 16, with: big + big)),
            ("bmp", try file("rgb.bmp").replacing(at: 18, with: bigLittle + bigLittle)),
            ("gif", try file("animation.gif").replacing(at: 6, with: [0xFF, 0xFF, 0xFF, 0xFF])),
            ("ico", try file("png.ico")),
        ]
        let memory = ResidentMemory.bytes
        for (name, bomb) in bombs.dropLast() {
            let code = code(bomb, maximumPixelCount: 100_000_000)
            #expect(code == .tooManyPixels || code == .truncated, "\(name): \(String(describing: code))")
        }
        // The real thing: 20 000 x 20 000 pixels that deflate to nearly nothing would need a big file; a frame of a JPEG
        // takes none.
        let jpeg = try file("baseline.jpg")
        let frame = try #require(jpeg.firstRange(of: Data([0xFF, 0xC0])))
        let bomb = jpeg.replacing(at: frame.lowerBound + 5, with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(code(bomb, maximumPixelCount: 100_000_000) == .tooManyPixels)
        #expect(ResidentMemory.bytes - memory < 50_000_000)
    }

    @Test("What is no image of a known format says so")
    func unknown() throws {
        #expect(code(Data()) == .unknownFormat)
        #expect(code(Data("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8)) == .unknownFormat)
        #expect(code(Data(repeating: 0, count: 100)) == .unknownFormat)
        #expect(code(try file("bitmap.xbm")) == .unsupportedFormat)
        #expect(code(try file("rgb.bmp").replacing(at: 18, with: [0, 0, 0, 0x80])) == .damaged)
        let icon = try file("bitmap.ico")
        #expect(code(icon.replacing(at: 22 + 16 + 4, with: [0, 0, 0, 0x80])) != .unknownFormat)
        let offset = Int(icon[icon.startIndex + 34]) | Int(icon[icon.startIndex + 35]) << 8
        #expect(code(icon.replacing(at: offset + 4, with: [0, 0, 0, 0x80])) == .damaged)
    }

    @Test("A JPEG with thousands of scans is refused")
    func scans() throws {
        let jpeg = try file("progressive.jpg")
        let scan = try #require(jpeg.range(of: Data([0xFF, 0xDA])))
        let header = jpeg[scan.lowerBound..<scan.lowerBound + 2 + Int(jpeg[scan.lowerBound + 3])]
        var data = jpeg.prefix(upTo: scan.lowerBound)
        for _ in 0..<501 { data += header }
        data += Data([0xFF, 0xD9])
        #expect(code(data) == .damaged)
    }

    @Test("Damage anywhere gives an image or an error, and never ends the process", arguments: files)
    func mutations(name: String) throws {
        let whole = try file(name)
        var random = SeededRandom(seed: UInt64(whole.count))
        for _ in 0..<400 {
            var damaged = whole
            for _ in 0...Int.random(in: 0..<4, using: &random) {
                let index = damaged.indices.randomElement(using: &random) ?? 0
                damaged[index] = UInt8.random(in: 0...255, using: &random)
            }
            if Bool.random(using: &random) {
                let start = Int.random(in: 0..<damaged.count, using: &random)
                damaged.removeSubrange(start..<min(start + 3, damaged.count))
            }
            if let image = try? Image(data: damaged, maximumPixelCount: 1_000_000) {
                #expect(image.pixels.count == image.width * image.height * 4 && image.width * image.height <= 1_000_000)
            }
        }
    }
}
