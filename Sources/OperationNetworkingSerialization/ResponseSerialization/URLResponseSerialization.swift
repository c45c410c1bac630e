// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking

/// Turns a response and its body into an object. AF: `AFURLResponseSerialization`.
///
/// An implementation is called on a separate thread for as long as it takes, where it may wait: it holds up nothing but
/// its own request, which keeps its place in its queue. It must be safe to call from several threads at once.
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
