// SPDX-License-Identifier: MIT
import Foundation
import Testing

@testable import OperationNetworkingImages

@Suite("Image files that would take far more memory or time than their pixels", .timeLimit(.minutes(1)))
struct ImageBombTests {
    /// The error that the header alone gives; nil: the decoder may have the file.
    private func code(_ data: Data) -> ImageError.Code? {
        do throws(ImageError) {
            _ = try EncodedImage(data: data)
            return nil
        } catch {
            #expect(!error.reason.isEmpty)
            return error.code
        }
    }

    // MARK: TIFF

    static let refused: [(String, Data)] = [
        ("one huge tile", TIFFFile(1, 1).tiled(13_104, 13_104).tiles()),
        ("a tile of many samples", TIFFFile(1, 1).adding(277, 65_535, .short).tiled(2048, 2048).tiles()),
        ("a wide tile", TIFFFile(1, 1).tiled(2064, 16).tiles()),
        ("a high tile", TIFFFile(1, 1).tiled(16, 2064).tiles()),
        ("a tile of no end", TIFFFile(1, 1).tiled(.max, .max).adding(277, .max).tiles()),
        ("of two sizes the first", TIFFFile(1, 1).tiled(13_104, 13_104).tiled(16, 16).tiles()),
        ("tiles along a line", TIFFFile(1, 50_000_000).tiled(2048, 2048).tiles()),
        ("a strip of many samples", TIFFFile(60_000, 1000).adding(277, 65_535, .short).strip()),
        ("rows of many samples", TIFFFile(1000, 60_000).adding(277, 65_535, .short).adding(278, 1).strip()),
    ]

    @Test("A TIFF whose tiles or strips are much larger than its image is refused", arguments: refused)
    func tiles(name: String, data: Data) {
        #expect(code(data) == .tooManyPixels)
    }

    @Test("A TIFF whose tiles have half a size, or one in a kind that is read elsewhere, is damaged")
    func brokenTiles() {
        #expect(code(TIFFFile(1, 1).adding(322, 16).tiles()) == .damaged)
        #expect(code(TIFFFile(1, 1).tiled(16, 0).tiles()) == .damaged)
        #expect(code(TIFFFile(1, 1).adding(322, 16, .long8).adding(323, 16, .long8).tiles()) == .damaged)
    }

    static let fair: [(String, Data)] = [
        ("a tile as large as the image", TIFFFile(10_000, 10_000).tiled(10_000, 10_000).adding(277, 4, .short).tiles()),
        ("tiles a little larger", TIFFFile(3000, 2100).tiled(4096, 4096).tiles()),
        ("a large tile of a small image", TIFFFile(10, 10).tiled(2048, 2048).adding(277, 4, .short).tiles()),
        ("a thin image", TIFFFile(16, 60_000).tiled(256, 256).adding(277, 3, .short).tiles()),
        ("of two sizes the first", TIFFFile(1, 1).tiled(16, 16).tiled(13_104, 13_104).tiles()),
        ("a strip as large as the image", TIFFFile(10_000, 10_000).adding(277, 5, .short).adding(278, .max).strip()),
        ("no rows for strips", TIFFFile(10_000, 10_000).adding(277, 4, .short).strip()),
        (
            "many separate planes",
            TIFFFile(10_000, 10_000).adding(277, 40, .short).adding(284, 2, .short).adding(278, .max).strip()
        ),
    ]

    @Test("Tiles and strips of ordinary TIFFs are not", arguments: fair)
    func fairTiles(name: String, data: Data) {
        #expect(code(data) == nil)
    }

    @Test("A TIFF with one tile larger than its image, or one strip, is decoded, at the limit of its own pixels")
    func smallImages() throws {
        let tile = TIFFFile(10, 10).tiled(256, 256).tiles(Data(repeating: 0x77, count: 256 * 256))
        let strip = TIFFFile(10, 10).adding(278, .max).strip(Data(repeating: 0x77, count: 100))
        for data in [tile, strip] {
            let image = try Image(data: data, maximumPixelCount: 100)
            #expect(image.width == 10 && image.height == 10 && image.pixel(9, 9) == [0x77, 0x77, 0x77, 255])
        }
    }

    // MARK: PNG

    private func chunk(_ name: String, _ content: Data, sum: [UInt8] = [0, 0, 0, 0]) -> Data {
        var data = withUnsafeBytes(of: UInt32(content.count).bigEndian) { Data($0) }
        data += Data(name.utf8)
        data += content
        return data + sum
    }

    /// A file with chunks behind IHDR.
    private func png(_ name: String, adding chunks: Data) throws -> Data {
        let data = try file(name)
        return data.prefix(33) + chunks + data.dropFirst(33)
    }

    /// What the decoder gets in place of the file.
    private func content(_ data: Data) throws -> (Data, ImageFileType)? { try ImageHeader.read(data).content }

    @Test("The decoder gets no packed texts and profiles of a PNG", arguments: ["rgba.png", "palette.png"])
    func texts(name: String) throws {
        let plain = try file(name)
        #expect(try content(plain)?.0 == nil, "nothing to leave out, nothing to copy")
        var chunks = Data()
        for name in ["zTXt", "iTXt", "iCCP", "tEXt", "gAMA", "eXIf"] { chunks += chunk(name, Data(count: 100)) }
        let bomb = try png(name, adding: chunks).dropLast(12) + chunk("zTXt", Data(count: 100)) + plain.suffix(12)
        let kept = try content(bomb + Data("more".utf8))
        #expect(kept?.0 == plain && kept?.1 == .png)
        #expect(try Image(data: bomb) == Image(data: plain))
        #expect(try EncodedImage(data: bomb).data == bomb)
    }

    @Test("Nor of a PNG in an icon")
    func textsOfIcon() throws {
        let (plain, bomb) = (try file("rgba.png"), try png("rgba.png", adding: chunk("zTXt", Data(count: 100))))
        func icon(_ png: Data) -> Data {
            var data = Data([0, 0, 1, 0, 1, 0, 37, 23, 0, 0, 1, 0, 32, 0])
            for number in [UInt32(png.count), 22] {
                withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
            }
            return data + png
        }
        for png in [plain, bomb] {
            let kept = try content(icon(png))
            #expect(kept?.0 == plain && kept?.1 == .png)
            #expect(try Image(data: icon(png)) == Image(data: plain))
        }
    }

    @Test("The transparency of a PNG is kept, and a chunk that the decoder must know is still refused")
    func transparency() throws {
        // Black, which is the first pixel alone.
        let clear = chunk("tRNS", Data(count: 6), sum: [0x6E, 0xA6, 0x07, 0x91])
        let image = try Image(data: png("rgb.png", adding: chunk("tEXt", Data(count: 9)) + clear))
        #expect(image.pixel(0, 0)[3] == 0 && image.pixel(3, 3)[3] == 255)
        let unknown = try png("rgb.png", adding: chunk("tEXt", Data(count: 9)) + chunk("ABCD", Data(count: 9)))
        #expect(throws: ImageError(code: .damaged, reason: "")) { try Image(data: unknown) }
    }

    // MARK: JPEG

    /// A progressive file of so many scans, in which nothing is.
    private func jpeg(width: UInt16, height: UInt16, scanCount: Int) throws -> Data {
        let whole = try file("progressive.jpg")
        let frame = try #require(whole.firstRange(of: Data([0xFF, 0xC2])))
        let scan = try #require(whole.firstRange(of: Data([0xFF, 0xDA])))
        let header = whole[scan.lowerBound..<scan.lowerBound + 2 + Int(whole[scan.lowerBound + 3])]
        let sides = [UInt8(height >> 8), UInt8(height & 0xFF), UInt8(width >> 8), UInt8(width & 0xFF)]
        var data = whole.replacing(at: frame.lowerBound + 5, with: sides).prefix(upTo: scan.lowerBound)
        for _ in 0..<scanCount { data += header }
        return data + Data([0xFF, 0xD9])
    }

    @Test("A large JPEG with very many scans is refused, a small one and one with ordinary scans are not")
    func scans() throws {
        #expect(code(try jpeg(width: 10_000, height: 10_000, scanCount: 20)) == nil)
        #expect(code(try jpeg(width: 10_000, height: 10_000, scanCount: 21)) == .tooManyPixels)
        #expect(code(try jpeg(width: 2000, height: 2000, scanCount: 500)) == nil)
        #expect(code(try jpeg(width: 2001, height: 2000, scanCount: 500)) == .tooManyPixels)
        // Whoever allows more pixels gets them.
        let large = try jpeg(width: 60_000, height: 60_000, scanCount: 10)
        #expect(try EncodedImage(data: large, maximumPixelCount: .max).width == 60_000)
    }
}
