// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
@testable internal import OperationNetworkingCore
@testable internal import OperationNetworkingSerialization

/// A random form, which can be built several times.
struct RandomParts {
    struct Part {
        enum Kind: CaseIterable { case form, data, file, stream }

        var kind: Kind
        var name: String
        var fileName: String
        var content: Data
        var file: URL
    }

    var parts: [Part]
    var parameters: [String: Any]

    /// Bytes that look like delimiters now and then.
    static func content(using generator: inout SeededRandom) -> Data {
        let pieces = ["\r\n", "--", "\r\n--Boundary+", "\r", "\n", "\u{0}", "é", "text", "--\r\n", "\r\n\r\n"]
        var data = Data()
        for _ in 0..<Int.random(in: 0...12, using: &generator) {
            if Bool.random(using: &generator) {
                data += (pieces.randomElement(using: &generator) ?? "").utf8
            } else {
                let count = Int.random(in: 0...400, using: &generator)
                data += (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            }
        }
        return data
    }

    static func make(
        in directory: TemporaryDirectory, prefix: String, using generator: inout SeededRandom
    ) throws -> RandomParts {
        var parts: [Part] = []
        for index in 0...Int.random(in: 0...6, using: &generator) {
            let content = content(using: &generator)
            parts.append(
                Part(
                    kind: Part.Kind.allCases.randomElement(using: &generator) ?? .form,
                    name: "n\(index)" + RandomParameters.string(using: &generator),
                    fileName: "f\(index)" + RandomParameters.string(using: &generator),
                    content: content, file: try directory.file("\(prefix)-\(index).dat", content)))
        }
        return RandomParts(parts: parts, parameters: RandomParameters.dictionary(depth: 2, using: &generator))
    }

    func request() throws -> URLRequest {
        try multipartRequest(parameters: parameters, fill)
    }

    /// The body with a boundary given.
    func request(boundary: String) throws -> InputStream? {
        let form = MultipartFormBuilder(boundary: boundary)
        try form.append(
            parameters: parameters, flattener: HTTPRequestSerializer().snapshot.flattener, encoding: .utf8)
        try fill(form)
        return MultipartBodyStream(try form.finishedBody())
    }

    private func fill(_ form: any MultipartFormData) throws {
        for part in parts {
            switch part.kind {
            case .form:
                form.appendPart(withForm: part.content, name: part.name)
            case .data:
                form.appendPart(
                    withFileData: part.content, name: part.name, fileName: part.fileName, mimeType: "image/png")
            case .file:
                try form.appendPart(
                    withFileURL: part.file, name: part.name, fileName: part.fileName, mimeType: "text/plain")
            case .stream:
                form.appendPart(
                    with: InputStream(data: part.content), name: part.name, fileName: part.fileName,
                    length: Int64(part.content.count), mimeType: "application/octet-stream")
            }
        }
    }
}
