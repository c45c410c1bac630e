// SPDX-License-Identifier: MIT
import Foundation
import Testing

@testable import OperationNetworkingImages

@Suite("Encoding images", .timeLimit(.minutes(1)))
struct ImageEncodingTests {
    @Test("PNG keeps every pixel, alpha included")
    func png() throws {
        let image = try Image(data: file("rgba.png"))
        let data = try image.encoded(as: .png)
        #expect(ImageFileType(firstBytesOf: data) == .png)
        #expect(try Image(data: data) == image)
    }

    @Test("JPEG comes near, the nearer the better its quality, and lays transparency on white")
    func jpeg() throws {
        let image = try Image(data: file("rgb.png"))
        let sizes = try [-1, 0, 0.5, 1, 7, Double.nan].map { quality in
            let data = try image.encoded(as: .jpeg(quality: quality))
            #expect(try Image(data: data).fileType == .jpeg)
            return data.count
        }
        #expect(sizes[0] == sizes[1] && sizes[1] < sizes[2] && sizes[2] < sizes[3] && sizes[3] == sizes[4])
        #expect(try image.encoded(as: .jpeg()).count == sizes[5])
        let color = try Image(data: Image.plain(16, 16, [200, 100, 50, 255]).encoded(as: .jpeg(quality: 1)))
        #expect(zip(color.pixel(7, 7), [200, 100, 50, 255]).allSatisfy { left, right in abs(Int(left) - right) <= 3 })

        let clear = try Image(data: Image.plain(16, 16, [0, 0, 0, 0]).encoded(as: .jpeg()))
        #expect(clear.pixel(5, 5) == [255, 255, 255, 255])
        let half = try Image(data: Image.plain(16, 16, [0, 0, 0, 128]).encoded(as: .jpeg()))
        #expect((125...129).contains(half.pixel(5, 5)[0]))
    }

    @Test("Pixels of the wrong number make no image")
    func pixels() throws {
        #expect(try Image(width: 1, height: 1, pixels: Data([1, 2, 3, 4]), scale: .nan).scale == 1)
        for (width, height, count) in [(0, 1, 0), (1, 0, 0), (-1, -1, 4), (2, 1, 4), (.max, 2, 8), (1, .max, 4)] {
            #expect(throws: ImageError(code: .invalidPixels, reason: "")) {
                try Image(width: width, height: height, pixels: Data(count: count))
            }
        }
    }

    @Test("What JPEG cannot hold is an error that says so")
    func tooLarge() throws {
        let image = try Image.plain(65_536, 1)
        let error = #expect(throws: ImageError.self) { try image.encoded(as: .jpeg()) }
        #expect(error?.code == .notEncodable)
        #expect(try Image(data: image.encoded(as: .png)) == image)
    }
}
