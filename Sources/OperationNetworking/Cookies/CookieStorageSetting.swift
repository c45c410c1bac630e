// SPDX-License-Identifier: MIT
internal import FoundationNetworking

/// The storage that an operation's cookies come from and go to.
struct CookieStorageSetting: CustomReflectable {
    /// The storage that the manager has set.
    enum Default {
        /// `HTTPCookieStorage.shared`, which is not made before it is needed: it reads a file.
        case shared
        case storage(HTTPCookieStorage)
        case none
    }

    var managers = Default.shared
    /// The operation's own; nil: the manager's.
    var own: HTTPCookieStorage?
    /// True if requests carry the cookies of the storage.
    var areSent = true
    /// In place of the storage's.
    var acceptPolicy: HTTPCookie.AcceptPolicy?

    /// Nil: cookies are neither kept nor sent.
    var storage: HTTPCookieStorage? { own ?? managersStorage }

    var managersStorage: HTTPCookieStorage? {
        switch managers {
        case .shared: .shared
        case .storage(let storage): storage
        case .none: nil
        }
    }

    /// Empty: a reflected storage shows its cookies.
    var customMirror: Mirror { Mirror(self, children: []) }
}
