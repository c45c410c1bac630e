// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking

// A dump shows what a description does: the fields behind it hold header fields, passwords and content.

extension URLConnectionOperation: CustomReflectable {
    /// Shows the description, which has no secrets.
    public var customMirror: Mirror { Mirror(showingDescriptionOf: self) }
}

extension HTTPRequestOperationManager: CustomReflectable {
    /// Shows the description, which has no secrets.
    public var customMirror: Mirror { Mirror(showingDescriptionOf: self) }
}
