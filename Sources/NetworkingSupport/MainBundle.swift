// SPDX-License-Identifier: MIT
internal import CoreFoundation
package import Foundation

/// The running program's bundle.
package enum MainBundle {
    /// `Bundle.main`; nil: Foundation cannot make it, because `/proc` is not mounted, or the program's folder was moved or
    /// removed before the first use. `Bundle.main` stops the process there, and so do the shared storages of cookies
    /// and responses, which look for their files by it.
    package static let current: Bundle? = CFBundleGetMainBundle() == nil ? nil : .main
}
