// SPDX-License-Identifier: MIT
public import Foundation
internal import NetworkingSupport
internal import NetworkingTransport

/// Decides, inside the TLS handshake and before a byte of a request is sent, whether a server is the right one. AF:
/// `AFSecurityPolicy`.
///
/// A new policy trusts the servers whose certificates lead to a root of this machine (`SSL_CERT_FILE` and
/// `SSL_CERT_DIR` are honoured) and are for the host that was asked for. Certificates or public keys can be pinned in
/// addition, and a private certificate authority trusted through `anchorCertificates`.
///
/// A request takes the settings that its policy has when it is sent. Connections and TLS sessions are shared only among
/// requests whose settings are equal.
///
/// ## Subclassing
/// `evaluate(_:forDomain:)` may be overridden. It is then asked in every handshake, on a thread of the library's for
/// each, so it may take its time, and several handshakes may ask at once. Nothing is sent on the connection meanwhile,
/// and the time counts as the request's (`timeoutInterval`). A subclass whose answer depends on more than these
/// settings is asked when a connection is opened, not again while the connection is used. A subclass that adds
/// properties overrides `copy(with:)` too.
///
/// ```swift
/// manager.securityPolicy = SecurityPolicy(
///     pinningMode: .publicKey, pinnedCertificates: [certificate])
/// ```
// Sendable because the settings and what is derived from them are behind a lock, and the rest is immutable.
open class SecurityPolicy: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    struct State: Sendable {
        var settings: SecurityPolicySettings
        /// Goes up with every change of the settings.
        var revision = 0
        /// Made from the settings when first needed; dropped when they change.
        var evaluator: PreparedEvaluator?
        /// The last configuration handed out.
        var configuration: TLSConfiguration?
        /// Tells policies of a subclass apart for as long as the process lives, which an address does not.
        var serialNumber: Int?
    }
    let state: Locked<State>

    /// Makes a policy without pins. AF: `AFSecurityPolicy.defaultPolicy`. A new object every time.
    public class func `default`() -> SecurityPolicy {
        self.init(pinningMode: .none)
    }

    /// A policy that pins certificates.
    ///
    /// - Parameters:
    ///   - pinningMode: What is compared with the pins.
    ///   - pinnedCertificates: Certificates as DER; none by default, which rejects every server in a pinning mode.
    public required init(pinningMode: SSLPinningMode, pinnedCertificates: Set<Data> = []) {
        var settings = SecurityPolicySettings()
        settings.pinningMode = pinningMode
        settings.pinnedCertificates = pinnedCertificates
        state = Locked(State(settings: settings))
    }

    /// The same as `default()`.
    public convenience override init() { self.init(pinningMode: .none) }

    /// Reads what `encode(with:)` wrote. `nil` when it is damaged.
    public required init?(coder: NSCoder) {
        guard let settings = SecurityPolicySettings(coder: coder) else { return nil }
        state = Locked(State(settings: settings))
    }

    /// The part of a certificate that is compared with the pins. `none` by default.
    public var sslPinningMode: SSLPinningMode { settings.pinningMode }

    /// The pinned certificates, as DER. Empty by default.
    ///
    /// In the mode `publicKey` their keys are what counts: a certificate re-issued with the same key still matches. Any
    /// certificate of the chain may be the pinned one: the server's, an intermediate's, or the root's, sent or not.
    public var pinnedCertificates: Set<Data> {
        get { settings.pinnedCertificates }
        set { change { $0.pinnedCertificates = newValue } }
    }

    /// True if chains that lead to no trusted root, including expired ones, are accepted. False by default.
    ///
    /// With pins, what is pinned still has to be there. Without, `validatesDomainName` has to be false too.
    public var allowInvalidCertificates: Bool {
        get { settings.allowInvalidCertificates }
        set { change { $0.allowInvalidCertificates = newValue } }
    }

    /// True if the server's certificate has to be for the host of the request. True by default.
    public var validatesDomainName: Bool {
        get { settings.validatesDomainName }
        set { change { $0.validatesDomainName = newValue } }
    }

    /// Roots that are trusted in addition to this machine's, as DER, such as the certificate of a private authority.
    /// Empty by default.
    ///
    /// ```swift
    /// let policy = SecurityPolicy.default()
    /// policy.anchorCertificates = [privateRoot]
    /// manager.securityPolicy = policy
    /// ```
    public var anchorCertificates: Set<Data> {
        get { settings.anchorCertificates }
        set { change { $0.anchorCertificates = newValue } }
    }

    /// The oldest TLS version that is spoken. 1.2 by default.
    public var minimumTLSVersion: TLSProtocolVersion {
        get { settings.minimumTLSVersion }
        set { change { $0.minimumTLSVersion = newValue } }
    }

    /// The newest TLS version that is spoken. `nil`, the default, stands for the newest that OpenSSL has.
    public var maximumTLSVersion: TLSProtocolVersion? {
        get { settings.maximumTLSVersion }
        set { change { $0.maximumTLSVersion = newValue } }
    }

    /// A file of certificate revocation lists (PEM, or one as DER). `nil`, the default, leaves revocation unchecked.
    ///
    /// A file URL. Every certificate of a chain has to be covered by a list of its issuer that has not expired. The
    /// file is read again when it has changed on disk.
    public var certificateRevocationList: URL? {
        get { settings.certificateRevocationList }
        set { change { $0.certificateRevocationList = newValue } }
    }

    /// True if the server has to staple an OCSP response (RFC 6066, section 8) that says its certificate is good. False
    /// by default.
    public var requiresOCSPStapling: Bool {
        get { settings.requiresOCSPStapling }
        set { change { $0.requiresOCSPStapling = newValue } }
    }

    /// Throws when the settings contradict each other or name something unusable. A request under such a policy fails
    /// with this error before it connects.
    ///
    /// ```swift
    /// do {
    ///     try policy.validate()
    /// } catch {
    ///     print("these settings cannot work: \(error)")
    /// }
    /// ```
    ///
    /// - Throws: `ServerTrustError` with the rule `settings`.
    public func validate() throws {
        if let problem = problem() { throw problem }
    }

    /// Returns true if the server is trusted.
    ///
    /// - Parameters:
    ///   - serverTrust: The certificates that the server showed.
    ///   - domain: The host that was to be reached. nil: names are not compared.
    open func evaluate(_ serverTrust: ServerTrust, forDomain domain: String?) -> Bool {
        evaluator().failure(of: serverTrust, domain: domain) == nil
    }

    /// Returns success if the server is trusted under the settings of this policy, or else the reason that it is not.
    /// `evaluate(_:forDomain:)` of a subclass is not asked.
    ///
    /// - Parameters:
    ///   - serverTrust: The certificates that the server showed.
    ///   - domain: The host that was to be reached. nil: names are not compared.
    public func evaluation(
        of serverTrust: ServerTrust, forDomain domain: String?
    ) -> Result<Void, ServerTrustError> {
        evaluator().failure(of: serverTrust, domain: domain).map { .failure($0) } ?? .success(())
    }

    /// A policy of the same class with the same settings.
    open func copy(with zone: NSZone? = nil) -> Any {
        let settings = settings
        let copy = type(of: self).init(
            pinningMode: settings.pinningMode, pinnedCertificates: settings.pinnedCertificates)
        copy.change { $0 = settings }
        return copy
    }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// Writes the settings as one piece of data.
    open func encode(with coder: NSCoder) { settings.encode(with: coder) }

    var settings: SecurityPolicySettings { state.withLock { $0.settings } }

    private func change(_ change: (inout SecurityPolicySettings) -> Void) {
        state.withLock {
            change(&$0.settings)
            $0.revision &+= 1
            $0.evaluator = nil
            $0.configuration = nil
        }
    }
}
