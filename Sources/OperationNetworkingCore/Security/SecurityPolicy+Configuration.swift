// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc
internal import NetworkingSupport
internal import NetworkingTransport

/// An evaluator with what it was made from.
struct PreparedEvaluator: Sendable {
    let evaluator: ServerTrustEvaluator
    /// Of the settings, the contents of the revocation list among them. Nothing is done with it if there is a problem.
    let fingerprint: String
    /// The state of the revocation list's file when it was read.
    let revocationListStamp: FileStamp?
    /// The reason that no request can be sent under the settings; nil: requests can be sent.
    let problem: ServerTrustError?
    /// The time from which on it is made anew, in seconds of the uptime: a file that could not be read, as a process
    /// has no descriptor left, may be read then.
    let expiry: TimeInterval

    /// Seconds for which it is kept all the same: a machine may have no roots at all, which takes time to find out.
    static let provisionalTime: TimeInterval = 1
}

/// The properties of a file that change when its contents do.
struct FileStamp: Sendable, Hashable {
    private let inode: UInt64
    private let size: Int64
    private let seconds: Int
    private let nanoseconds: Int

    /// nil: there is no such file.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        inode = UInt64(status.st_ino)
        size = Int64(status.st_size)
        seconds = Int(status.st_mtim.tv_sec)
        nanoseconds = Int(status.st_mtim.tv_nsec)
    }
}

extension SecurityPolicy {
    /// The configuration of all policies with the default settings.
    private static let defaultConfiguration = TLSConfiguration(
        identity: "default", verify: verification(by: .default))

    /// The policy where none was set. Never handed to users, who could change it.
    static let sharedDefault = SecurityPolicy.default()

    /// Returns the configuration that requests sent now are verified with: the settings of this moment. The same object
    /// as long as the settings and the identity are the same.
    ///
    /// - Throws: `ServerTrustError` when the settings cannot be used; see `validate()`.
    func tlsConfiguration(clientIdentity: ClientIdentity?) throws(ServerTrustError) -> TLSConfiguration {
        let isSubclass = type(of: self) != SecurityPolicy.self
        let material = clientIdentity?.material
        let (settings, cached, revision) = state.withLock { ($0.settings, $0.configuration, $0.revision) }
        if !isSubclass {
            if let cached, settings.certificateRevocationList == nil,
                cached.clientIdentity?.fingerprint == material?.fingerprint
            {
                return cached
            }
            if material == nil, settings == SecurityPolicySettings() {
                let configuration = Self.defaultConfiguration
                state.withLock { if $0.revision == revision { $0.configuration = configuration } }
                return configuration
            }
        }
        let prepared = prepare(settings: settings, revision: revision)
        if let problem = prepared.problem { throw problem }
        var identity = "\(prepared.fingerprint)/\(material?.fingerprint ?? "")"
        // Not the connections, either, of the same settings with the machine's roots.
        if prepared.evaluator.isProvisional { identity += "/provisional" }
        if isSubclass { identity += "/\(serialNumber()).\(revision)" }
        if let cached, cached.identity == identity { return cached }
        let evaluator = prepared.evaluator
        let verify =
            isSubclass
            ? verification(by: evaluator, revision: revision) : Self.verification(by: evaluator)
        // A subclass may wait for anything.
        let onBlockThread: TLSConfiguration.Executor = { Runtime.current.onBlockThread($0) }
        let configuration = TLSConfiguration(
            identity: identity, minimumVersion: settings.minimumTLSVersion.transportVersion,
            maximumVersion: settings.maximumTLSVersion?.transportVersion, clientIdentity: material,
            verifyStatus: settings.requiresOCSPStapling ? Self.statusVerification(by: evaluator) : nil,
            verificationExecutor: isSubclass ? onBlockThread : nil, verify: verify)
        // A subclass's configuration holds its policy: kept here it would hold itself.
        if !isSubclass {
            // One that is provisional is found by the evaluator's time only.
            let isKept = !prepared.evaluator.isProvisional
            state.withLock { if $0.revision == revision { $0.configuration = isKept ? configuration : nil } }
        }
        return configuration
    }

    private static let lastSerialNumber = Locked(0)

    /// The number of this policy among those of subclasses.
    private func serialNumber() -> Int {
        if let number = state.withLock({ $0.serialNumber }) { return number }
        let next = Self.lastSerialNumber.withLock {
            $0 += 1
            return $0
        }
        return state.withLock {
            let number = $0.serialNumber ?? next
            $0.serialNumber = number
            return number
        }
    }

    /// Returns the reason that no request can be sent under the settings of this moment; nil: requests can be sent.
    func problem() -> ServerTrustError? {
        let (settings, revision) = state.withLock { ($0.settings, $0.revision) }
        return prepare(settings: settings, revision: revision).problem
    }

    /// Returns the evaluator for the settings of this moment.
    func evaluator() -> ServerTrustEvaluator {
        let (settings, revision) = state.withLock { ($0.settings, $0.revision) }
        if settings == SecurityPolicySettings() { return .default }
        return prepare(settings: settings, revision: revision).evaluator
    }

    private static func contents(of file: URL) -> Result<Data, ServerTrustError> {
        guard file.isFileURL else {
            return .failure(.settings("the certificateRevocationList \(file) is not a file URL"))
        }
        do {
            let data = try Data(contentsOf: file)
            _ = try CertificateRevocationList.lists(in: data)
            return .success(data)
        } catch {
            return .failure(.settings("the certificateRevocationList \(file.path) cannot be used: \(error)"))
        }
    }

    private func prepare(settings: SecurityPolicySettings, revision: Int) -> PreparedEvaluator {
        let stamp = settings.certificateRevocationList.flatMap { FileStamp(path: $0.path) }
        let cached = state.withLock { $0.revision == revision ? $0.evaluator : nil }
        if let cached, cached.revocationListStamp == stamp, cached.expiry > ProcessInfo.processInfo.systemUptime {
            return cached
        }
        let list = settings.certificateRevocationList.map(Self.contents)
        var problem: ServerTrustError?
        var fingerprint = ""
        do {
            fingerprint = try settings.fingerprint(revocationList: try? list?.get())
            try settings.validate()
            _ = try list?.get()
        } catch {
            problem = error
        }
        let evaluator = ServerTrustEvaluator(settings: settings, revocationList: list)
        var isProvisional = evaluator.isProvisional
        if case .failure = list { isProvisional = true }
        let prepared = PreparedEvaluator(
            evaluator: evaluator, fingerprint: fingerprint, revocationListStamp: stamp, problem: problem,
            expiry: isProvisional
                ? ProcessInfo.processInfo.systemUptime + PreparedEvaluator.provisionalTime : .infinity)
        state.withLock { if $0.revision == revision { $0.evaluator = prepared } }
        return prepared
    }

    private static func verification(by evaluator: ServerTrustEvaluator) -> TLSConfiguration.Verification {
        { chain, host in
            guard let trust = ServerTrust(parsed: chain) else { return ServerTrustError.emptyChain }
            return evaluator.failure(of: trust, domain: host)
        }
    }

    private static func statusVerification(
        by evaluator: ServerTrustEvaluator
    ) -> TLSConfiguration.StatusVerification {
        { response, chain, host in
            guard let trust = ServerTrust(parsed: chain) else { return ServerTrustError.emptyChain }
            return evaluator.stapledResponseFailure(response, of: trust, domain: host)
        }
    }

    /// Asks `evaluate(_:forDomain:)` of a subclass.
    private func verification(by evaluator: ServerTrustEvaluator, revision: Int) -> TLSConfiguration.Verification {
        { chain, host in
            guard let trust = ServerTrust(parsed: chain) else { return ServerTrustError.emptyChain }
            let isTrusted = self.evaluate(trust, forDomain: host)
            // The connection will be kept under the settings that the request was sent with: a verdict under others
            // must not get it there.
            guard self.state.withLock({ $0.revision }) == revision else {
                return ServerTrustError(
                    rule: .evaluation, subject: trust.parsed.first?.subject, host: host,
                    reason: "the security policy was changed during the handshake; send the request again")
            }
            if isTrusted { return nil }
            return evaluator.failure(of: trust, domain: host)
                ?? ServerTrustError(
                    rule: .evaluation, subject: trust.parsed.first?.subject, host: host,
                    reason: "\(type(of: self)).evaluate(_:forDomain:) returned false")
        }
    }
}
