// SPDX-License-Identifier: MIT

/// Everything that decides which servers we trust, who we are and which way we connect, as far as a connection is bound
/// to it. Requests with the same key may share connections and TLS sessions.
///
/// A user's Basic or Digest credential is not part of it: it goes out with each request, and is set on the easy handle.
struct ConnectionPoolKey: Hashable {
    let identity: String
    let minimumVersion: TLSVersion
    let maximumVersion: TLSVersion?
    let clientFingerprint: String?
    /// For the schemes that authenticate the connection.
    let credential: TransferCredential?
    let proxy: TransferProxy?
    let route: ConnectionRoute?
    /// Separates newer pools from older ones whose connections they do not use: see `AdmissionTable.generation(of:)`.
    let generation: UInt32

    init(_ request: TransferRequest, generation: UInt32) {
        identity = request.tls.identity
        minimumVersion = request.tls.minimumVersion
        maximumVersion = request.tls.maximumVersion
        clientFingerprint = request.tls.clientIdentity?.fingerprint
        credential = request.connectionCredential
        proxy = request.proxy
        route = request.route
        self.generation = generation
    }
}

extension TransferRequest {
    /// The credential, if it is one that a connection is bound to once it has been used.
    var connectionCredential: TransferCredential? {
        guard let credential, !credential.schemes.isDisjoint(with: [.ntlm, .negotiate]) else { return nil }
        return credential
    }
}
