// SPDX-License-Identifier: MIT
internal import Foundation

/// A multipart body as it was built: what a stream is made from, as often as it is needed.
struct MultipartBody {
    /// The source of a part's bytes.
    enum Source {
        case data(Data)
        case file(FilePart)
        /// A caller's stream and the bytes it is said to have, nil: unknown.
        case stream(InputStream, name: String, length: Int64?)

        var length: Int64? {
            switch self {
            case .data(let data): Int64(data.count)
            case .file(let file): file.length
            case .stream(_, _, let length): length
            }
        }

        /// The name of the source in an error when it can be read only once; nil: it can be read again.
        var singleUseName: String? {
            switch self {
            case .data: nil
            case .file(let file): file.length == nil ? "the file \(file.url.path)" : nil
            case .stream(_, let name, _): "the stream of the part \(name.debugDescription)"
            }
        }
    }

    let boundary: String
    private(set) var sources: [Source] = []
    /// The most bytes in one read; nil: no limit.
    var packetSize: Int?
    /// Seconds between two reads.
    var packetDelay: TimeInterval = 0
    private var partCount = 0

    init(boundary: String) {
        self.boundary = boundary
    }

    var isEmpty: Bool { partCount == 0 }

    mutating func append(headers: [HeaderTable.Field], source: Source) {
        var head = isEmpty ? "" : "\r\n"
        head += "--\(boundary)\r\n"
        for field in headers { head += "\(field.name): \(field.value)\r\n" }
        head += "\r\n"
        sources.append(.data(Data(head.utf8)))
        sources.append(source)
        partCount += 1
    }

    /// Adds the closing delimiter.
    mutating func finish() {
        sources.append(.data(Data("\r\n--\(boundary)--\r\n".utf8)))
    }

    /// Bytes in all; nil when a source does not know, or when they are more than a number can say.
    var contentLength: Int64? {
        var total: Int64 = 0
        for source in sources {
            guard let length = source.length else { return nil }
            let (sum, overflow) = total.addingReportingOverflow(length)
            guard !overflow else { return nil }
            total = sum
        }
        return total
    }

    var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    /// `Boundary+` and 64 random bits in upper-case hexadecimal.
    static func makeBoundary() -> String {
        let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16, uppercase: true)
        return "Boundary+" + String(repeating: "0", count: 16 - digits.count) + digits
    }
}
