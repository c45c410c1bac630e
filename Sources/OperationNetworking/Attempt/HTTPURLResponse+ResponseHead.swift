// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

extension HTTPURLResponse {
    /// Foundation's view of a response head.
    convenience init?(head: ResponseHead, url: URL) {
        var (fields, spellings) = head.joinedFields
        for name in Self.parsedFields {
            guard let known = spellings[name], let value = fields[known], !Self.mayBeParsed(value) else { continue }
            fields[known] = nil
        }
        self.init(
            url: url.withoutUserInfo, statusCode: head.statusCode, httpVersion: "HTTP/" + head.httpVersion,
            headerFields: fields)
    }

    /// What Foundation takes apart when a response is made.
    private static let parsedFields = ["content-type", "content-disposition"]
    private static let longestParsedValue = 4096

    /// Foundation takes apart by `Character`, which for a long run of combining marks takes quadratic time. Values of that
    /// length are no media types and no names of files.
    private static func mayBeParsed(_ value: String) -> Bool { value.utf8.count <= longestParsedValue }
}

extension ResponseHead {
    /// The fields by name, those that came several times joined by ", ", and by the name in lower case the spelling under
    /// which a field is there. Names are ASCII tokens, so that hashing and folding them takes linear time.
    var joinedFields: (fields: [String: String], spellings: [String: String]) {
        var fields: [String: String] = [:]
        // A head may hold tens of thousands of fields.
        var spellings: [String: String] = [:]
        forEachField { name, value in
            let key = name.lowercased()  // checked: a token
            if let known = spellings[key] {
                fields[known]?.append(", " + value)
            } else {
                spellings[key] = name
                fields[name] = value
            }
        }
        return (fields, spellings)
    }
}
