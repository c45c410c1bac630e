// SPDX-License-Identifier: MIT

// Policies as apps make them in one place.
import AFNetworking

enum PinningPolicies {
    static func certificate(_ data: Data) -> AFSecurityPolicy {
        let policy = AFSecurityPolicy(pinningMode: .certificate, withPinnedCertificates: [data])
        policy.validatesDomainName = true
        return policy
    }

    static func publicKey(_ certificates: NSSet) -> AFSecurityPolicy {
        return AFSecurityPolicy(pinningMode: .PublicKey, withPinnedCertificates: certificates)
    }

    static func array(_ certificates: [NSData]) -> AFSecurityPolicy {
        let policy = AFSecurityPolicy(pinningMode: .PublicKey, withPinnedCertificates: certificates)
        policy.allowInvalidCertificates = true
        return policy
    }
}
