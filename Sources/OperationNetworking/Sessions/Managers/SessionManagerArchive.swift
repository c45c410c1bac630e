// SPDX-License-Identifier: MIT
internal import Foundation

/// A session manager as it is archived.
struct SessionManagerArchive: Codable {
    var responseSerializer: ArchivedObject<HTTPResponseSerializer>?
    var securityPolicy: ArchivedObject<SecurityPolicy>?
    static let key = "sessionManager"
}

/// What an HTTP session manager adds to that.
struct HTTPSessionManagerArchive: Codable {
    var baseURL: String?
    var requestSerializer: ArchivedObject<HTTPRequestSerializer>?
    static let key = "httpSessionManager"
}
