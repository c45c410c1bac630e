internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

extension HTTPURLResponse {
    /// Foundation's view of a response head. Fields that came several times are joined by ", ".
    convenience init?(head: ResponseHead, url: URL) {
        var fields: [String: String] = [:]
        // The spelling under which each name is in `fields`. A head may hold tens of thousands of fields.
        var spellings: [String: String] = [:]
        head.forEachField { name, value in
            let key = name.lowercased()
            if let known = spellings[key] {
                fields[known]?.append(", " + value)
            } else {
                spellings[key] = name
                fields[name] = value
            }
        }
        self.init(
            url: url.withoutUserInfo, statusCode: head.statusCode, httpVersion: "HTTP/" + head.httpVersion,
            headerFields: fields)
    }
}
