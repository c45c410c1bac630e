// SPDX-License-Identifier: MIT
public import FoundationNetworking
public import OperationNetworkingCore

/// The secrets that a request is sent with, and not stored with.
public struct DurableSecrets: Sendable {
    /// Fields that are set on the request, such as `Authorization` and `Cookie`. None by default.
    public var fields: [String: String]
    /// The operation's `credential`. Nil by default: the manager's.
    public var credential: URLCredential?
    /// The operation's `clientIdentity`. Nil by default: the manager's.
    public var clientIdentity: ClientIdentity?

    /// Secrets by their parts.
    public init(
        fields: [String: String] = [:], credential: URLCredential? = nil, clientIdentity: ClientIdentity? = nil
    ) {
        self.fields = fields
        self.credential = credential
        self.clientIdentity = clientIdentity
    }
}

/// The source of what must not be in a store, such as tokens, passwords and client keys. A queue asks it before each
/// attempt of a request that has a ``DurableRequest/secretReference``.
public protocol DurableSecretProvider: Sendable {
    /// Returns the secrets that a reference stands for. Runs as a task, for many requests at once.
    ///
    /// - Parameters:
    ///   - reference: the request's ``DurableRequest/secretReference``.
    ///   - request: the request that they are for.
    /// - Throws: an error that the attempt fails with; another attempt may follow.
    func secrets(for reference: String, request: URLRequest) async throws -> DurableSecrets
}
