// SPDX-License-Identifier: MIT
internal import FoundationNetworking
internal import NetworkingSupport

extension URLCredentialStorage {
    /// The default credential of a space with the same contents.
    ///
    /// On Linux two equal spaces are not `==`, so that `defaultCredential(for:)` finds nothing unless it is given the
    /// very object that the credential was stored for.
    func defaultCredential(matching space: URLProtectionSpace) -> URLCredential? {
        if let credential = defaultCredential(for: space) { return credential }
        for (stored, _) in allCredentials where stored.hasSameContents(as: space) {
            if let credential = defaultCredential(for: stored) { return credential }
        }
        return nil
    }
}

extension URLProtectionSpace {
    fileprivate func hasSameContents(as other: URLProtectionSpace) -> Bool {
        host.lowercased() == other.host.lowercased()  // checked: our own request's
            && port == other.port && `protocol` == other.protocol
            && realm.hasOctets(of: other.realm) && authenticationMethod == other.authenticationMethod
            && isProxy() == other.isProxy()
    }
}
