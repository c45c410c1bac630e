// SPDX-License-Identifier: MIT
public import FoundationNetworking

/// A value made of a response, and the response.
///
/// ```swift
/// let page = try await operation.result(of: [Item].self)
/// let link = page.response.value(forHTTPHeaderField: "Link")
/// print(page.value.count, link ?? "last page")
/// ```
public struct HTTPResult<Value: Sendable>: Sendable {
    /// The value that was made of the content.
    public let value: Value
    /// The response with its status and header fields.
    public let response: HTTPURLResponse

    /// A result, as your own tests make them.
    public init(value: Value, response: HTTPURLResponse) {
        self.value = value
        self.response = response
    }
}
