// SPDX-License-Identifier: MIT
public import FoundationNetworking

/// Turns parameters into a part of a request. AF: `AFURLRequestSerialization`.
///
/// Implementations are called from any thread, several at a time.
public protocol URLRequestSerialization: AnyObject, Sendable {
    /// A copy of `request` with `parameters` in its URL or body.
    ///
    /// - Parameters:
    ///   - request: the request to start from; not changed.
    ///   - parameters: what to encode; nil: nothing.
    /// - Throws: `RequestSerializationError`, or what a custom block threw, when the parameters cannot be expressed.
    func request(bySerializing request: URLRequest, withParameters parameters: Any?) throws -> URLRequest
}
