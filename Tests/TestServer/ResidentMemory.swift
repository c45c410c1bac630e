// SPDX-License-Identifier: MIT
internal import Foundation

/// The memory of this process.
package enum ResidentMemory {
    /// Bytes that are in memory now; 0 where the kernel does not say.
    package static var bytes: Int {
        let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
        return fields.flatMap { $0.count > 1 ? Int($0[1]) : nil }.map { $0 * Int(getpagesize()) } ?? 0
    }
}
