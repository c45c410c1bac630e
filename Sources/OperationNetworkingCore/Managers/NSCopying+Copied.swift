// SPDX-License-Identifier: MIT
internal import Foundation

extension NSObjectProtocol where Self: NSCopying {
    /// A copy of the same type, or this object when its class copies to something else.
    package func copied() -> Self {
        copy(with: nil) as? Self ?? self
    }
}
