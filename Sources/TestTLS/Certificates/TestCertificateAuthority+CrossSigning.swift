// SPDX-License-Identifier: MIT

extension TestCertificateAuthority {
    /// Vouches for another authority: a certificate for its key, signed by this one.
    ///
    /// - Parameter name: The name that the other authority has in its own certificate.
    package func crossSign(
        _ other: TestCertificateAuthority, name: String, validity: Validity = .current
    ) throws -> TestCertificate {
        try CertificateForm(subject: name, key: other.key, validity: validity, kind: .authority)
            .signed(by: certificate, key)
    }
}
