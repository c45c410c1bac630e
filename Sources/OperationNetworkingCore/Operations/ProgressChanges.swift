// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport

/// Changes of Foundation's `Progress`, one at a time in the process: on Linux none is safe to change from several
/// threads, and a parent changes with its children, whatever threads those are changed on.
package enum ProgressChanges {
    /// The number of changes. The lock guards Foundation's state.
    private static let count = Locked(0)

    /// - Parameter change: calls nothing but initializers and setters of progresses, which call no other code.
    package static func perform<Result: Sendable>(_ change: () -> Result) -> Result {
        count.withLock { count in
            count &+= 1
            return change()
        }
    }
}
