// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport

/// What Foundation makes of the fields that most responses have, asked once for all responses: to spell a name as it does
/// and to take a media type apart costs it more than the whole rest of a request.
///
/// Everything here is Foundation's own answer. What is not known here goes to its initializer, as all of it does with a
/// Foundation that keeps a response in other fields.
enum FoundationResponse {
    typealias MediaType = (mimeType: String?, textEncodingName: String?)

    /// What a response keeps that its initializer did not get.
    struct Fields {
        /// By Foundation's spelling.
        var table: [String: String] = [:]
        var contentLength: Int64?
        var mediaType: MediaType?
    }

    /// Where a response keeps what its initializer works out; nil: this Foundation does it in another way.
    struct Places: Sendable {
        let fields: StoredFields.Place<[String: String]>
        let length: StoredFields.Place<Int64>
        let mimeType: StoredFields.Place<String?>
        let encoding: StoredFields.Place<String?>
    }

    static let places: Places? = {
        let fields = StoredFields(of: HTTPURLResponse.self)
        guard let table = fields.place(of: "_allHeaderFields", [String: String].self),
            let length = fields.place(of: "expectedContentLength", Int64.self),
            let mimeType = fields.place(of: "mimeType", String?.self),
            let encoding = fields.place(of: "textEncodingName", String?.self)
        else { return nil }
        return Places(fields: table, length: length, mimeType: mimeType, encoding: encoding)
    }()

    /// The fields as a response keeps them; nil: this Foundation does it in another way.
    static func table(of response: HTTPURLResponse) -> [String: String]? { places?.fields.value(of: response) }

    /// Puts fields into a response, beside those that its initializer got.
    static func put(_ fields: Fields, into response: HTTPURLResponse) {
        guard let places, !fields.table.isEmpty else { return }
        var table = fields.table
        if let others = places.fields.value(of: response), !others.isEmpty { table.merge(others) { $1 } }
        places.fields.set(table, of: response)
        if let length = fields.contentLength { places.length.set(length, of: response) }
        guard let mediaType = fields.mediaType else { return }
        places.mimeType.set(mediaType.mimeType, of: response)
        places.encoding.set(mediaType.textEncodingName, of: response)
    }

    /// Foundation's spelling of names, as servers write them and in lower case, as they come by HTTP/2. Empty: nothing is
    /// known.
    static let spellings: [String: String] = {
        guard places != nil, let url = URL(string: "http://localhost/") else { return [:] }
        var table: [String: String] = [:]
        for name in names + names.map({ $0.lowercased() }) {
            let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: [name: ""])
            if let fields = response?.allHeaderFields as? [String: String], let known = fields.keys.first {
                table[name] = known
            }
        }
        return table
    }()

    /// No `Content-Disposition`, whose value Foundation takes apart.
    private static let names = [
        "Accept-Ranges", "Access-Control-Allow-Credentials", "Access-Control-Allow-Headers",
        "Access-Control-Allow-Methods", "Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Age", "Allow",
        "Alt-Svc", "CF-Cache-Status", "CF-RAY", "Cache-Control", "Connection", "Content-Encoding", "Content-Language",
        "Content-Length", "Content-Range", "Content-Security-Policy", "Content-Type", "Date", "ETag", "Expires",
        "Keep-Alive", "Last-Modified", "Link", "Location", "NEL", "Pragma", "Referrer-Policy", "Report-To",
        "Retry-After", "Server", "Server-Timing", "Set-Cookie", "Strict-Transport-Security", "Transfer-Encoding",
        "Vary", "Via", "WWW-Authenticate", "X-Cache", "X-Content-Type-Options", "X-Frame-Options", "X-Powered-By",
        "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-Request-Id", "X-XSS-Protection",
    ]

    // MARK: Media types

    /// By the field's value.
    private static let mediaTypes = Locked<[String: MediaType]>([:])
    private static let longestMediaType = 128
    private static let mediaTypeLimit = 64

    /// What a value of `Content-Type` was taken for; nil: not known yet.
    static func mediaType(_ value: String) -> MediaType? {
        // Before it is hashed: a long run of combining marks takes quadratic time.
        guard value.utf8.count <= longestMediaType else { return nil }
        return mediaTypes.withLock { $0[value] }
    }

    /// Notes what Foundation took a value for.
    static func note(_ type: MediaType, for value: String) {
        guard value.utf8.count <= longestMediaType else { return }
        mediaTypes.withLock { types in
            // Values that differ from response to response, such as a boundary, do not fill it for good.
            if types.count >= mediaTypeLimit { types.removeAll(keepingCapacity: true) }
            types[value] = type
        }
    }
}
