// SPDX-License-Identifier: MIT
internal import Foundation
internal import OperationNetworkingCore

/// A session manager as it is archived.
struct SessionManagerArchive: Codable {
    var responseSerializer: ArchivedObject<HTTPResponseSerializer>?
    var securityPolicy: ArchivedObject<SecurityPolicy>?
    static let key = "sessionManager"
}

/// The additional data of an HTTP session manager.
struct HTTPSessionManagerArchive: Codable {
    var baseURL: String?
    var requestSerializer: ArchivedObject<HTTPRequestSerializer>?
    static let key = "httpSessionManager"
}
