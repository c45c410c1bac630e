// SPDX-License-Identifier: MIT
package import Foundation

/// An error whose `localizedDescription` is its description: it may lie beneath an error that a user sees.
package protocol DescribedFailure: LocalizedError, CustomStringConvertible {}

extension DescribedFailure {
    /// The description.
    package var errorDescription: String? { description }
}
