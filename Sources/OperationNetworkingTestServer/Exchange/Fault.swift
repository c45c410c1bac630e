// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking

/// The way that a server fails a request, which makes the client fail as a stub's error says.
enum Fault {
    /// The connection breaks off.
    case reset
    /// The server gives the request up; the connection stays where that can be said.
    case failure
    /// The server says that it has not looked at the request.
    case refused
    /// Nothing comes any more.
    case silence
    /// The answer is not HTTP.
    case malformed

    /// The fault that makes a client fail with this code.
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
