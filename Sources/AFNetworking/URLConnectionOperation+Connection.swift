// SPDX-License-Identifier: MIT
public import FoundationNetworking

// What blocks ask of the connection that they are given, which is the operation here.

extension URLConnectionOperation {
    /// The request that the operation was made with.
    public var originalRequest: URLRequest { request }

    /// The request that was sent last, after the redirects so far. In a redirect block it is the one that was redirected.
    public var currentRequest: URLRequest { presentRequest }
}
