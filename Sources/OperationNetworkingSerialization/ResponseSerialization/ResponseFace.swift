// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
package import NetworkingTransport

/// Foundation's view of a response head, made when it is asked for.
///
/// To callers it is an `HTTPURLResponse`, except that Foundation takes no value apart: what it would find in
/// `Content-Type` and `Content-Disposition` is what the library's own readers find.
// Sendable because nothing in it changes after `init`.
package final class ResponseFace: HTTPURLResponse, @unchecked Sendable {
    private let head: ResponseHead

    /// - Parameter url: A name and a password in it are left out.
    package init?(head: ResponseHead, url: URL) {
        self.head = head
        super.init(
            url: url.withoutUserInfo, statusCode: head.statusCode, httpVersion: "HTTP/" + head.httpVersion,
            headerFields: Self.fields(of: head))
    }

    /// Always nil: an archive has a plain response in it, whose values Foundation takes apart when it is read.
    package required init?(coder: NSCoder) { nil }

    /// Foundation takes values apart by `Character`, and piece by piece, which takes quadratic time. Values of that
    /// length are no media types and no names of files.
    private static let parsedNames = ["Content-Type", "Content-Disposition"]

    private static func fields(of head: ResponseHead) -> [String: String] {
        let joined = head.joinedFields
        var fields = [String: String](minimumCapacity: joined.count)
        for (name, value) in joined {
            if value.utf8.count > ResponseHead.longestParsedValue, parsedNames.contains(where: name.isFieldName) {
                continue
            }
            fields[name] = value
        }
        return fields
    }

    package override var mimeType: String? { head.mediaType?.essence }
    package override var textEncodingName: String? { head.mediaType?.charset }
    package override var expectedContentLength: Int64 { head.contentLength ?? -1 }
    /// "Unknown", as Foundation says, where the server gives no name.
    package override var suggestedFilename: String? { head.suggestedFileName ?? "Unknown" }

    package override var classForCoder: AnyClass { HTTPURLResponse.self }

    package override var description: String {
        // With the name of the class that it stands for.
        "<\(HTTPURLResponse.self)" + super.description.dropFirst("<\(ResponseFace.self)".count)
    }
}
