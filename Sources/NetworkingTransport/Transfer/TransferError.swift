// SPDX-License-Identifier: MIT

/// The reason why a transfer did not complete.
package struct TransferError: DescribedFailure, Sendable {
    /// The kinds that callers tell apart.
    package enum Kind: Sendable, CaseIterable {
        case cancelled
        case badURL
        /// A method, header field or body that cannot be sent as it is.
        case badRequest
        case unsupportedScheme
        case cannotFindHost
        case cannotConnect
        case timedOut
        /// Reset, closed early, or a body shorter than announced.
        case connectionLost
        /// A head or chunking that does not parse.
        case badResponse
        /// A content coding that does not decode.
        case cannotDecodeContent
        /// Head or content over a limit.
        case tooLarge
        /// The TLS handshake failed for another reason than the server's certificate.
        case secureConnectionFailed
        /// Verification rejected the server; `cause` says why.
        case serverUntrusted
        /// The server refused our client certificate.
        case clientCertificate
        /// The server wants a client certificate, and we have none.
        case clientCertificateRequired
        /// The request's body could not be produced; `cause` says why.
        case bodySource
        /// A body has to be sent again and cannot be.
        case bodyNotReplayable
        /// The receiver of the content failed; `cause` says why.
        case bodySink
        case tooManyRedirects
        /// The proxy could not, or would not, connect us.
        case proxy
        /// The proxy wants to know who we are, or does not accept our credential.
        case proxyAuthentication
        case outOfMemory
        /// A transport in the engine's place failed: `cause` is the request's error, as it is.
        case substituted
        /// Anything else libcurl reports.
        case other
    }

    package var kind: Kind
    /// libcurl's code (CURLcode, or CURLMcode when `isMultiCode`); 0 when libcurl had no part in it.
    package var curlCode: Int
    package var isMultiCode = false
    /// libcurl's text for this failure, or the engine's own.
    package var message: String
    /// errno of the failed system call, if any.
    package var systemErrno: Int32 = 0
    package var cause: (any Error)?
    /// The server that was not trusted; nil also when it was the proxy.
    package var rejectedServer: RejectedServer?

    /// The host that a server was to be, and the certificates that it showed.
    package struct RejectedServer: Sendable {
        /// As sent, leaf first; not empty.
        package let chain: [X509Certificate]
        package let host: String

        package init(chain: [X509Certificate], host: String) {
            self.chain = chain
            self.host = host
        }
    }

    package init(_ kind: Kind, message: String, curlCode: Int = 0, cause: (any Error)? = nil) {
        self.kind = kind
        self.message = message
        self.curlCode = curlCode
        self.cause = cause
    }

    package var description: String { message }

    package static func noMemory(for what: StaticString) -> TransferError {
        TransferError(.outOfMemory, message: "No memory for \(what).")
    }
}
