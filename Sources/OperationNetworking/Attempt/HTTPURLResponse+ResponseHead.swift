// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

extension HTTPURLResponse {
    /// Foundation's view of a response head.
    convenience init?(head: ResponseHead, url: URL) {
        let (url, version) = (url.withoutUserInfo, "HTTP/" + head.httpVersion)
        if let fields = ResponseLayout.fields(of: head) {
            self.init(url: url, statusCode: head.statusCode, httpVersion: version, headerFields: nil)
            FoundationResponse.put(fields, into: self)
        } else {
            let fields = ReceivedFields(head)
            self.init(url: url, statusCode: head.statusCode, httpVersion: version, headerFields: fields.rest)
            fields.complete(self, head)
        }
    }

    /// Whether the content of both responses is the same, as far as heads tell.
    func describesSame(as other: HTTPURLResponse) -> Bool {
        let names = ["ETag", "Last-Modified", "Content-Type", "Content-Encoding", "Content-Length", "Content-Range"]
        return statusCode == other.statusCode
            && names.allSatisfy { name in
                // As bytes: the server's text.
                switch (value(forHTTPHeaderField: name), other.value(forHTTPHeaderField: name)) {
                case (nil, nil): true
                case (let own?, let others?): own.utf8.elementsEqual(others.utf8)
                default: false
                }
            }
    }
}

/// The fields of a response on their way to Foundation's class.
private struct ReceivedFields {
    /// What Foundation's initializer gets.
    private(set) var rest: [String: String] = [:]
    private var known = FoundationResponse.Fields()
    /// A value of `Content-Type` that Foundation takes apart this time.
    private var newMediaType: String?

    /// Foundation takes values apart by `Character`, which for a long run of combining marks takes quadratic time. Values of
    /// that length are no media types and no names of files.
    private static let longestParsedValue = 4096
    private static let parsedNames = ["Content-Type", "Content-Disposition"]

    init(_ head: ResponseHead) {
        let fields = head.joinedFields
        let spellings = FoundationResponse.spellings
        known.table.reserveCapacity(fields.count)
        for (name, value) in fields {
            if value.utf8.count > Self.longestParsedValue, Self.parsedNames.contains(where: name.isFieldName) {
                continue
            }
            guard let spelling = spellings[name] else {
                rest[name] = value
                continue
            }
            known.table[spelling] = value
            switch spelling {
            case "Content-Length":
                known.contentLength = Int64(value)
            case "Content-Type":
                known.mediaType = FoundationResponse.mediaType(value)
                guard known.mediaType == nil else { continue }
                newMediaType = value
                rest[name] = value
            default:
                break
            }
        }
    }

    /// Adds what Foundation's initializer did not get, and notes what it made of the rest.
    func complete(_ response: HTTPURLResponse, _ head: ResponseHead) {
        FoundationResponse.put(known, into: response)
        if let newMediaType {
            FoundationResponse.note((response.mimeType, response.textEncodingName), for: newMediaType)
        }
        if let table = FoundationResponse.table(of: response) { ResponseLayout.note(table, of: head) }
    }
}

extension ResponseHead {
    /// The fields in the order received; those that came several times joined by ", " under their first spelling. Names are
    /// ASCII tokens, so that comparing, hashing and folding them takes linear time.
    var joinedFields: [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = []
        fields.reserveCapacity(16)
        // Where each is, by its name in lower case, once there are many: a head may hold tens of thousands.
        var places: [String: Int] = [:]
        forEachField { name, value in
            let place: Int?
            if fields.count < Self.manyFields {
                place = fields.firstIndex { $0.name.isFieldName(name) }
            } else {
                if places.isEmpty {
                    for (index, field) in fields.enumerated() {
                        places[field.name.lowercased()] = index  // checked: a token
                    }
                }
                place = places[name.lowercased()]  // checked: a token
            }
            if let place {
                fields[place].value.append(", " + value)
            } else {
                if !places.isEmpty { places[name.lowercased()] = fields.count }  // checked: a token
                fields.append((name, value))
            }
        }
        return fields
    }

    private static let manyFields = 32
}
