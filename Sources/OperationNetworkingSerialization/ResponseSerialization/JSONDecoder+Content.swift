// SPDX-License-Identifier: MIT
internal import Foundation

extension JSONDecoder {
    /// Returns the value that a response's content decodes to, in any charset. No content is `nil` where that is a
    /// value.
    ///
    /// - Parameter encoding: of a text when the response names no charset.
    /// - Throws: a `ResponseSerializationError`.
    package func decode<T: Decodable>(
        _ type: T.Type, fromContent data: Data?, of response: SerializedResponse, encoding: String.Encoding = .utf8
    ) throws -> T {
        let data = data ?? Data()
        if JSONText.isEmpty(data) {
            if let absent = (type as? any AbsentValue.Type)?.absent as? T { return absent }
            throw ResponseSerializationError(
                code: .cannotParseResponse,
                message:
                    "Request failed: there is no content where a \(type) is wanted; decode an optional if there may be none",
                response: response.urlResponse, data: data)
        }
        do {
            let text = try JSONText.parsable(
                data, charset: response.charset, fallback: encoding, includingValues: true)
            return try decode(type, from: text)
        } catch {
            throw ResponseSerializationError(
                code: .cannotParseResponse,
                message: "Request failed: the content is not a \(type): \(error.parsersReason)",
                response: response.urlResponse,
                data: data, underlyingError: error)
        }
    }
}

/// A type with a value for "nothing".
private protocol AbsentValue {
    static var absent: Self { get }
}

extension Optional: AbsentValue {
    static var absent: Wrapped? { nil }
}
