// SPDX-License-Identifier: MIT
internal import Foundation

/// How long things may take.
package enum Patience {
    /// What limits of time are multiplied by: code that is checked for races runs several times slower, and beside other
    /// work.
    package static let factor: Double = dlsym(nil, "__tsan_init") == nil ? 1 : 10
}
