// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

extension ServerTrustEvaluator {
    /// The verdict on a stapled OCSP response, or on there being none, for a chain that has been accepted.
    func stapledResponseFailure(
        _ response: Data?, of trust: ServerTrust, domain: String?
    ) -> ServerTrustError? {
        func failure(_ reason: String) -> ServerTrustError {
            ServerTrustError(rule: .revocation, subject: trust.parsed.first?.subject, host: domain, reason: reason)
        }
        guard let response else { return failure("the server stapled no OCSP response, which the policy requires") }
        let store: TrustStore
        switch trustStore() {
        case .success(let found): store = found
        case .failure(let error): return error
        }
        let result = ChainVerifier(store: store).verify(trust.parsed, keepsChain: true)
        guard result.isTrusted else { return ServerTrustError(result, host: domain, pinsTried: [], rule: nil) }
        switch StapledOCSPResponse.status(in: response, of: result.chain, store: store) {
        case .good: return nil
        case .revoked: return failure("the stapled OCSP response says that the certificate was revoked")
        case .unknown: return failure("the stapled OCSP response says that its responder does not know the certificate")
        case .unusable(let reason): return failure("the stapled OCSP response is of no use: \(reason)")
        }
    }
}
