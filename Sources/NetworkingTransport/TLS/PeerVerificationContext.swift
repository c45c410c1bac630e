// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport

/// The settings that the handshakes of one connection are verified with, and the results.
final class PeerVerificationContext: Sendable {
    let configuration: TLSConfiguration
    let peer: TLSPeer
    let host: String
    /// Asked before its connection reads; nil: reading needs no permission.
    let turn: ReadTurn?
    /// Called on any thread when a verdict comes that the connection waited for.
    private let didDecide: @Sendable (PeerVerificationContext) -> Void

    /// The permission of the connection to send.
    enum Permission {
        case granted
        /// The verdict has not come yet.
        case pending
        case refused
    }

    private struct State {
        var permission = Permission.granted
        var failure: (any Error)?
        /// The chain of the handshake that is under way, until its stapled response has been looked at.
        var chain: [X509Certificate] = []
        /// The chain that was rejected.
        var rejectedChain: [X509Certificate] = []
        var wasAskedForCertificate = false
        var alert: UInt8?
        var isBroken = false
    }
    private let state = Locked(State())

    init(
        configuration: TLSConfiguration, peer: TLSPeer = .server, host: String, turn: ReadTurn? = nil,
        didDecide: @escaping @Sendable (PeerVerificationContext) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.peer = peer
        self.host = host
        self.turn = turn
        self.didDecide = didDecide
    }

    /// The connection asks for its permissions.
    var asks: Bool { turn != nil || configuration.verificationExecutor != nil }

    /// The present permission of the connection to send. While the verdict is waited for, OpenSSL takes the chain for
    /// good, and finds no room to send.
    var permission: Permission {
        configuration.verificationExecutor == nil ? .granted : state.withLock { $0.permission }
    }

    /// The error that the server was rejected with; nil when it was not, or not yet.
    var failure: (any Error)? { state.withLock { $0.failure } }

    /// The chain that the peer showed when it was rejected.
    var rejectedChain: [X509Certificate] { state.withLock { $0.rejectedChain } }

    /// The peer asked for a client certificate, and there was none.
    var wasAskedForCertificate: Bool {
        get { state.withLock { $0.wasAskedForCertificate } }
        set { state.withLock { $0.wasAskedForCertificate = newValue } }
    }

    /// The last alert that the peer has sent (RFC 8446, section 6); nil: none.
    var alert: UInt8? {
        get { state.withLock { $0.alert } }
        set { state.withLock { $0.alert = newValue } }
    }

    /// Nothing more can be sent. What the peer sent before that, such as an alert, is still to be read.
    var isBroken: Bool {
        get { state.withLock { $0.isBroken } }
        set { state.withLock { $0.isBroken = newValue } }
    }

    /// Returns the verdict on a chain, and remembers it; nil, too, as long as the verdict has not come.
    func verify(_ chain: [X509Certificate]) -> (any Error)? {
        guard let executor = configuration.verificationExecutor else {
            begin(chain, .granted)
            return decide(chain)
        }
        begin(chain, .pending)
        executor { [self] in
            decide(chain)
            didDecide(self)
        }
        return nil
    }

    private func begin(_ chain: [X509Certificate], _ permission: Permission) {
        let keepsChain = configuration.verifyStatus != nil
        state.withLock {
            $0.permission = permission
            $0.failure = nil
            $0.rejectedChain = []
            $0.chain = keepsChain ? chain : []
        }
    }

    @discardableResult
    private func decide(_ chain: [X509Certificate]) -> (any Error)? {
        let failure = configuration.verify(chain, host)
        state.withLock {
            // What the stapled response was rejected for came first.
            if let failure, $0.failure == nil {
                $0.failure = failure
                $0.rejectedChain = chain
            }
            $0.permission = $0.failure == nil ? .granted : .refused
        }
        return failure
    }

    /// The verdict on the OCSP response that came with the chain, or on its absence, remembered.
    func verifyStatus(_ response: Data?) -> Bool {
        guard let verifyStatus = configuration.verifyStatus else { return true }
        let chain = state.withLock { state -> [X509Certificate] in
            defer { state.chain = [] }
            return state.chain
        }
        guard let failure = verifyStatus(response, chain, host) else { return true }
        state.withLock {
            $0.failure = failure
            $0.rejectedChain = chain
        }
        return false
    }
}
