// SPDX-License-Identifier: MIT
import Foundation

/// How long the stress tests are to run.
enum Stress {
    /// The rounds that were asked for with `ON_STRESS_ROUNDS`, or the usual number.
    static func rounds(_ usual: Int) -> Int {
        if let text = ProcessInfo.processInfo.environment["ON_STRESS_ROUNDS"], let count = Int(text) { return count }
        return usual
    }
}
