// SPDX-License-Identifier: MIT

/// A view that shows that something is going on. AF: a category on `UIActivityIndicatorView`. See ``ActivityBinding``.
@MainActor
public protocol ActivityDisplaying: AnyObject {
    /// Something is going on.
    func startAnimating()
    /// No longer.
    func stopAnimating()
}
