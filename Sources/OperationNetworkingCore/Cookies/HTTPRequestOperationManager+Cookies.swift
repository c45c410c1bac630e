// SPDX-License-Identifier: MIT
public import FoundationNetworking
internal import NetworkingSupport

extension HTTPRequestOperationManager {
    /// The storage that the operations' cookies come from and go to. `HTTPCookieStorage.shared` by default; nil:
    /// cookies are neither kept nor sent. Kept by `copy()`, which shares the storage, and not archived.
    ///
    /// A separate storage in memory is `URLSessionConfiguration.ephemeral.httpCookieStorage`.
    ///
    /// Cookies differ by name, domain and path (RFC 6265bis). Foundation's storage joins the three, and shows one only
    /// of those that are equal then, such as "c" at "/ab" and "bc" at "/a"; all of them are kept and sent, until the
    /// program removes or replaces the one that it sees.
    public var cookieStorage: HTTPCookieStorage? {
        get { withSettings { $0[\.storages.cookies] }.managersStorage }
        set {
            withSettings { settings in
                settings[\.storages.cookies.managers] = newValue.map { .storage($0) } ?? .none
            }
        }
    }
}

extension URLConnectionOperation {
    /// The storage that cookies come from and go to. Nil by default: the manager's
    /// ``HTTPRequestOperationManager/cookieStorage``, or `HTTPCookieStorage.shared` for an operation that no manager
    /// made. Kept by `copy()`, not archived.
    ///
    /// Nothing is kept or sent for a request whose `httpShouldHandleCookies` is false, and nothing is kept under the
    /// storage's `cookieAcceptPolicy` `.never`; under `.onlyFromMainDocumentDomain` what comes from another site than
    /// the request's `mainDocumentURL` is not kept either. The storage is used from the library's threads.
    public var cookieStorage: HTTPCookieStorage? {
        get { lock.withLock { _configuration.value.storages.cookies.own } }
        set { lock.withLock { _mutableConfiguration.storages.cookies.own = newValue } }
    }
}
