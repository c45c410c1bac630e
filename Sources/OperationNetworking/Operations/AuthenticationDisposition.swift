public import FoundationNetworking

/// The answer to an authentication challenge. The counterparts of AF's calls on the challenge's sender.
public enum AuthenticationDisposition: Sendable {
    /// Answer with this credential.
    case useCredential(URLCredential)
    /// What would happen without the block: the operation's credential once, then the storage's.
    case performDefaultHandling
    /// End the operation with `URLError.userCancelledAuthentication`.
    case cancel
    /// No credential for this protection space: the 401 response is the result.
    case rejectProtectionSpace
}
