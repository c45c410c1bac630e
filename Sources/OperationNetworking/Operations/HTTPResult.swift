public import FoundationNetworking

/// A value made of a response, and the response.
///
/// ```swift
/// let page = try await operation.result(of: [Item].self)
/// print(page.value.count, page.response.value(forHTTPHeaderField: "Link") ?? "last page")
/// ```
public struct HTTPResult<Value: Sendable>: Sendable {
    /// What the content is.
    public let value: Value
    /// The response: status and header fields.
    public let response: HTTPURLResponse

    /// A result; tests of your own make them.
    public init(value: Value, response: HTTPURLResponse) {
        self.value = value
        self.response = response
    }
}
