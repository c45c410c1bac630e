// SPDX-License-Identifier: MIT

/// A view that shows errors. AF: a category on `UIAlertView`. See ``ErrorBinding``.
@MainActor
public protocol ErrorDisplaying: AnyObject {
    /// Shows an error.
    ///
    /// - Parameters:
    ///   - title: what went wrong, or "Error".
    ///   - message: why, or what to do.
    func displayError(title: String, message: String)
}
