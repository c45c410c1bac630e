// SPDX-License-Identifier: MIT
internal import Foundation

/// A user name and password as the scheme Basic sends them (RFC 7617), in UTF-8.
package struct BasicAuthentication: Sendable, CustomReflectable {
    private let user: String
    private let password: String

    package init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// The value of `Authorization`.
    package func fieldValue() throws(AuthenticationError) -> String {
        try AuthenticationError.check(user: user, password: password)
        guard !user.utf8.contains(UInt8(ascii: ":")) else { throw .colonInUser }
        return "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }

    /// Nothing: a dump shows no password.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
