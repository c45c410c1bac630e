// SPDX-License-Identifier: MIT
public import Dispatch
public import Foundation
public import FoundationNetworking

/// The settings that an operation has before it begins: its identity for the server, the servers that it trusts, the
/// place for content, and the receivers of its reports.
extension URLConnectionOperation {
    /// True if `URLCredentialStorage.shared` is asked when the server wants a credential. True by default. AF:
    /// `shouldUseCredentialStorage`.
    public var shouldUseCredentialStorage: Bool {
        get { lock.withLock { _configuration.value.storages.shouldUseCredentialStorage } }
        set { lock.withLock { _mutableConfiguration.storages.shouldUseCredentialStorage = newValue } }
    }

    /// Offered once when the server wants a credential. Nil by default. AF: `credential`.
    public var credential: URLCredential? {
        get { lock.withLock { _configuration.value.identity.credential } }
        set { lock.withLock { _mutableConfiguration.identity.credential = newValue } }
    }

    /// The policy by which the server's certificate is judged. `SecurityPolicy.default()` by default. Taken as it is
    /// when the transfer begins. AF: `securityPolicy`.
    public var securityPolicy: SecurityPolicy {
        get {
            lock.withLock {
                if let policy = _configuration.value.transport.securityPolicy { return policy }
                let policy = SecurityPolicy.default()
                _mutableConfiguration.transport.securityPolicy = policy
                return policy
            }
        }
        set {
            lock.withLock {
                _mutableConfiguration.transport.securityPolicy = newValue
                _unarchivedProperties.remove(.securityPolicy)
            }
        }
    }

    /// Certificate and key to show to a server that asks for one. Nil by default.
    ///
    /// ```swift
    /// operation.clientIdentity = try ClientIdentity(
    ///     pkcs12: archive, password: password)
    /// ```
    public var clientIdentity: ClientIdentity? {
        get { lock.withLock { _configuration.value.identity.clientIdentity } }
        set {
            lock.withLock {
                _mutableConfiguration.identity.clientIdentity = newValue
                _mutableConfiguration.identity.identityOrigin = nil
            }
        }
    }

    /// The stream that the request's content is read from, its `httpBodyStream`. Read on one of the library's queues,
    /// so it may block. Setting it replaces any other content. AF: `inputStream`.
    public var inputStream: InputStream? {
        get { lock.withLock { _request.httpBodyStream } }
        set {
            lock.withLock {
                _request.httpBodyStream = newValue
                _unedited?.httpBodyStream = newValue
                _unarchivedProperties.remove(.bodyStream)
            }
        }
    }

    /// The stream that the response's content goes to. Nil by default: it is collected in `responseData`.
    ///
    /// Opened when the transfer begins and closed at the end; written to on a queue of its own, so a slow stream slows
    /// down its own transfer only. Has no effect once the transfer began. AF: `outputStream`.
    public var outputStream: OutputStream? {
        get { lock.withLock { _configuration.value.outputStream } }
        set { lock.withLock { _mutableConfiguration.outputStream = newValue } }
    }

    /// The queue for completion, progress and notifications. Nil by default: the main queue, which the program must
    /// run. Read when something is delivered. AF: `completionQueue`.
    ///
    /// On a queue that does not run, blocks keep the operation alive. Notifications do so only for a moment: then they
    /// are dropped with it.
    public var completionQueue: DispatchQueue? {
        get { lock.withLock { _configuration.value.completionQueue } }
        set { lock.withLock { _mutableConfiguration.completionQueue = newValue?.canonical } }
    }

    /// The group that the completion blocks run in. Nil by default. AF: `completionGroup`.
    public var completionGroup: DispatchGroup? {
        get { lock.withLock { _configuration.value.completionGroup } }
        set { lock.withLock { _mutableConfiguration.completionGroup = newValue } }
    }

    /// Values for the use of the application. The library does not look at them. Copied by `copy()`. AF: `userInfo`.
    public var userInfo: [String: Any] {
        get { lock.withLock { _configuration.value.userInfo } }
        set { lock.withLock { _mutableConfiguration.userInfo = newValue } }
    }

    /// Kept for source compatibility, without effect. No run loop is involved. AF: `runLoopModes`.
    public var runLoopModes: Set<RunLoop.Mode> {
        get { lock.withLock { _configuration.value.runLoopModes } }
        set { lock.withLock { _mutableConfiguration.runLoopModes = newValue } }
    }

    /// True if operations that depend on this one wait until its completion blocks have returned. False by default: the
    /// response is parsed by then, but the blocks may still run.
    public var dependentsWaitForCompletionBlocks: Bool {
        get { lock.withLock { _configuration.value.dependentsWaitForCompletionBlocks } }
        set { lock.withLock { _mutableConfiguration.dependentsWaitForCompletionBlocks = newValue } }
    }

    /// The policy for an upstream operation that failed or was cancelled. `.run` by default.
    ///
    /// ```swift
    /// profile.addDependency(login)
    /// profile.dependencyFailurePolicy = .cancel
    /// ```
    public var dependencyFailurePolicy: DependencyFailurePolicy {
        get { lock.withLock { _configuration.value.dependencyFailurePolicy } }
        set {
            lock.withLock { _mutableConfiguration.dependencyFailurePolicy = newValue }
            DependencyGraph.setFollowsUpstreams(newValue == .cancel, self)
            if let failure = failureOfUpstreams() { performCancel(cause: failure) }
        }
    }
}
