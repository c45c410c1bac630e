public import Foundation

extension HTTPRequestOperation {
    /// The response object, once the operation has finished.
    ///
    /// An operation that is in no queue and was not started is started, and so are those it waits for. Cancelling the task
    /// cancels the operation. Does not wait for completion blocks, and so needs no running main queue.
    ///
    /// ```swift
    /// let operation = try manager.operation(method: "GET", "books")
    /// let books = try await operation.value() as? [[String: Any]]
    /// print(books?.count ?? 0)
    /// ```
    ///
    /// - Throws: the operation's `error`; `OperationDependencyError`, when the operation waits for one that is not the
    ///   library's and that nobody started or put into a queue, so that it may never end.
    public func value() async throws -> sending Any? {
        try await waitForEnd()
        if let error { throw error }
        return ParsedResult(responseObject).value
    }

    /// The response's content decoded as a value.
    ///
    /// ```swift
    /// let book = try await manager.operation(method: "GET", "books/1")
    ///     .decoded(Book.self)
    /// print(book.title)
    /// ```
    ///
    /// - Parameters:
    ///   - type: the type to decode.
    ///   - decoder: what decodes the content; a plain `JSONDecoder` by default.
    /// - Throws: the operation's `error`, or a `ResponseSerializationError` over the decoder's error.
    public func decoded<T: Decodable & Sendable>(_ type: T.Type, decoder: JSONDecoder = JSONDecoder()) async throws -> T
    {
        try await waitForEnd()
        if let error { throw error }
        let data = responseData ?? Data()
        do {
            return try decoder.decode(type, from: data)
        } catch {
            throw ResponseSerializationError(
                code: .cannotParseResponse, message: "Request failed: the content is not a \(type)", response: response,
                data: data, underlyingError: error)
        }
    }
}

/// Hands a result to the one who asked for it.
// Sendable because the operation is finished: neither it nor the serializer touches the object any more.
private struct ParsedResult: @unchecked Sendable {
    let value: Any?
    init(_ value: Any?) { self.value = value }
}
