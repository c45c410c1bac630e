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
                if let certificate = try? X509Certificate(der: data) {
                    found.insert(certificate.der)
                } else if let certificates = try? X509Certificate.certificates(inPEM: data) {
                    found.formUnion(certificates.map(\.der))
                }
            }
        }
        return found
    }
}
