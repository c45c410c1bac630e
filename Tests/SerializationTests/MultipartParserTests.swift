// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
@testable internal import OperationNetworkingCore
@testable internal import OperationNetworkingSerialization
internal import Testing

/// Parsers that others wrote: Werkzeug's (httpbin's) and python-multipart's (Starlette's), in a Python environment at
/// `ON_TEST_VENV` or `.build/test-venv`.
enum OtherParsers {
    static let python: String? = {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let environment =
            ProcessInfo.processInfo.environment["ON_TEST_VENV"]
            ?? package.appendingPathComponent(".build/test-venv").path
        let python = environment + "/bin/python3"
        return FileManager.default.isExecutableFile(atPath: python) ? python : nil
    }()

    struct Part: Codable, Hashable, CustomStringConvertible {
        var name: String
        var filename: String?
        var type: String?
        var data: String

        var description: String { "\(name.debugDescription) \(filename.debugDescription) \(type ?? "-") \(data.count)" }
    }

    /// Prints the parts that a parser finds in each of the files, as lines of JSON. Data are given in hexadecimal.
    static let script = #"""
        import io, json, sys

        def werkzeug_parts(content_type, body):
            from werkzeug.formparser import FormDataParser
            from werkzeug.http import parse_options_header
            mimetype, options = parse_options_header(content_type)
            stream, form, files = FormDataParser(
                silent=False, max_form_memory_size=None, max_form_parts=None
            ).parse(io.BytesIO(body), mimetype, len(body), options)
            parts = [dict(name=n, filename=f.filename, type=f.content_type, data=f.stream.read().hex())
                     for n, f in files.items(multi=True)]
            return parts + [dict(name=n, filename=None, type=None, data=v.encode("utf-8").hex())
                            for n, v in form.items(multi=True)]

        def python_multipart_parts(content_type, body):
            from python_multipart.multipart import MultipartParser, parse_options_header
            _, options = parse_options_header(content_type)
            parts, state = [], {}
            def begin(): state.update(headers={}, field=b"", value=b"", data=b"")
            def field(d, s, e): state["field"] += d[s:e]
            def value(d, s, e): state["value"] += d[s:e]
            def header_end():
                state["headers"][state["field"].lower().decode()] = state["value"]
                state.update(field=b"", value=b"")
            def data(d, s, e): state["data"] += d[s:e]
            def end():
                _, items = parse_options_header(state["headers"]["content-disposition"])
                part_type = state["headers"].get("content-type")
                parts.append(dict(
                    name=items[b"name"].decode("utf-8"),
                    filename=items[b"filename"].decode("utf-8") if b"filename" in items else None,
                    type=part_type.decode() if part_type else None, data=state["data"].hex()))
            finished = []
            parser = MultipartParser(options[b"boundary"], dict(
                on_part_begin=begin, on_header_field=field, on_header_value=value, on_header_end=header_end,
                on_part_data=data, on_part_end=end, on_end=lambda: finished.append(True)))
            parser.write(body)
            parser.finalize()
            assert finished
            return parts

        for line in sys.stdin:
            path, content_type = json.loads(line)
            with open(path, "rb") as file:
                body = file.read()
            for parse in (werkzeug_parts, python_multipart_parts):
                print(json.dumps(parse(content_type, body)))
        """#

    /// For each body, what each parser makes of it.
    static func parse(_ requests: [URLRequest], in directory: TemporaryDirectory) async throws -> [[[Part]]] {
        var input = Data()
        for (index, request) in requests.enumerated() {
            let file = directory.url.appendingPathComponent("body-\(index)")
            let result = try await HTTPRequestSerializer().writeStreamContents(
                ofMultipartFormRequest: request, toFile: file)
            let type = result.value(forHTTPHeaderField: "Content-Type") ?? ""
            input += try JSONEncoder().encode([file.path, type]) + Data("\n".utf8)
        }
        let inputFile = try directory.file("input", input)
        let scriptFile = try directory.file("parse.py", Data(script.utf8))
        let outputFile = try directory.file("output")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(python))
        process.arguments = [scriptFile.path]
        process.standardInput = try FileHandle(forReadingFrom: inputFile)
        process.standardOutput = try FileHandle(forWritingTo: outputFile)
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let lines = try Data(contentsOf: outputFile).split(separator: UInt8(ascii: "\n"))
        let answers = try lines.map { try JSONDecoder().decode([Part].self, from: $0) }
        try #require(answers.count == requests.count * 2)
        return (0..<requests.count).map { [answers[$0 * 2], answers[$0 * 2 + 1]] }
    }
}

@Suite("Multipart bodies in other parsers", .enabled(if: OtherParsers.python != nil), .timeLimit(.minutes(2)))
struct MultipartParserTests {
    typealias Part = OtherParsers.Part

    private func hex(_ data: Data) -> String {
        data.map { String(format: "%02x", $0) }.joined()
    }

    @Test("Two parsers find every part of a form of each kind")
    func everyKind() async throws {
        let directory = try TemporaryDirectory()
        let content = Data((0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let file = try directory.file("ünï cödé.png", content)
        let request = try multipartRequest(parameters: ["text": "é😃", "list": [1, 2], "flag": true]) { form in
            try form.appendPart(withFileURL: file, name: "file")
            form.appendPart(
                with: InputStream(data: content), name: "stream", fileName: "s.bin", length: Int64(content.count),
                mimeType: "application/octet-stream")
            form.appendPart(withFileData: Data(), name: "empty", fileName: "empty.txt", mimeType: "text/plain")
            form.appendPart(withForm: Data("\r\n--\r\n".utf8), name: "tricky")
        }
        let expected: Set<Part> = [
            Part(name: "flag", data: hex(Data("1".utf8))),
            Part(name: "list[]", data: hex(Data("1".utf8))),
            Part(name: "list[]", data: hex(Data("2".utf8))),
            Part(name: "text", data: hex(Data("é😃".utf8))),
            Part(name: "file", filename: "ünï cödé.png", type: "image/png", data: hex(content)),
            Part(name: "stream", filename: "s.bin", type: "application/octet-stream", data: hex(content)),
            Part(name: "empty", filename: "empty.txt", type: "text/plain", data: ""),
            Part(name: "tricky", data: hex(Data("\r\n--\r\n".utf8))),
        ]
        for parts in try await OtherParsers.parse([request], in: directory)[0] {
            #expect(parts.count == expected.count)
            #expect(Set(parts) == expected)
        }
    }

    @Test("Escaped names do not end the header field or begin another")
    func escapedNames() async throws {
        let directory = try TemporaryDirectory()
        let names = ["a\"b", "a\r\nX-Evil: 1", "a\"; filename=\"evil", "é漢😃", "a;b=c", "100%"]
        let requests = try names.map { name in
            try multipartRequest {
                $0.appendPart(withFileData: Data("x".utf8), name: name, fileName: name, mimeType: "x/y")
            }
        }
        for (name, answers) in zip(names, try await OtherParsers.parse(requests, in: directory)) {
            for parts in answers {
                #expect(parts.count == 1)
                #expect(parts.first?.type == "x/y")
                #expect(parts.first?.data == "78")
                // Werkzeug turns %22 back into a quote, python-multipart leaves what is on the wire.
                let wire = name.replacingOccurrences(of: "\r", with: "%0D").replacingOccurrences(of: "\n", with: "%0A")
                let accepted = [wire, wire.replacingOccurrences(of: "\"", with: "%22")]
                #expect(accepted.contains(parts.first?.name ?? ""), "\(parts)")
                #expect(accepted.contains(parts.first?.filename ?? ""), "\(parts)")
            }
        }
    }

    @Test("Random forms are found as they were made")
    func randomForms() async throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededRandom(seed: seed)
        let directory = try TemporaryDirectory()
        var expected: [[Part]] = []
        var requests: [URLRequest] = []
        for index in 0..<40 {
            var form = try RandomParts.make(in: directory, prefix: "\(index)", using: &generator)
            form.parameters = [:]
            for part in form.parts.indices {
                // Names are the other tests' business; text fields must be UTF-8 for Werkzeug.
                form.parts[part].name = "n\(part)"
                form.parts[part].fileName = "f\(part)"
                if form.parts[part].kind == .form {
                    form.parts[part].content = Data(String(decoding: form.parts[part].content, as: UTF8.self).utf8)
                }
            }
            requests.append(try form.request())
            expected.append(form.parts.map(part))
        }
        for (expected, answers) in zip(expected, try await OtherParsers.parse(requests, in: directory)) {
            for parts in answers { #expect(Set(parts) == Set(expected), "seed \(seed)") }
            // Werkzeug keeps files and fields apart; the other one keeps the order.
            #expect(answers[1] == expected, "seed \(seed)")
        }
    }

    private func part(_ part: RandomParts.Part) -> Part {
        switch part.kind {
        case .form: Part(name: part.name, data: hex(part.content))
        case .data: Part(name: part.name, filename: part.fileName, type: "image/png", data: hex(part.content))
        case .file: Part(name: part.name, filename: part.fileName, type: "text/plain", data: hex(part.content))
        case .stream:
            Part(
                name: part.name, filename: part.fileName, type: "application/octet-stream", data: hex(part.content))
        }
    }
}
