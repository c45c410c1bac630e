// SPDX-License-Identifier: MIT
internal import Foundation

extension HTTPRequestOperationManager {
    /// True if requests that leave the origin of `baseURL` (its scheme, host and port) carry the user's credentials.
    /// They leave it when the URL string is an absolute one or begins with "//". The credentials are the
    /// `Authorization` and `Cookie` fields of `requestSerializer`, and the operations' `credential`, `clientIdentity`
    /// and token of a ``TokenRefresher``. False by default: these are for the API that the manager is for. No effect
    /// without a `baseURL`, and on fields given with a request.
    public var sendsAuthorizationToOtherOrigins: Bool {
        get { withSettings { $0.sendsAuthorizationToOtherOrigins } }
        set {
            let origin = base.confiningOrigin
            withSettings {
                $0.sendsAuthorizationToOtherOrigins = newValue
                $0[\.interception.authorizedOrigin] = newValue ? nil : origin
            }
        }
    }

    /// Returns true if this manager has something that identifies its user and is to stay out of a request for `url`.
    ///
    /// - Parameter serializer: the one that made the request, which is another than the stored one where a subclass
    ///   overrides `requestSerializer`.
    func withholdsIdentity(from url: URL, of serializer: HTTPRequestSerializer) -> Bool {
        guard baseURL != nil else { return false }
        let (provesUser, sendsAnyway) = withSettings {
            let own = $0.operations.value
            return (
                own.identity.credential != nil || own.identity.clientIdentity != nil,
                $0.sendsAuthorizationToOtherOrigins
            )
        }
        // First, because to work out an origin takes longer.
        guard !sendsAnyway, provesUser || serializer.hasIdentifyingFields else { return false }
        return base.isLeft(by: url)
    }
}
