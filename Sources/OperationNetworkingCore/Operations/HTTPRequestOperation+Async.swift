// SPDX-License-Identifier: MIT
public import Foundation
internal import FoundationNetworking

extension HTTPRequestOperation {
    /// The response object, once the operation has finished.
    ///
    /// An operation that is in no queue and was not started is started, and so are those it waits for. Cancelling the
    /// task cancels the operation. Does not wait for completion blocks, and so needs no running main queue.
    ///
    /// ```swift
    /// let operation = try manager.makeOperation(method: "GET", "books")
    /// let books = try await operation.value() as? [[String: Any]]
    /// print(books?.count ?? 0)
    /// ```
    ///
    /// - Throws: the operation's `error`; `OperationDependencyError`, when the operation waits for one that is not the
    ///   library's, was not started and is in no queue, so that it may never end.
    public func value() async throws -> sending Any? {
        try await waitForEnd()
        if let error { throw error }
        return ParsedResult(responseObject).value
    }

    /// The response object as a value of a type that may leave a task, as in
    /// `Task { try await operation.value(as: …) }`.
    ///
    /// - Parameter type: what the response serializer makes, such as `[String: any Sendable].self` for a JSON object,
    ///   `Data.self`, or an optional for a response that may have no content.
    /// - Throws: as ``value()``; a `ResponseSerializationError` when the object is of another type.
    public func value<Value: Sendable>(as type: Value.Type) async throws -> Value {
        try await waitForEnd()
        if let error { throw error }
        let object = responseObject
        if let value = object as? Value { return value }
        let found = object.map { "a \(Swift.type(of: $0))" } ?? "absent"
        throw ResponseSerializationError(
            code: .cannotParseResponse, message: "Request failed: the response object is \(found), not a \(type)",
            response: response, data: responseData
        ).naming(request.httpMethod)
    }

    /// The response's content decoded as a value.
    ///
    /// The content is parsed once, by `decoder`: an operation with a ``JSONResponseSerializer``, as a manager makes it,
    /// only checks status and content type then, and makes its `responseObject` when that is asked for. Any JSON value
    /// may be at the top level. No content is `nil` where `type` is an optional, as for a 204.
    ///
    /// ```swift
    /// let book = try await manager.makeOperation(method: "GET", "books/1")
    ///     .decoded(Book.self)
    /// print(book.title)
    /// ```
    ///
    /// - Parameters:
    ///   - type: the type to decode.
    ///   - decoder: the decoder of the content; a plain `JSONDecoder` by default.
    /// - Throws: the operation's `error`, or a `ResponseSerializationError` over the decoder's error, which names the
    ///   coding path.
    public func decoded<T: Decodable & Sendable>(_ type: T.Type, decoder: JSONDecoder = JSONDecoder()) async throws -> T
    {
        try await result(of: type, decoder: decoder).value
    }

    /// The response, and its content decoded as ``decoded(_:decoder:)`` does.
    ///
    /// - Parameters:
    ///   - type: the type to decode.
    ///   - decoder: the decoder of the content; a plain `JSONDecoder` by default.
    /// - Throws: as ``decoded(_:decoder:)``.
    public func result<T: Decodable & Sendable>(
        of type: T.Type, decoder: JSONDecoder = JSONDecoder()
    ) async throws -> HTTPResult<T> {
        leavesParsingToDecoder()
        try await waitForEnd()
        if let error = errorBeforeDecoding { throw error }
        guard let response else {
            throw URLError(
                .badServerResponse, url: request.url, method: request.httpMethod,
                reason: "the response is none of HTTP's")
        }
        if responseSerializer is DecodableResponseSerializer<T>, let value = responseObject as? T {
            return HTTPResult(value: value, response: response)
        }
        do {
            let value = try decoder.decode(
                type, fromContent: responseData, of: SerializedResponse(response),
                encoding: responseSerializer.stringEncoding)
            didDecodeContent()
            return HTTPResult(value: value, response: response)
        } catch {
            throw error.naming(request.httpMethod)
        }
    }
}

/// Hands a result to the task that asked for it.
private struct ParsedResult: Sendable {
    // Safe because the operation is finished: neither it nor the serializer touches the object any more.
    nonisolated(unsafe) let value: Any?
    init(_ value: Any?) { self.value = value }
}
