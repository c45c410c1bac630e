// SPDX-License-Identifier: MIT
public import Foundation
internal import NetworkingTransport

extension SecurityPolicy {
    /// Returns the certificates in a bundle's resources as DER, to be pinned.
    ///
    /// Looks at the files ending in `cer`, `der`, `crt` and `pem`; each may be DER or PEM text with any number of
    /// certificates. What does not parse is left out.
    public static func certificates(in bundle: Bundle) -> Set<Data> {
        var found: Set<Data> = []
        for kind in ["cer", "der", "crt", "pem"] {
            for path in bundle.paths(forResourcesOfType: kind, inDirectory: nil) {
                guard let data = try? Data(contentsOf: URL(fileURLWithPath: path)) else { continue }
                if let certificates = try? certificates(from: data) { found.formUnion(certificates) }
            }
        }
        return found
    }

    /// Returns the certificates in a file's content as DER, to be pinned or to be anchors.
    ///
    /// ```swift
    /// let file = URL(fileURLWithPath: "/etc/ssl/private-root.pem")
    /// let policy = SecurityPolicy.default()
    /// policy.anchorCertificates = try SecurityPolicy.certificates(
    ///     from: Data(contentsOf: file))
    /// ```
    ///
    /// - Parameter data: PEM text with any number of certificates and anything around them, or one certificate as DER.
    /// - Throws: a ``ServerTrustError`` of the rule ``ServerTrustError/Rule/settings`` where there is no certificate, or
    ///   one that does not parse.
    public static func certificates(from data: Data) throws -> Set<Data> {
        if let certificate = try? X509Certificate(der: data) { return [certificate.der] }
        let certificates: [X509Certificate]
        do {
            certificates = try X509Certificate.certificates(inPEM: data)
        } catch {
            throw ServerTrustError.settings("one of the certificates in PEM text does not parse: \(error)")
        }
        guard !certificates.isEmpty else {
            throw ServerTrustError.settings(
                "\(data.count) bytes hold no certificate, neither as PEM text (\"-----BEGIN CERTIFICATE-----\") nor as "
                    + "DER")
        }
        return Set(certificates.map(\.der))
    }
}
