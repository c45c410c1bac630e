// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

extension FuzzTarget {
    static let archive = FuzzTarget(
        "archive", maximumLength: 16_384,
        seeds: [
            { () -> Data? in
                let operation = HTTPRequestOperation(
                    request: URLRequest(url: URL(string: "http://example.com/") ?? URL(fileURLWithPath: "/")))
                return try? operation.archivedData()
            }(), Data("{}".utf8),
        ].compactMap { $0 }
    ) { input in
        guard let operation = try? HTTPRequestOperation(archivedData: input) else { return }
        _ = try? operation.archivedData()
        _ = operation.description
        operation.cancel()
    }

    /// The note beside a partial file.
    static let note = FuzzTarget(
        "note",
        texts: [
            #"{"validator":"\"a\"","totalLength":5,"resource":"00","file":{"inode":1,"birth":{"seconds":1,"nanoseconds":2}}}"#,
            #"{"validator":"Wed, 21 Oct 2015 07:28:00 GMT","file":{"inode":18446744073709551615,"device":3}}"#,
        ]
    ) { input in
        guard let note = PartialNote(input) else { return }
        guard !note.validator.isEmpty, !note.validator.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            broken("a validator can stand in a field")
        }
        guard note.totalLength ?? 0 >= 0 else { broken("a length is not negative") }
    }

    /// Names, file names and types of a multipart form, separated by zeros.
    static let multipart = FuzzTarget(
        "multipart",
        texts: ["name\u{0}file.txt\u{0}text/plain\u{0}content", "a\"b\u{0}c\r\nd\u{0}x/y\r\nX: 1\u{0}\r\n--"]
    ) { input in
        let pieces = input.split(separator: 0, maxSplits: 3, omittingEmptySubsequences: false)
        let texts = pieces.map { String(decoding: $0, as: UTF8.self) } + ["", "", "", ""]
        let content = Data(pieces.last ?? Data())
        let request = try? HTTPRequestSerializer().multipartFormRequest(
            withMethod: "POST", urlString: "http://example.com/", parameters: nil
        ) {
            $0.appendPart(withFileData: content, name: texts[0], fileName: texts[1], mimeType: texts[2])
        }
        guard let stream = request?.httpBodyStream else { return }
        stream.open()
        defer { stream.close() }
        var body: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = stream.read(&buffer, maxLength: buffer.count), count > 0 { body += buffer.prefix(count) }
        guard let end = body.firstRange(of: Array("\r\n\r\n".utf8)) else { broken("a part has a head") }
        // The boundary, Content-Disposition and Content-Type: no name makes a line of its own.
        let lines = body[..<end.lowerBound].split(separator: 0x0A)
        guard lines.count == 3, lines[1].starts(with: "Content-Disposition: form-data; name=\"".utf8) else {
            broken("a part's head has the lines that the library writes")
        }
    }
}
