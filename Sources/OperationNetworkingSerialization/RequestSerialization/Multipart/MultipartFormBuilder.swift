// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

/// The form that a `constructingBodyWith` block fills.
final class MultipartFormBuilder: MultipartFormData {
    private(set) var body: MultipartBody
    /// The first mistake in a call that cannot throw.
    private var firstError: RequestSerializationError?

    init(boundary: String = MultipartBody.makeBoundary()) {
        body = MultipartBody(boundary: boundary)
    }

    /// The finished body; throws the first mistake made.
    func finishedBody() throws -> MultipartBody {
        if let firstError { throw firstError }
        var body = body
        body.finish()
        return body
    }

    // MARK: Parts

    func appendPart(withFileURL fileURL: URL, name: String) throws {
        try appendPart(
            withFileURL: fileURL, name: name, fileName: fileURL.lastPathComponent,
            mimeType: MediaTypes.type(forPathExtension: fileURL.pathExtension))
    }

    func appendPart(withFileURL fileURL: URL, name: String, fileName: String, mimeType: String) throws {
        let file = try FilePart(url: fileURL)
        try append(Self.fields(name: name, fileName: fileName, mimeType: mimeType), .file(file))
    }

    func appendPart(with inputStream: InputStream?, name: String, fileName: String, length: Int64, mimeType: String) {
        let source = inputStream.map { MultipartBody.Source.stream($0, name: name, length: length < 0 ? nil : length) }
        record {
            try append(Self.fields(name: name, fileName: fileName, mimeType: mimeType), source ?? .data(Data()))
        }
    }

    func appendPart(withFileData data: Data, name: String, fileName: String, mimeType: String) {
        record { try append(Self.fields(name: name, fileName: fileName, mimeType: mimeType), .data(data)) }
    }

    func appendPart(withForm data: Data, name: String) {
        record { try append([Self.disposition(name: name, fileName: nil)], .data(data)) }
    }

    func appendPart(withHeaders headers: [String: String]?, body: Data) {
        let fields = (headers ?? [:]).map { HeaderTable.Field(name: $0.key, value: $0.value) }
        record { try append(fields.sorted(by: Self.precedes), .data(body)) }
    }

    func throttleBandwidth(withPacketSize numberOfBytes: Int, delay: TimeInterval) {
        body.packetSize = numberOfBytes > 0 ? numberOfBytes : nil
        body.packetDelay = delay > 0 ? delay : 0
    }

    /// Appends the fields of form parameters.
    func append(parameters: [String: Any], flattener: ParameterFlattener, encoding: String.Encoding) throws {
        try flattener.forEachField(of: parameters) { key, value in
            let key = key ?? ""
            switch value {
            case nil: appendPart(withForm: Data(), name: key)
            case .data(let data): appendPart(withForm: data, name: key)
            case .text(let text): appendPart(withForm: try Self.data(text, key, encoding), name: key)
            case .list(let texts):
                appendPart(withForm: try Self.data(texts.joined(separator: ","), key, encoding), name: key)
            }
        }
    }

    private static func data(_ text: String, _ key: String, _ encoding: String.Encoding) throws -> Data {
        guard let data = EncodedText.data(of: text, in: encoding) else {
            throw RequestSerializationError(
                code: .invalidParameters,
                reason: "The value of the parameter \(key.debugDescription) cannot be written in the encoding "
                    + "\(encoding); use UTF-8.")
        }
        return data
    }

    private func record(_ append: () throws -> Void) {
        do {
            try append()
        } catch {
            firstError =
                firstError ?? error as? RequestSerializationError
                ?? RequestSerializationError(
                    code: .invalidParameters, reason: "The part could not be appended.", underlyingError: error)
        }
    }

    private func append(_ fields: [HeaderTable.Field], _ source: MultipartBody.Source) throws {
        for field in fields {
            guard field.name.isToken, FieldSyntax.isFieldValue(field.value) else {
                throw RequestSerializationError(
                    code: .invalidHeaderField,
                    reason: "A part's header field \(field.name.debugDescription) has a name that is not a token or "
                        + "a value with a line break.")
            }
        }
        body.append(headers: fields, source: source)
    }

    // MARK: Header fields

    private static func fields(name: String, fileName: String, mimeType: String) -> [HeaderTable.Field] {
        [disposition(name: name, fileName: fileName), HeaderTable.Field(name: "Content-Type", value: mimeType)]
    }

    private static func disposition(name: String, fileName: String?) -> HeaderTable.Field {
        var value = "form-data; name=\"\(escaped(withWholeLineEnds(name)))\""
        if let fileName { value += "; filename=\"\(escaped(fileName))\"" }
        return HeaderTable.Field(name: "Content-Disposition", value: value)
    }

    /// As the WHATWG's multipart/form-data encoding has the names of fields, but not of files: line ends have two
    /// bytes.
    private static func withWholeLineEnds(_ name: String) -> String {
        guard name.utf8.contains(where: { $0 == 0x0D || $0 == 0x0A }) else { return name }
        var bytes: [UInt8] = []
        var previous: UInt8 = 0
        for byte in name.utf8 {
            switch byte {
            case 0x0A where previous == 0x0D: break
            case 0x0A, 0x0D: bytes += [0x0D, 0x0A]
            default: bytes.append(byte)
            }
            previous = byte
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// As the WHATWG's multipart/form-data encoding escapes names; and NUL, which no parser agrees about.
    private static func escaped(_ name: String) -> String {
        var escaped: [UInt8] = []
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "\""): escaped += "%22".utf8
            case 0x0D: escaped += "%0D".utf8
            case 0x0A: escaped += "%0A".utf8
            case 0x00: escaped += "%00".utf8
            default: escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }

    private static func precedes(_ left: HeaderTable.Field, _ right: HeaderTable.Field) -> Bool {
        let left = (rank(left.name), left.name), right = (rank(right.name), right.name)
        return left.0 != right.0 ? left.0 < right.0 : TextOrder.precedes(left.1, right.1)
    }

    private static func rank(_ name: String) -> Int {
        switch name.lowercased() {
        case "content-disposition": 0
        case "content-type": 1
        default: 2
        }
    }
}
