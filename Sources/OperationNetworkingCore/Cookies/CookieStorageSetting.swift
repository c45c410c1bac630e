// SPDX-License-Identifier: MIT
internal import FoundationNetworking
internal import NetworkingSupport

/// The storage that an operation's cookies come from and go to.
package struct CookieStorageSetting: CustomReflectable {
    /// The storage that the manager has set.
    package enum Default {
        /// `HTTPCookieStorage.shared`, which is not made before it is needed: it reads a file. None without
        /// a main bundle.
        case shared
        case storage(HTTPCookieStorage)
        case none
    }

    package var managers = Default.shared
    /// The operation's own; nil: the manager's.
    package var own: HTTPCookieStorage?
    /// True if requests carry the cookies of the storage.
    package var areSent = true
    /// In place of the storage's.
    package var acceptPolicy: HTTPCookie.AcceptPolicy?

    /// Nil: cookies are neither kept nor sent.
    package var storage: HTTPCookieStorage? { own ?? managersStorage }

    var managersStorage: HTTPCookieStorage? {
        switch managers {
        case .shared: RunningProgram.bundle == nil ? nil : .shared
        case .storage(let storage): storage
        case .none: nil
        }
    }

    /// Empty: a reflected storage shows its cookies.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
