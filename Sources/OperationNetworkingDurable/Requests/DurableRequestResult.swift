// SPDX-License-Identifier: MIT
public import Foundation
internal import NetworkingTransport

/// The result of a durable request, as the store keeps it.
public struct DurableRequestResult: Sendable {
    /// The place of the response's content.
    public enum Content: Sendable, Equatable, Codable {
        /// There is none.
        case none
        /// It is in the store, see ``DurableRequestQueue/content(of:)``.
        case stored(size: Int)
        /// It is in this file.
        case file(URL)
        /// It was larger than what a queue stores, and is not kept.
        case omitted(size: Int)
    }

    /// An error as it is stored.
    public struct Failure: Sendable, Hashable, Codable, CustomStringConvertible {
        /// The domain of the `NSError`, such as `NSURLErrorDomain`.
        public var domain: String
        /// The code of the `NSError`.
        public var code: Int
        /// The error's one line, without secrets.
        public var description: String
    }

    /// The request.
    public var id: DurableRequest.ID
    /// Its group.
    public var group: String?
    /// Its state.
    public var state: DurableRequest.State
    /// The number of attempts that failed.
    public var failures: Int
    /// The status of the last response. Nil: there was none.
    public var statusCode: Int?
    /// The header fields of the last response, without `Set-Cookie`.
    public var fields: [String: String]
    /// The URL that the last response came from, after redirects.
    public var url: URL?
    /// The place of the content.
    public var content: Content
    /// The error of the last attempt, or of an end by the store. Nil: there is none.
    public var failure: Failure?
    /// The program's own data, as they were added.
    public var context: Data?

    /// The value of a header field, whatever the case of the letters in its name.
    public func field(_ name: String) -> String? {
        fields.first { $0.key.utf8.map(\.lowercasedASCII).elementsEqual(name.utf8.map(\.lowercasedASCII)) }?.value
    }
}

/// The part of a result that a worker records.
struct ResultSummary: Codable {
    var status: Int?
    var fields: [String: String] = [:]
    var url: URL?
    var content: DurableRequestResult.Content = .none
    var failure: DurableRequestResult.Failure?

    func stored(_ content: Data? = nil) throws -> StoredResult {
        StoredResult(summary: try JSONEncoder().encode(self), content: content)
    }
}
