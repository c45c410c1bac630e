internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

extension HTTPRequestOperationManager {
    /// Whether requests that leave the origin of `baseURL` (its scheme, host and port), because the URL string is an
    /// absolute one or begins with "//", carry the `Authorization` and `Cookie` fields of `requestSerializer`, and their
    /// operations `credential`. False by default: these are for the API that the manager is for. No effect without a
    /// `baseURL`, and on fields given with a request.
    public var sendsAuthorizationToOtherOrigins: Bool {
        get { withSettings { $0.sendsAuthorizationToOtherOrigins } }
        set { withSettings { $0.sendsAuthorizationToOtherOrigins = newValue } }
    }

    /// Whether what identifies this manager's user is to stay out of a request for `url`.
    func isForeign(_ url: URL) -> Bool {
        guard let baseURL, !sendsAuthorizationToOtherOrigins else { return false }
        return !Origin.isSame(baseURL, url)
    }

    /// Takes the request serializer's own identifying fields out of a request.
    func removeIdentity(from request: inout URLRequest) {
        for name in ["Authorization", "Cookie"] {
            // One that a subclass made for this very request is meant for it.
            guard let own = requestSerializer.value(forHTTPHeaderField: name),
                request.value(forHTTPHeaderField: name)?.utf8.elementsEqual(own.utf8) == true
            else { continue }
            request.keepFields { !$0.isFieldName(name) }
        }
    }
}
