internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

extension HTTPURLResponse {
    /// Foundation's view of a response head. Fields that came several times are joined by ", ". Names are ASCII tokens, so
    /// that hashing and folding them takes linear time.
    convenience init?(head: ResponseHead, url: URL) {
        var fields: [String: String] = [:]
        // The spelling under which each name is in `fields`. A head may hold tens of thousands of fields.
        var spellings: [String: String] = [:]
        head.forEachField { name, value in
            let key = name.lowercased()  // checked: a token
            if let known = spellings[key] {
                fields[known]?.append(", " + value)
            } else {
                spellings[key] = name
                fields[name] = value
            }
        }
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
