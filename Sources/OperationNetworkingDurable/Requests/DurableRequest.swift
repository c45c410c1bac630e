// SPDX-License-Identifier: MIT
public import FoundationNetworking

/// A request as it is added to a ``DurableRequestQueue``, with its place in the graph and its rules.
public struct DurableRequest: Sendable {
    /// The name in the store. A new one by default.
    public var id: ID
    /// The request. `httpBody` is stored with it; a stream cannot be, and is refused.
    public var request: URLRequest

    /// A request with the defaults of all rules.
    public init(_ request: URLRequest, id: ID = ID()) {
        self.request = request
        self.id = id
    }
}
