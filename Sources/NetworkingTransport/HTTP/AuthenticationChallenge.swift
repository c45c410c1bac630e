// SPDX-License-Identifier: MIT

/// One challenge of a 401 response (RFC 9110, section 11.6.1), taken apart as bytes.
package struct AuthenticationChallenge: Sendable, Equatable {
    /// A parameter, as the server wrote it apart from quotes and escapes.
    package struct Parameter: Sendable, Equatable {
        /// An ASCII token in lower case.
        package let name: String
        /// Without control characters other than tabs.
        package let value: [UInt8]

        package init(name: String, value: [UInt8]) {
            self.name = name
            self.value = value
        }
    }

    /// An ASCII token in lower case.
    package let scheme: String
    package internal(set) var parameters: [Parameter] = []
    /// A message of NTLM or Negotiate, which stands in place of parameters.
    package internal(set) var token68: [UInt8]?

    package init(scheme: String, parameters: [Parameter] = [], token68: [UInt8]? = nil) {
        self.scheme = scheme
        self.parameters = parameters
        self.token68 = token68
    }

    /// The value of a parameter; the first counts. Nil: no such parameter.
    ///
    /// - Parameter name: In lower case.
    package func value(of name: String) -> [UInt8]? {
        parameters.first { $0.name == name }?.value
    }

    /// Field lines beyond this size are not read.
    package static let maximumFieldLength = 8 * 1024
    /// Challenges beyond this number are not read.
    package static let maximumCount = 32

    /// The challenges of a response, in the order received; what is malformed is left out.
    package static func all(in head: ResponseHead) -> [AuthenticationChallenge] {
        var result: [AuthenticationChallenge] = []
        head.forEachValue(of: .wwwAuthenticate) { bytes in
            guard bytes.count <= maximumFieldLength, result.count < maximumCount else { return }
            var parser = AuthenticationChallengeParser(Array(bytes))
            result += parser.challenges(limit: maximumCount - result.count)
        }
        return result
    }
}
