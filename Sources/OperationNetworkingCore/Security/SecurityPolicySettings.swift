// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

/// The settings of a `SecurityPolicy` at one moment.
struct SecurityPolicySettings: Sendable, Hashable {
    var pinningMode = SSLPinningMode.none
    var pinnedCertificates: Set<Data> = []
    var anchorCertificates: Set<Data> = []
    var allowInvalidCertificates = false
    var validatesDomainName = true
    var minimumTLSVersion = TLSProtocolVersion.v1_2
    var maximumTLSVersion: TLSProtocolVersion?
    var certificateRevocationList: URL?
    var requiresOCSPStapling = false

    /// A short name for everything here that changes a verdict or a handshake: equal for equal settings only.
    ///
    /// - Parameter revocationList: The contents of the file, which may change while its name does not.
    /// - Throws: `ServerTrustError`, when there is no digest to tell settings apart by.
    func fingerprint(revocationList: Data?) throws(ServerTrustError) -> String {
        var bytes = Data()
        func append(_ number: Int) { withUnsafeBytes(of: Int64(number).littleEndian) { bytes.append(contentsOf: $0) } }
        func append(_ data: Data) {
            append(data.count)
            bytes.append(data)
        }
        append(Int(pinningMode.rawValue))
        append(allowInvalidCertificates ? 1 : 0)
        append(validatesDomainName ? 1 : 0)
        append(requiresOCSPStapling ? 1 : 0)
        append(minimumTLSVersion.rawValue)
        append(maximumTLSVersion?.rawValue ?? 0)
        for certificates in [pinnedCertificates, anchorCertificates] {
            append(certificates.count)
            for der in certificates.sorted(by: { $0.lexicographicallyPrecedes($1) }) { append(der) }
        }
        append(revocationList == nil ? 0 : 1)
        append(revocationList ?? Data())
        do {
            return try SHA256Hasher.hex(of: bytes)
        } catch {
            throw .settings("\(error)")
        }
    }
}
