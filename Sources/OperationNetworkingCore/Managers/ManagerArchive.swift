// SPDX-License-Identifier: MIT
internal import Foundation

/// A manager as it is archived.
struct ManagerArchive: Codable {
    var baseURL: String?
    var shouldUseCredentialStorage: Bool
    var requestSerializer: ArchivedObject<HTTPRequestSerializer>?
    var responseSerializer: ArchivedObject<HTTPResponseSerializer>?
    var securityPolicy: ArchivedObject<SecurityPolicy>?
    static let key = "manager"
}
