// SPDX-License-Identifier: MIT

/// A view that shows how much of something is done. AF: a category on `UIProgressView`. See ``ProgressBinding``.
@MainActor
public protocol ProgressDisplaying: AnyObject {
    /// Shows a progress from 0 to 1.
    func setProgress(_ progress: Double, animated: Bool)
}
