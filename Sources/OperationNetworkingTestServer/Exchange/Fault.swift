// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking

/// How a server fails a request, in the place of what a client would make of it.
enum Fault {
    /// The connection breaks off.
    case reset
    /// The server gives the request up; the connection stays where that can be said.
    case failure
    /// The server says that it has not looked at the request.
    case refused
    /// Nothing comes any more.
    case silence
    /// What comes is not HTTP.
    case malformed

    /// What makes a client fail with that.
    init(_ code: URLError.Code) {
        self =
            switch code {
            case .networkConnectionLost: .reset
            case .timedOut: .silence
            case .cannotParseResponse, .badServerResponse: .malformed
            case .cannotConnectToHost, .cannotFindHost, .notConnectedToInternet: .refused
            default: .failure
            }
    }
}
