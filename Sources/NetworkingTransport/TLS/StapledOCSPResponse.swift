// SPDX-License-Identifier: MIT
internal import COpenSSL
package import Foundation

/// The certificate status that a stapled OCSP response (RFC 6960) gives.
package enum StapledOCSPResponse: Sendable, Hashable {
    case good
    case revoked
    /// The responder does not know the certificate.
    case unknown
    /// It proves nothing; the text says why.
    case unusable(String)

    /// Reads a response about the first certificate of a verified chain.
    ///
    /// - Parameters:
    ///   - der: What the server stapled.
    ///   - chain: The chain as built, server's certificate first.
    ///   - store: Where the chain of the responder may end.
    package static func status(in der: Data, of chain: [X509Certificate], store: TrustStore) -> StapledOCSPResponse {
        OpenSSLError.leavingQueueUntouched { read(der, chain, store) }
    }

    /// Seconds that clocks may differ by.
    private static let clockSkew = 300
    /// Seconds that a response is good for when it does not say when the next one is due.
    private static let maximumAge = 7 * 24 * 60 * 60

    private static func read(_ der: Data, _ chain: [X509Certificate], _ store: TrustStore) -> StapledOCSPResponse {
        guard let leaf = chain.first, let others = CertificateStack(chain.dropFirst()) else {
            return .unusable("there is no chain")
        }
        // A root that is its own server's certificate is its own issuer.
        let issuer = chain.count > 1 ? chain[1] : leaf
        let parsed = der.withUnsafeBytes { bytes -> OpaquePointer? in
            var position = bytes.bindMemory(to: UInt8.self).baseAddress
            return position == nil ? nil : d2i_OCSP_RESPONSE(nil, &position, bytes.count)
        }
        guard let parsed else { return .unusable("it does not parse") }
        defer { OCSP_RESPONSE_free(parsed) }
        let status = OCSP_response_status(parsed)
        guard status == OCSP_RESPONSE_STATUS_SUCCESSFUL else {
            return .unusable("the responder answered \"\(String(cString: OCSP_response_status_str(Int(status))))\"")
        }
        guard let basic = OCSP_response_get1_basic(parsed) else { return .unusable("it is not a basic response") }
        defer { OCSP_BASICRESP_free(basic) }
        guard OCSP_basic_verify(basic, others.handle, store.handle, 0) == 1 else {
            return .unusable("its signature does not verify: \(OpenSSLError.drain())")
        }
        for index in 0..<max(0, OCSP_resp_count(basic)) {
            guard let single = OCSP_resp_get0(basic, index), isAbout(leaf, issuer, single) else { continue }
            return self.status(of: single)
        }
        return .unusable("it is about other certificates")
    }

    private static func isAbout(_ leaf: X509Certificate, _ issuer: X509Certificate, _ single: OpaquePointer) -> Bool {
        guard let said = OCSP_SINGLERESP_get0_id(single) else { return false }
        var algorithm: OpaquePointer?
        guard OCSP_id_get0_info(nil, &algorithm, nil, nil, said) == 1, let algorithm,
            let name = OBJ_nid2sn(OBJ_obj2nid(algorithm)), let digest = EVP_get_digestbyname(name),
            let meant = OCSP_cert_to_id(digest, leaf.handle, issuer.handle)
        else { return false }
        defer { OCSP_CERTID_free(meant) }
        return OCSP_id_cmp(meant, said) == 0
    }

    private static func status(of single: OpaquePointer) -> StapledOCSPResponse {
        var thisUpdate: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        var nextUpdate: UnsafeMutablePointer<ASN1_GENERALIZEDTIME>?
        let status = OCSP_single_get0_status(single, nil, nil, &thisUpdate, &nextUpdate)
        let maximumAge = nextUpdate == nil ? maximumAge : -1
        guard OCSP_check_validity(thisUpdate, nextUpdate, clockSkew, maximumAge) == 1 else {
            return .unusable("it is out of date")
        }
        return switch status {
        case V_OCSP_CERTSTATUS_GOOD: .good
        case V_OCSP_CERTSTATUS_REVOKED: .revoked
        default: .unknown
        }
    }
}
