// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
@testable internal import OperationNetworkingCore
@testable internal import OperationNetworkingSerialization
internal import Testing

/// A directory that goes when the test is over.
final class TemporaryDirectory {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("multipart-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func file(_ name: String, _ data: Data = Data()) throws -> URL {
        let file = url.appendingPathComponent(name)
        try data.write(to: file)
        return file
    }
}

/// What a body stream gave until it ended or failed.
struct StreamOutcome {
    var data = Data()
    var status: Stream.Status
    var error: (any Error)?
    var lastRead = 0
    var largestRead = 0

    var code: RequestSerializationError.Code? { (error as? RequestSerializationError)?.code }
}

extension InputStream {
    /// Opens the stream and reads it to its end, `size()` bytes at a time.
    func readAll(_ size: () -> Int = { 1 << 16 }) -> StreamOutcome {
        open()
        var outcome = StreamOutcome(status: .notOpen)
        while true {
            var buffer = [UInt8](repeating: 0, count: size())
            outcome.lastRead = read(&buffer, maxLength: buffer.count)
            guard outcome.lastRead > 0 else { break }
            outcome.largestRead = max(outcome.largestRead, outcome.lastRead)
            outcome.data += buffer.prefix(outcome.lastRead)
        }
        outcome.status = streamStatus
        outcome.error = streamError
        close()
        return outcome
    }
}

/// A multipart request of the default serializer.
func multipartRequest(
    parameters: [String: Any]? = nil, _ block: ((any MultipartFormData) throws -> Void)? = nil
) throws -> URLRequest {
    try HTTPRequestSerializer().multipartFormRequest(
        withMethod: "POST", urlString: "http://h/upload", parameters: parameters, constructingBodyWith: block)
}

/// The text of a request's body, its boundary replaced by `B`.
func multipartText(_ request: URLRequest) throws -> String {
    let stream = try #require(request.httpBodyStream as? MultipartBodyStream)
    let outcome = try #require(try stream.makeReplay() as InputStream?).readAll()
    #expect(outcome.lastRead == 0)
    return String(decoding: outcome.data, as: UTF8.self).replacingOccurrences(of: stream.body.boundary, with: "B")
}
