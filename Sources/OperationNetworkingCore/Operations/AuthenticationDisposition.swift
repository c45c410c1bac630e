// SPDX-License-Identifier: MIT
public import FoundationNetworking

/// The answer to an authentication challenge. The counterparts of AF's calls on the challenge's sender.
public enum AuthenticationDisposition: Sendable {
    /// Answer with this credential. It has a user name and password, or is `URLCredential.accepting(_:)` for an
    /// untrusted server, or `URLCredential.identity(_:)` for one that wants a client certificate. One of another kind
    /// is no answer.
    case useCredential(URLCredential)
    /// Answer as without the block, with the operation's credential once, then the storage's. An untrusted server, or
    /// one that wants a client certificate, fails the operation.
    case performDefaultHandling
    /// End the operation with `URLError.userCancelledAuthentication`.
    case cancel
    /// No credential for this protection space. The 401 response is the result, or the failed handshake.
    case rejectProtectionSpace
}
