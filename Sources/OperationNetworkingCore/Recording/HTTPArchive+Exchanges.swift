// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
package import NetworkingTransport

/// One request and the response to it, as HAR 1.2 has them.
package struct ArchivedExchange: Sendable {
    package var method: String
    /// Without user name and password.
    package var url: String
    package var requestHeaders: [HeaderField]
    /// nil: none.
    package var requestBody: Data?
    /// 0: there was no response.
    package var status: Int
    package var responseHeaders: [HeaderField]
    /// Decoded.
    package var content: Data
    /// The reason that there was no response, in words; nil: there was one, or the reason is unknown.
    package var failure: String?
    package var date: Date
    package var timings = TransferTimings()

    package init(
        method: String, url: String, requestHeaders: [HeaderField], requestBody: Data?, status: Int,
        responseHeaders: [HeaderField], content: Data, failure: String? = nil, date: Date
    ) {
        self.method = method
        self.url = url
        self.requestHeaders = requestHeaders
        self.requestBody = requestBody
        self.status = status
        self.responseHeaders = responseHeaders
        self.content = content
        self.failure = failure
        self.date = date
    }

    /// The text that stands in a file for a secret.
    package static let mask = "***"
}

extension HTTPArchive {
    /// An archive of exchanges as JSON. Secrets in header fields, and user names and passwords in URLs, are left out.
    package static func data(of exchanges: [ArchivedExchange]) throws -> Data {
        try encode(exchanges.map(HTTPArchiveEntry.init))
    }

    /// The exchanges of an archive from any program. Parts that are not needed are not checked.
    ///
    /// - Throws: a `DecodingError`, or what `JSONText` says of it.
    package static func exchanges(in data: Data) throws -> [ArchivedExchange] {
        let document = try JSONDecoder().decode(ReadDocument.self, from: JSONText.parsable(data))
        return document.log.entries.map(ArchivedExchange.init)
    }
}

extension HTTPArchiveEntry {
    init(_ exchange: ArchivedExchange) {
        var timings = Timings()
        timings.wait = max(0, exchange.timings.firstByte) * 1000
        timings.receive = max(0, exchange.timings.total - exchange.timings.firstByte) * 1000
        let type = exchange.requestHeaders.first { $0.name.isFieldName("Content-Type") }?.value ?? ""
        let responseType = exchange.responseHeaders.first { $0.name.isFieldName("Content-Type") }?.value ?? ""
        let location = exchange.responseHeaders.first { $0.name.isFieldName("Location") }?.value ?? ""
        let version = exchange.timings.httpVersion.isEmpty ? "" : "HTTP/\(exchange.timings.httpVersion)"
        let url = URL(escaping: exchange.url)?.withoutUserInfo
        let query = url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true) }?.queryItems ?? []
        let (text, encoding) = Self.text(of: exchange.content)
        self.init(
            startedDateTime: exchange.date,
            time: timings.total,
            request: Request(
                method: exchange.method, url: url?.absoluteString ?? "", httpVersion: version,
                headers: exchange.requestHeaders.map { Self.masked($0.name, $0.value) },
                queryString: query.map { Pair(name: $0.name, value: $0.value ?? "") },
                postData: exchange.requestBody.map { body in
                    let (text, encoding) = Self.text(of: body)
                    return PostData(mimeType: type, text: text, encoding: encoding)
                }, headersSize: -1, bodySize: Int64(exchange.requestBody?.count ?? 0)),
            response: Response(
                status: exchange.status,
                statusText: exchange.status == 0
                    ? "" : HTTPURLResponse.localizedString(forStatusCode: exchange.status),
                httpVersion: version, headers: exchange.responseHeaders.map { Self.masked($0.name, $0.value) },
                content: Content(
                    size: Int64(exchange.content.count), mimeType: responseType,
                    text: exchange.content.isEmpty ? nil : text, encoding: encoding),
                redirectURL: URL(escaping: location)?.withoutUserInfo.absoluteString ?? "", headersSize: -1,
                bodySize: exchange.timings.bytesReceived, error: exchange.failure), timings: timings)
    }
}

extension ResponseHead {
    /// The fields as an archive has them, which is text. Of a `Location` that is not UTF-8 the octets are
    /// percent-encoded: so it leads to the same place when it is played back.
    package var archivedFields: [HeaderField] {
        var fields: [HeaderField] = []
        forEachField { fields.append(HeaderField($0, $1)) }
        let known: [(KnownField, StaticString)] = [(.location, "Location"), (.contentLocation, "Content-Location")]
        for (field, name) in known {
            guard let octets = firstOctets(for: field, limit: .max), String(validating: octets, as: UTF8.self) == nil,
                let text = URLEscaping.escaped(octets: octets),
                let index = fields.firstIndex(where: { $0.name.utf8.equalsIgnoringCase(name) })
            else { continue }
            fields[index] = HeaderField(fields[index].name, text)
        }
        return fields
    }
}

// MARK: - Reading

/// The parts of HAR 1.2 that are read.
private struct ReadDocument: Decodable {
    struct Log: Decodable { var entries: [Entry] }
    struct Pair: Decodable { var name: String, value: String }
    struct Text: Decodable {
        var text: String?
        var encoding: String?
        var ownEncoding: String?

        enum CodingKeys: String, CodingKey {
            case text, encoding
            case ownEncoding = "_encoding"
        }

        func data(_ path: [any CodingKey]) throws -> Data? {
            guard let text else { return nil }
            guard (encoding ?? ownEncoding) == "base64" else { return Data(text.utf8) }
            guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: path, debugDescription: "the content is said to be base 64 and is not"))
            }
            return data
        }
    }
    struct Request: Decodable {
        var method: String
        var url: String
        var headers: [Pair]?
        var postData: Text?
    }
    struct Response: Decodable {
        var status: Int
        var headers: [Pair]?
        var content: Text?
        var error: String?

        enum CodingKeys: String, CodingKey {
            case status, headers, content
            case error = "_error"
        }
    }
    struct Entry: Decodable {
        var startedDateTime: String?
        var request: Request
        var response: Response
        /// Decoded contents.
        var requestBody: Data?
        var content: Data

        enum CodingKeys: CodingKey { case startedDateTime, request, response }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            startedDateTime = try container.decodeIfPresent(String.self, forKey: .startedDateTime)
            request = try container.decode(Request.self, forKey: .request)
            response = try container.decode(Response.self, forKey: .response)
            requestBody = try request.postData?.data(decoder.codingPath)
            content = try response.content?.data(decoder.codingPath) ?? Data()
        }
    }
    var log: Log
}

extension ArchivedExchange {
    fileprivate init(_ entry: ReadDocument.Entry) {
        let fields: ([ReadDocument.Pair]?) -> [HeaderField] = { pairs in
            // Browsers list the pseudo-header fields of HTTP/2, too.
            (pairs ?? []).filter { !$0.name.utf8.starts(with: ":".utf8) }.map { HeaderField($0.name, $0.value) }
        }
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        self.init(
            method: entry.request.method, url: entry.request.url, requestHeaders: fields(entry.request.headers),
            requestBody: entry.requestBody, status: entry.response.status,
            responseHeaders: fields(entry.response.headers), content: entry.content, failure: entry.response.error,
            date: entry.startedDateTime.flatMap { try? style.parse($0) } ?? Date())
    }
}
