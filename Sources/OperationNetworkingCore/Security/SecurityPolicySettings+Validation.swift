// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

extension SecurityPolicySettings {
    /// Throws when no request can succeed, or not safely, under these settings.
    func validate() throws(ServerTrustError) {
        if pinningMode != .none, pinnedCertificates.isEmpty {
            throw .settings(
                "the pinning mode is \(pinningMode) but pinnedCertificates is empty, which rejects every server; add "
                    + "the certificates, or use the pinning mode none")
        }
        if pinningMode == .none, allowInvalidCertificates, validatesDomainName {
            throw .settings(
                "invalid certificates are allowed, names are checked, and nothing is pinned: the name in a certificate "
                    + "that anybody can have made proves nothing; pin the certificate, add its issuer to "
                    + "anchorCertificates, or also set validatesDomainName to false")
        }
        if let maximumTLSVersion, maximumTLSVersion < minimumTLSVersion {
            throw .settings(
                "maximumTLSVersion (\(maximumTLSVersion)) is below minimumTLSVersion (\(minimumTLSVersion))")
        }
        if allowInvalidCertificates, certificateRevocationList != nil || requiresOCSPStapling {
            throw .settings(
                "revocation is to be checked, but invalid certificates are allowed, revoked ones among them")
        }
        if pinningMode != .none { try validate(pinnedCertificates, "pinnedCertificates") }
        for root in try validate(anchorCertificates, "anchorCertificates") where !root.isSelfIssued {
            throw .settings(
                "anchorCertificates holds \"\(root.subject)\", which is not a root: chains end in self-signed "
                    + "certificates only")
        }
    }

    @discardableResult
    private func validate(_ set: Set<Data>, _ name: String) throws(ServerTrustError) -> [X509Certificate] {
        var certificates: [X509Certificate] = []
        for der in set {
            do {
                certificates.append(try X509Certificate(der: der))
            } catch {
                let advice =
                    der.starts(with: Data("-----BEGIN".utf8))
                    ? " but PEM text: SecurityPolicy.certificates(from:) reads it" : ""
                throw .settings(
                    "\(name) holds \(der.count) bytes (SHA-256 \(SHA256Hasher.abbreviation(of: der))) that are not a "
                        + "DER certificate" + advice)
            }
        }
        return certificates
    }
}
