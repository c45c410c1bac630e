// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import OperationNetworkingImages
import TestServer
import Testing

/// Image files, as public reports about other libraries have them.
@Suite("Reports: images", .timeLimit(.minutes(1))) struct ImageReports {
    // MARK: JPEG

    @Test(
        "The orientation that a camera notes is applied, also to a smaller image (SDWebImage#1317, Kingfisher#535)",
        arguments: [nil, 8] as [Int?])
    func orientation(thumbnailSize: Int?) throws {
        // Stored: 16 × 8, the left half red. Noted: its first column is the top row.
        let file = try JPEGFile.halves(width: 16, height: 8, orientation: 6)
        let image = try Image(data: file, thumbnailSize: thumbnailSize)
        let expected = thumbnailSize == nil ? (8, 16) : (4, 8)
        #expect((image.width, image.height) == expected)
        #expect(image.pixel(1, 0).isNear([255, 0, 0, 255]))
        #expect(image.pixel(1, image.height - 1).isNear([0, 0, 255, 255]))
    }

    @Test("A JPEG begins with FF D8, whatever segment comes first (Kingfisher#138)")
    func firstSegment() throws {
        let file = try JPEGFile.halves(width: 16, height: 8, orientation: 1)
        #expect(file[file.startIndex + 3] == 0xE1)
        #expect(try Image(data: file).fileType == .jpeg)
    }

    @Test("Inks are not colours, and Adobe's are the other way round (SDWebImage#1265, SDWebImage#1412)")
    func cmyk() throws {
        let image = try Image(data: JPEGFile.inks)
        #expect((image.width, image.height) == (8, 8))
        #expect(image.pixel(0, 0).isNear([255, 0, 0, 255]) && image.pixel(7, 7).isNear([255, 0, 0, 255]))
    }

    // Browsers show what there is; here nobody could tell it from a file that was cut off.
    @Test(
        "A JPEG whose end is not marked is none (libjpeg-turbo#163, ImageSharp#440, filepond-plugin-image-preview#43)",
        arguments: ["", "SEFH and more that a camera has written"])
    func missingEnd(trailer: String) {
        #expect(failure(JPEGFile.inks.dropLast(2) + Data(trailer.utf8)) == .truncated)
    }

    @Test("A file that was cut off is no image (jet-image-loader#32, libvips#2309)")
    func cutOff() async throws {
        let file = try JPEGFile.halves(width: 64, height: 64, orientation: 1)
        let part = file.prefix(file.count - 40)
        #expect(failure(part) == .truncated)
        let server = try TestServer()
        let head = "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\n\r\n"
        server.respondToOthers { _ in .script([.send(Data(head.utf8) + part), .close]) }
        let manager = HTTPRequestOperationManager(baseURL: nil)
        manager.responseSerializer = ImageResponseSerializer()
        manager.completionQueue = DispatchQueue(label: "reports")
        let operation = manager.httpRequestOperation(with: URLRequest(url: server.url("/cut.jpg")))
        manager.enqueue(operation)
        _ = try? await operation.value()
        #expect(operation.response?.statusCode == 200)
        #expect((operation.error as? ResponseSerializationError)?.code == .cannotParseResponse)
    }

    // MARK: PNG

    @Test("16 bits of red, green and blue (SDWebImage#1335)")
    func deepColors() throws {
        let row: [UInt8] = [0x80, 0x40, 0x10, 0x20, 0xFF, 0xFF, 0, 0, 0xFF, 0x80, 0x12, 0x34]
        let image = try Image(data: PNGFile.make(width: 2, depth: 16, colorType: 2, row: row))
        #expect(image.pixel(0, 0).isNear([128, 16, 255, 255], by: 1))
        #expect(image.pixel(1, 0).isNear([0, 255, 18, 255], by: 1))
    }

    @Test("Grey with alpha (SDWebImage#1237)")
    func grayAndAlpha() throws {
        let image = try Image(data: PNGFile.make(width: 2, depth: 8, colorType: 4, row: [200, 255, 100, 128]))
        #expect(image.pixel(0, 0) == [200, 200, 200, 255] && image.pixel(1, 0) == [100, 100, 100, 128])
    }

    @Test("Black and white, a bit each (turicreate#375)")
    func blackAndWhite() throws {
        let image = try Image(data: PNGFile.make(width: 2, depth: 1, colorType: 0, row: [0b0100_0000]))
        #expect(image.pixel(0, 0) == [0, 0, 0, 255] && image.pixel(1, 0) == [255, 255, 255, 255])
    }

    @Test(
        "A chunk that may be left out does not spoil the image, whatever is wrong with it (go#43382, Pillow#1991)",
        arguments: ["iCCP", "iTXt", "tEXt"])
    func wrongChecksum(name: String) throws {
        let chunk = PNGFile.chunk(Array(name.utf8), [0x70, 0, 0, 1, 2, 3], checksum: 0)
        let image = try Image(data: PNGFile.make(width: 1, depth: 8, colorType: 2, row: [1, 2, 3], extra: chunk))
        #expect(image.pixel(0, 0) == [1, 2, 3, 255])
    }

    // libpng ends there, whatever the first byte says.
    @Test("One whose name is none makes the file none (png#320, wpt#44836)")
    func wrongName() {
        let chunk = PNGFile.chunk([0x73, 0x01, 0x49, 0x54], [8, 8, 8])
        #expect(failure(PNGFile.make(width: 1, depth: 8, colorType: 2, row: [1, 2, 3], extra: chunk)) == .damaged)
    }

    // MARK: GIF

    @Test("A damaged second frame does not spoil the first (SDWebImage#1416, SDWebImage#1447)")
    func damagedFrame() throws {
        let file = GIFFile.head(2, 1) + GIFFile.frame + GIFFile.damagedFrame + GIFFile.trailer
        #expect(try Image(data: Data(file)).isRedAndBlue)
    }

    @Test(
        "The trailer is missing, also behind a comment (WebKit#1678, image-gif#138)",
        arguments: [[], [0x21, 0xFE, 1, 0x61, 0]])
    func missingTrailer(rest: [UInt8]) throws {
        #expect(try Image(data: Data(GIFFile.head(2, 1) + GIFFile.frame + rest)).isRedAndBlue)
    }

    @Test("A zero where a block should begin ends the file (go#38853, omggif#13)")
    func zeroInsteadOfBlock() throws {
        #expect(try Image(data: Data(GIFFile.head(2, 1) + GIFFile.frame + [0] + GIFFile.trailer)).isRedAndBlue)
    }

    // Browsers make the screen as large as the frame, others cut the frame.
    @Test("A first frame that is larger than the screen is none (image#1455, libvips#1701)")
    func largeFrame() {
        #expect(failure(Data(GIFFile.head(1, 1) + GIFFile.frame + GIFFile.trailer)) == .damaged)
    }

    // MARK: WebP

    @Test("An animated WebP says what it is (SDWebImage#1989)")
    func animatedWebP() {
        var content = [UInt8]("WEBPVP8X".utf8)
        content += [10, 0, 0, 0, 0x02, 0, 0, 0, 7, 0, 0, 5, 0, 0]
        content += [UInt8]("ANIM".utf8)
        content += [6, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        var file = [UInt8]("RIFF".utf8)
        file += [UInt8(content.count), 0, 0, 0]
        file += content
        #expect(failure(Data(file)) == .unsupportedFormat)
    }

    /// Why a file is no image; nil: it is one.
    private func failure(_ data: Data) -> ImageError.Code? {
        do throws(ImageError) {
            _ = try Image(data: data)
            return nil
        } catch {
            return error.code
        }
    }
}

// MARK: - Pixels

/// Red, green, blue and alpha.
private typealias Pixel = [UInt8]

extension [UInt8] {
    /// Whether no value differs by more than `difference`.
    fileprivate func isNear(_ other: [UInt8], by difference: Int = 60) -> Bool {
        count == other.count && zip(self, other).allSatisfy { abs(Int($0) - Int($1)) <= difference }
    }
}

extension Image {
    fileprivate func pixel(_ x: Int, _ y: Int) -> Pixel {
        let start = pixels.startIndex + y * bytesPerRow + x * 4
        return Pixel(pixels[start..<start + 4])
    }

    fileprivate var isRedAndBlue: Bool {
        width == 2 && height == 1 && pixel(0, 0) == [255, 0, 0, 255] && pixel(1, 0) == [0, 0, 255, 255]
    }
}

// MARK: - Files

/// JPEG files.
private enum JPEGFile {
    /// The left half red, the right half blue, with an orientation noted in front of everything else.
    static func halves(width: Int, height: Int, orientation: UInt8) throws -> Data {
        let (red, blue): ([UInt8], [UInt8]) = ([255, 0, 0, 255], [0, 0, 255, 255])
        var pixels = Data()
        for _ in 0..<height {
            for x in 0..<width { pixels.append(contentsOf: x < width / 2 ? red : blue) }
        }
        let file = try Image(width: width, height: height, pixels: pixels).encoded(as: .jpeg(quality: 1))
        return file.prefix(2) + Data(note(orientation)) + file.dropFirst(2)
    }

    /// An Exif segment (TIFF, big endian, one field).
    private static func note(_ orientation: UInt8) -> [UInt8] {
        var content = [UInt8]("Exif\0\0MM\0*".utf8)
        content += [0, 0, 0, 8, 0, 1]
        content += [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0]
        content += [0, 0, 0, 0]
        return segment(0xE1, content)
    }

    private static func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
        [0xFF, marker, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 0xFF)] + content
    }

    /// Red, 8 × 8, in four inks as Adobe's programs store them: 255 for none.
    static let inks: Data = {
        let components: [UInt8] = [1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0]
        var file: [UInt8] = [0xFF, 0xD8]
        file += segment(0xEE, [UInt8]("Adobe\0d\0\0\0\0\0".utf8))
        let ones = [UInt8](repeating: 1, count: 63)
        // One step is eight: of the mean, as of a pixel, one.
        file += segment(0xDB, [0, 8] + ones)
        file += segment(0xC0, [8, 0, 8, 0, 8, 4] + components)
        // Two codes of two bits, for numbers of seven and of eight bits; one code for the end of a block.
        file += segment(0xC4, [0x00, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 8])
        file += segment(0xC4, [0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
        file += segment(0xDA, [4, 1, 0, 2, 0, 3, 0, 4, 0, 0, 63, 0])
        // 127, −128, −128, 127, each followed by the end of its block.
        file += [0x3F, 0x97, 0xF2, 0xFE, 0x3F, 0xBF]
        file += [0xFF, 0xD9]
        return Data(file)
    }()
}

/// PNG files of one row.
private enum PNGFile {
    static func make(width: UInt8, depth: UInt8, colorType: UInt8, row: [UInt8], extra: [UInt8] = []) -> Data {
        let header: [UInt8] = [0, 0, 0, width, 0, 0, 0, 1, depth, colorType, 0, 0, 0]
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        file += chunk(Array("IHDR".utf8), header)
        file += extra
        file += chunk(Array("IDAT".utf8), stored([0] + row))
        file += chunk(Array("IEND".utf8), [])
        return Data(file)
    }

    /// - Parameter checksum: nil: the right one.
    static func chunk(_ name: [UInt8], _ content: [UInt8], checksum: UInt32? = nil) -> [UInt8] {
        bytes(UInt32(content.count)) + name + content + bytes(checksum ?? cyclicCheck(name + content))
    }

    /// zlib's format, not compressed.
    private static func stored(_ content: [UInt8]) -> [UInt8] {
        let (low, high) = (UInt8(content.count & 0xFF), UInt8(content.count >> 8))
        return [0x78, 0x01, 0x01, low, high, ~low, ~high] + content + bytes(adler(content))
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    private static func adler(_ content: [UInt8]) -> UInt32 {
        var (sum, sums): (UInt32, UInt32) = (1, 0)
        for byte in content {
            sum = (sum + UInt32(byte)) % 65_521
            sums = (sums + sum) % 65_521
        }
        return sums << 16 | sum
    }

    private static func cyclicCheck(_ content: [UInt8]) -> UInt32 {
        var remainder: UInt32 = 0xFFFF_FFFF
        for byte in content {
            remainder ^= UInt32(byte)
            for _ in 0..<8 { remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0xEDB8_8320 : remainder >> 1 }
        }
        return ~remainder
    }
}

/// Parts of GIF files of two colours, red and blue.
private enum GIFFile {
    static func head(_ width: UInt8, _ height: UInt8) -> [UInt8] {
        [UInt8]("GIF89a".utf8) + [width, 0, height, 0, 0x80, 0, 0, 255, 0, 0, 0, 0, 255]
    }

    static let trailer: [UInt8] = [0x3B]
    /// A red pixel and a blue one.
    static let frame: [UInt8] = [0x2C, 0, 0, 0, 0, 2, 0, 1, 0, 0, 2, 2, 0x44, 0x0A, 0]
    /// The same with codes that there are not.
    static let damagedFrame: [UInt8] = [0x2C, 0, 0, 0, 0, 2, 0, 1, 0, 0, 2, 3, 0xFF, 0xFF, 0xFF, 0]
}
