// SPDX-License-Identifier: MIT
internal import Foundation

extension Error {
    /// What went wrong, without the request: the entry's name is shown beside it.
    var reason: String { (self as NSError).localizedFailureReason ?? localizedDescription }
}
