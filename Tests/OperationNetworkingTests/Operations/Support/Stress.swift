import Foundation
import Glibc

/// How long the stress tests are to run.
enum Stress {
    /// ThreadSanitizer makes everything many times slower.
    static let isUnderThreadSanitizer = dlsym(nil, "__tsan_init") != nil

    /// The rounds that were asked for with `ON_STRESS_ROUNDS`, or the usual number; a quarter of it under
    /// ThreadSanitizer.
    static func rounds(_ usual: Int) -> Int {
        if let text = ProcessInfo.processInfo.environment["ON_STRESS_ROUNDS"], let count = Int(text) { return count }
        return isUnderThreadSanitizer ? usual / 4 : usual
    }
}
