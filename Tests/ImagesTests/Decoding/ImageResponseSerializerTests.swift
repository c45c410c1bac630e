// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import Testing

@testable import OperationNetworkingImages

@Suite("Image responses", .timeLimit(.minutes(1)))
struct ImageResponseSerializerTests {
    private func response(_ type: String, status: Int = 200) throws -> HTTPURLResponse {
        let url = try #require(URL(string: "http://example.com/image"))
        return try #require(
            HTTPURLResponse(
                url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: ["Content-Type": type]))
    }

    @Test("AFNetworking's content types are accepted, others are not")
    func contentTypes() throws {
        let serializer = ImageResponseSerializer()
        let data = try file("rgba.png")
        for type in [
            "image/tiff", "image/jpeg", "image/gif", "image/png", "image/ico", "image/x-icon", "image/bmp",
            "image/x-bmp", "image/x-xbitmap", "image/x-win-bitmap", "image/webp",
        ] {
            #expect(try serializer.responseObject(for: response(type), data: data) is Image)
        }
        let error = #expect(throws: ResponseSerializationError.self) {
            try serializer.responseObject(for: response("text/html"), data: data)
        }
        #expect(error?.code == .cannotDecodeContentData)
    }

    @Test("No content is no image; content that is none is an error with the reason beneath")
    func contents() throws {
        let serializer = ImageResponseSerializer()
        #expect(try serializer.responseObject(for: response("image/png"), data: Data()) == nil)
        #expect(try serializer.responseObject(for: response("image/png"), data: nil) == nil)
        let error = #expect(throws: ResponseSerializationError.self) {
            try serializer.responseObject(for: response("image/png"), data: file("rgba.png").dropLast(20))
        }
        #expect(error?.code == .cannotParseResponse)
        #expect((error?.underlyingError as? ImageError)?.code == .truncated)
        #expect(error?.localizedDescription.contains("PNG file ends before") == true)
        let refused = #expect(throws: ResponseSerializationError.self) {
            try serializer.responseObject(for: response("image/png", status: 404), data: file("rgba.png"))
        }
        #expect(refused?.code == .badServerResponse && refused?.responseObject is Image)
    }

    @Test("Settings have an effect, and survive copies and archives")
    func settings() throws {
        let original = ImageResponseSerializer()
        #expect(original.imageScale == 1 && original.automaticallyInflatesResponseImage)
        #expect(original.maximumPixelCount == 100_000_000 && original.thumbnailSize == nil)
        original.imageScale = 2
        original.thumbnailSize = 10
        original.maximumPixelCount = 37 * 23
        original.acceptableStatusCodes = [201]
        let archive = try NSKeyedArchiver.archivedData(withRootObject: original, requiringSecureCoding: true)
        let restored = try NSKeyedUnarchiver.unarchivedObject(ofClass: ImageResponseSerializer.self, from: archive)
        for serializer in [original.copy() as? ImageResponseSerializer, restored] {
            let serializer = try #require(serializer)
            let data = try file("rgba.png")
            let object = try serializer.responseObject(for: response("image/png", status: 201), data: data)
            let image = try #require(object as? Image)
            #expect(image.width == 10 && image.scale == 2)
            #expect(serializer.acceptableStatusCodes == [201])
            serializer.maximumPixelCount -= 1
            let error = #expect(throws: ResponseSerializationError.self) {
                try serializer.responseObject(for: response("image/png", status: 201), data: data)
            }
            #expect((error?.underlyingError as? ImageError)?.code == .tooManyPixels)
        }
    }

    @Test("Without inflating, the header is checked and the file handed out")
    func encoded() throws {
        let serializer = ImageResponseSerializer()
        serializer.automaticallyInflatesResponseImage = false
        let data = try file("orientation6.jpg")
        let object = try serializer.responseObject(for: response("image/jpeg"), data: data)
        let encoded = try #require(object as? EncodedImage)
        #expect(encoded.width == 8 && encoded.height == 16 && encoded.fileType == .jpeg && encoded.data == data)
        #expect(try encoded.decoded().width == 16)
        #expect(throws: ResponseSerializationError.self) {
            try serializer.responseObject(for: response("image/jpeg"), data: data.dropLast(2))
        }
    }
}
