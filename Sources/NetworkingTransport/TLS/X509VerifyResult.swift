// SPDX-License-Identifier: MIT
internal import COpenSSL

/// OpenSSL's verdict on a chain: the `X509_V_*` codes of <https://docs.openssl.org/3.0/man3/X509_STORE_CTX_get_error/>.
package struct X509VerifyResult: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let X509_V_OK = Self(rawValue: 0)
    package static let X509_V_ERR_UNSPECIFIED = Self(rawValue: 1)
    package static let X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT = Self(rawValue: 2)
    package static let X509_V_ERR_UNABLE_TO_GET_CRL = Self(rawValue: 3)
    package static let X509_V_ERR_CERT_NOT_YET_VALID = Self(rawValue: 9)
    package static let X509_V_ERR_CERT_HAS_EXPIRED = Self(rawValue: 10)
    package static let X509_V_ERR_CRL_NOT_YET_VALID = Self(rawValue: 11)
    package static let X509_V_ERR_CRL_HAS_EXPIRED = Self(rawValue: 12)
    package static let X509_V_ERR_OUT_OF_MEM = Self(rawValue: 17)
    package static let X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT = Self(rawValue: 18)
    package static let X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN = Self(rawValue: 19)
    package static let X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY = Self(rawValue: 20)
    package static let X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE = Self(rawValue: 21)
    package static let X509_V_ERR_CERT_REVOKED = Self(rawValue: 23)
    package static let X509_V_ERR_APPLICATION_VERIFICATION = Self(rawValue: 50)
    package static let X509_V_ERR_HOSTNAME_MISMATCH = Self(rawValue: 62)
    package static let X509_V_ERR_IP_ADDRESS_MISMATCH = Self(rawValue: 64)

    /// OpenSSL's text for the code.
    package var description: String {
        guard let text = X509_verify_cert_error_string(Int(rawValue)) else { return "error \(rawValue)" }
        return String(cString: text)
    }
}

/// An error that says which of OpenSSL's codes stands for it: the code decides which alert the server is sent, and which
/// words libcurl finds for it.
package protocol X509VerifyResultConvertible: Error {
    var x509VerifyResult: X509VerifyResult { get }
}
