// SPDX-License-Identifier: MIT
internal import Foundation

extension SecurityPolicySettings {
    /// The archive's form: an older library refuses what it does not know instead of trusting more than was asked for.
    private struct Archive: Codable {
        var version = 1
        var pinningMode: UInt
        var pinnedCertificates: [Data]
        var anchorCertificates: [Data]
        var allowInvalidCertificates: Bool
        var validatesDomainName: Bool
        var minimumTLSVersion: Int
        var maximumTLSVersion: Int?
        var certificateRevocationList: String?
        var requiresOCSPStapling: Bool
    }

    private static let key = "OperationNetworking.SecurityPolicy"

    /// nil: there are no settings, or damaged ones.
    init?(coder: NSCoder) {
        guard let data = coder.decodeObject(of: NSData.self, forKey: Self.key).map(Data.init(referencing:)),
            // What holds it was looked over, but not what is in the data.
            BinaryPropertyList.isBinary(data), (try? BinaryPropertyList.check(data)) != nil,
            let archive = try? PropertyListDecoder().decode(Archive.self, from: data),
            archive.version == 1, let pinningMode = SSLPinningMode(rawValue: archive.pinningMode),
            let minimumTLSVersion = TLSProtocolVersion(rawValue: archive.minimumTLSVersion)
        else { return nil }
        self.pinningMode = pinningMode
        pinnedCertificates = Set(archive.pinnedCertificates)
        anchorCertificates = Set(archive.anchorCertificates)
        allowInvalidCertificates = archive.allowInvalidCertificates
        validatesDomainName = archive.validatesDomainName
        self.minimumTLSVersion = minimumTLSVersion
        if let number = archive.maximumTLSVersion {
            guard let version = TLSProtocolVersion(rawValue: number) else { return nil }
            maximumTLSVersion = version
        }
        if let text = archive.certificateRevocationList {
            guard let url = URL(escaping: text) else { return nil }
            certificateRevocationList = url
        }
        requiresOCSPStapling = archive.requiresOCSPStapling
    }

    func encode(with coder: NSCoder) {
        let archive = Archive(
            pinningMode: pinningMode.rawValue,
            pinnedCertificates: pinnedCertificates.sorted { $0.lexicographicallyPrecedes($1) },
            anchorCertificates: anchorCertificates.sorted { $0.lexicographicallyPrecedes($1) },
            allowInvalidCertificates: allowInvalidCertificates, validatesDomainName: validatesDomainName,
            minimumTLSVersion: minimumTLSVersion.rawValue, maximumTLSVersion: maximumTLSVersion?.rawValue,
            certificateRevocationList: certificateRevocationList?.absoluteString,
            requiresOCSPStapling: requiresOCSPStapling)
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        guard let data = try? encoder.encode(archive) else { return }
        coder.encode(data as NSData, forKey: Self.key)
    }
}
