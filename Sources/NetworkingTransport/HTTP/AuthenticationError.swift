// SPDX-License-Identifier: MIT

/// The reason why a user name and password cannot answer a challenge.
package enum AuthenticationError: DescribedFailure, Sendable, Equatable {
    case controlCharacterInUser
    case controlCharacterInPassword
    /// With Basic the first colon ends the user name (RFC 7617, section 2).
    case colonInUser
    /// OpenSSL does not compute the digest that the server wants.
    case digestUnavailable

    package var description: String {
        switch self {
        case .controlCharacterInUser: "the user name contains a control character, and is not sent"
        case .controlCharacterInPassword: "the password contains a control character, and is not sent"
        case .colonInUser: "the user name contains a colon, which Basic authentication cannot express"
        case .digestUnavailable: "OpenSSL does not offer the digest that the server asks for"
        }
    }

    /// Throws for a control character, which would end a header line or is no text.
    package static func check(user: String, password: String) throws(AuthenticationError) {
        if user.utf8.contains(where: isControl) { throw .controlCharacterInUser }
        if password.utf8.contains(where: isControl) { throw .controlCharacterInPassword }
    }

    private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }
}
