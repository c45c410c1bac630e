// SPDX-License-Identifier: MIT

/// A button that shows images by state. AF: a category on `UIButton`. See ``ButtonBinding``.
@MainActor
public protocol ButtonImageDisplaying: AnyObject {
    /// Shows an image in a state. `nil` shows none.
    func display(_ image: Image?, for state: ButtonState)
    /// Shows a background image in a state. `nil` shows none.
    func displayBackground(_ image: Image?, for state: ButtonState)
}

/// A state of a button that has a separate image.
public enum ButtonState: Sendable, Hashable, CaseIterable {
    /// Neither of the others.
    case normal
    /// Touched, or with the pointer on it.
    case highlighted
    /// Chosen.
    case selected
    /// Not to be used.
    case disabled
}
