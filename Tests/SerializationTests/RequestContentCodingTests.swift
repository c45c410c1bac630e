// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworking
internal import Testing

@Suite("Compressed request bodies", .timeLimit(.minutes(1)))
struct RequestContentCodingTests {
    private static let parameters: [String: any Sendable] = [
        "text": String(repeating: "lorem ipsum ", count: 500), "n": 1,
    ]

    private static func serializers() -> [HTTPRequestSerializer] {
        let json = JSONRequestSerializer()
        json.writingOptions = [.sortedKeys]
        return [HTTPRequestSerializer(), json, PropertyListRequestSerializer()]
    }

    private func post(_ serializer: HTTPRequestSerializer, _ parameters: Any?) throws -> URLRequest {
        try serializer.request(withMethod: "POST", urlString: "http://example.com/", parameters: parameters)
    }

    @Test("A body is compressed on request, and announced; gzip makes the same of it", arguments: 0..<3)
    func compressed(_ index: Int) throws {
        let serializer = Self.serializers()[index]
        #expect(serializer.contentCoding == .identity)
        let plain = try post(serializer, Self.parameters)
        #expect(plain.value(forHTTPHeaderField: "Content-Encoding") == nil)
        serializer.contentCoding = .gzip
        let request = try post(serializer, Self.parameters)
        #expect(request.value(forHTTPHeaderField: "Content-Encoding") == "gzip")
        #expect(
            request.value(forHTTPHeaderField: "Content-Type") == plain.value(forHTTPHeaderField: "Content-Type"))
        let body = try #require(request.httpBody)
        #expect(body.count < 1000)
        #expect(try Self.gunzip(body) == plain.httpBody)
    }

    @Test("A finished body is compressed, too")
    func data() throws {
        let serializer = HTTPRequestSerializer()
        serializer.contentCoding = .gzip
        let content = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) })
        let body = try #require(try post(serializer, content).httpBody)
        #expect(try Self.gunzip(body) == content)
    }

    @Test("An empty body, a query and a content coded by the application stay as they are")
    func untouched() throws {
        let serializer = HTTPRequestSerializer()
        serializer.contentCoding = .gzip
        let empty = try post(serializer, nil)
        #expect(empty.httpBody == Data() && empty.value(forHTTPHeaderField: "Content-Encoding") == nil)
        let query = try serializer.request(
            withMethod: "GET", urlString: "http://example.com/", parameters: ["a": 1])
        #expect(query.httpBody == nil && query.value(forHTTPHeaderField: "Content-Encoding") == nil)
        serializer.setValue("br", forHTTPHeaderField: "content-encoding")
        let own = try post(serializer, Data("coded".utf8))
        #expect(own.httpBody == Data("coded".utf8))
        #expect(own.value(forHTTPHeaderField: "Content-Encoding") == "br")
    }

    @Test("A body of its own kind keeps the coding that the serializer's field announces", arguments: [false, true])
    func ownBody(isGzip: Bool) throws {
        let manager = HTTPRequestOperationManager(baseURL: URL(string: "http://example.com/"))
        let coded = Data("coded".utf8)
        if isGzip { manager.requestSerializer.contentCoding = .gzip }
        let plain = try manager.makeOperation(method: "POST", "x", body: .data(coded)).request
        #expect(plain.value(forHTTPHeaderField: "Content-Encoding") == (isGzip ? "gzip" : nil))
        manager.requestSerializer.setValue("br", forHTTPHeaderField: "content-encoding")
        let own = try manager.makeOperation(method: "POST", "x", body: .data(coded)).request
        #expect(own.value(forHTTPHeaderField: "Content-Encoding") == "br" && own.httpBody == coded)
        let form = try manager.makeOperation(method: "POST", "x", body: .form(["a": 1])).request
        #expect(form.value(forHTTPHeaderField: "Content-Encoding") == "br" && form.httpBody == Data("a=1".utf8))
    }

    /// What the program of that name makes of data.
    private static func gunzip(_ data: Data) throws -> Data {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).gz")
        try data.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/gzip")
        process.arguments = ["-dc", file.path]
        process.standardOutput = output
        try process.run()
        let result = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return result
    }
}
