// SPDX-License-Identifier: MIT
package import Foundation

/// A file with certificates of authorities.
package enum CertificateFile {
    /// The certificates as DER: those of PEM text, or the whole content when it is not PEM. Empty when PEM text has none,
    /// or one that is not base64.
    package static func certificates(in data: Data) -> Set<Data> {
        let begin = "-----BEGIN CERTIFICATE-----"
        let end = "-----END CERTIFICATE-----"
        guard let text = String(data: data, encoding: .utf8), text.contains("-----BEGIN ") else { return [data] }
        var found: Set<Data> = []
        for part in text.components(separatedBy: begin).dropFirst() {
            guard let stop = part.range(of: end) else { return [] }
            let base64 = part[..<stop.lowerBound].filter { !$0.isWhitespace }
            guard let certificate = Data(base64Encoded: String(base64)) else { return [] }
            found.insert(certificate)
        }
        return found
    }
}
