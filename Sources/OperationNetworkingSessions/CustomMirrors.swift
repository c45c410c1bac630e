// SPDX-License-Identifier: MIT
internal import Foundation
internal import OperationNetworkingCore

extension URLSessionManager: CustomReflectable {
    /// Shows the description, which has no secrets.
    public var customMirror: Mirror { Mirror(showingDescriptionOf: self) }
}

extension OperationURLSession: CustomReflectable {
    /// Shows the description, which has no secrets.
    public var customMirror: Mirror { Mirror(showingDescriptionOf: self) }
}

extension SessionTaskFace {
    /// Shows the description, which has no secrets.
    var customMirror: Mirror { Mirror(showingDescriptionOf: self) }
}
