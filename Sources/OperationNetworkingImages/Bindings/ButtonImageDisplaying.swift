/// What shows images by state: AFNetworking's category on `UIButton`, for any kind of button. See ``ButtonBinding``.
@MainActor
public protocol ButtonImageDisplaying: AnyObject {
    /// Shows an image in a state; nil: none.
    func display(_ image: Image?, for state: ButtonState)
    /// Shows a background image in a state; nil: none.
    func displayBackground(_ image: Image?, for state: ButtonState)
}

/// A state of a button that has an image of its own.
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
