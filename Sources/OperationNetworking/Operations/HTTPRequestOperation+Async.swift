public import Foundation

extension HTTPRequestOperation {
    /// The response object, once the operation has finished.
    ///
    /// An operation that is in no queue and was not started is started. Cancelling the task cancels the operation. Does
    /// not wait for completion blocks, and so needs no running main queue.
    ///
    /// - Throws: the operation's `error`.
    public func value() async throws -> sending Any? {
        await finished()
        if let error { throw error }
        return ParsedResult(responseObject).value
    }

    /// The response's content decoded as a value.
    ///
    /// - Parameters:
    ///   - type: the type to decode.
    ///   - decoder: what decodes the content; a plain `JSONDecoder` by default.
    /// - Throws: the operation's `error`, or a `ResponseSerializationError` over the decoder's error.
    public func decoded<T: Decodable & Sendable>(_ type: T.Type, decoder: JSONDecoder = JSONDecoder()) async throws -> T
    {
        await finished()
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

    private func finished() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                whenFinished { continuation.resume() }
                startIfUnclaimed()
            }
        } onCancel: {
            cancel()
            startIfUnclaimed()
        }
    }
}

/// Hands a result to the one who asked for it.
// Sendable because the operation is finished: neither it nor the serializer touches the object any more.
private struct ParsedResult: @unchecked Sendable {
    let value: Any?
    init(_ value: Any?) { self.value = value }
}
