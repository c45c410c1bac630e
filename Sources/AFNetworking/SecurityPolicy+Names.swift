public import Foundation

// The names are AFNetworking's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

extension SecurityPolicy {
    /// `default()`, as Swift 1 and 2 have it.
    public static func defaultPolicy() -> SecurityPolicy {
        `default`()
    }

    /// `init(pinningMode:pinnedCertificates:)` without pins. AF: `+policyWithPinningMode:`.
    public static func policyWithPinningMode(_ pinningMode: SSLPinningMode) -> Self {
        self.init(pinningMode: pinningMode)
    }

    /// Forwards to `init(pinningMode:pinnedCertificates:)`. AF 3: `+policyWithPinningMode:withPinnedCertificates:`.
    public convenience init(pinningMode: SSLPinningMode, withPinnedCertificates certificates: Set<Data>) {
        self.init(pinningMode: pinningMode, pinnedCertificates: certificates)
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
