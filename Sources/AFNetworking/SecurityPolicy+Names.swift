// SPDX-License-Identifier: MIT
public import Foundation

// The names are AFNetworking's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

extension SecurityPolicy {
    /// `default()`, as Swift 1 and 2 have it.
    public static func defaultPolicy() -> SecurityPolicy {
        `default`()
    }

    /// `certificates(in:)`, as Swift 1 and 2 have it.
    public static func certificatesInBundle(_ bundle: Bundle) -> Set<Data> {
        certificates(in: bundle)
    }

    /// `init(pinningMode:pinnedCertificates:)` without pins. AF: `+policyWithPinningMode:`.
    public static func policyWithPinningMode(_ pinningMode: SSLPinningMode) -> Self {
        self.init(pinningMode: pinningMode)
    }

    /// Forwards to `init(pinningMode:pinnedCertificates:)`. AF 3: `+policyWithPinningMode:withPinnedCertificates:`.
    public convenience init(pinningMode: SSLPinningMode, withPinnedCertificates certificates: Set<Data>) {
        self.init(pinningMode: pinningMode, pinnedCertificates: certificates)
    }

    /// `init(pinningMode:pinnedCertificates:)` for the collections that Objective-C's sets and arrays come as. What is no
    /// data is left out.
    @_disfavoredOverload
    public convenience init(pinningMode: SSLPinningMode, withPinnedCertificates certificates: some Sequence) {
        let data = certificates.compactMap { certificate -> Data? in
            let certificate = (certificate as? AnyHashable)?.base ?? certificate
            return certificate as? Data ?? (certificate as? NSData).map { $0 as Data }
        }
        self.init(pinningMode: pinningMode, pinnedCertificates: Set(data))
    }

    /// `sslPinningMode`, as Swift 1 and 2 have it.
    public var SSLPinningMode: AFSSLPinningMode { sslPinningMode }

    /// `evaluate(_:forDomain:)`.
    public func evaluateServerTrust(_ serverTrust: ServerTrust, forDomain domain: String?) -> Bool {
        evaluate(serverTrust, forDomain: domain)
    }

    /// `evaluate(_:forDomain:)` without a domain. Names are not compared.
    public func evaluateServerTrust(_ serverTrust: ServerTrust) -> Bool {
        evaluate(serverTrust, forDomain: nil)
    }
}
