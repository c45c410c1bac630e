// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking

/// Turns a response and its body into an object. AF: `AFURLResponseSerialization`.
///
/// Called on one of the library's few threads for parsing: an implementation must be safe to call from several threads
/// at once, and must not wait for operations, whose own parsing may be waiting for that thread.
public protocol URLResponseSerialization: Sendable {
    /// The object of a response.
    ///
    /// - Parameters:
    ///   - response: The response; `nil` if there was none.
    ///   - data: The body; `nil` if none can exist (a HEAD request) or it went to an output stream.
    /// - Returns: The object; `nil` for a response without content.
    /// - Throws: ``ResponseSerializationError``, or an implementation's own error, if the response is refused or its
    ///   body does not parse.
    func responseObject(for response: URLResponse?, data: Data?) throws -> Any?
}
