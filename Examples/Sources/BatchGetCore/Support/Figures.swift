// SPDX-License-Identifier: MIT
internal import Foundation

/// Numbers for people, the same in every locale.
package enum Figures {
    /// "0 B", "999 B", "1.2 kB", "34.5 MB": at most 8 columns.
    package static func bytes(_ count: Int64) -> String {
        guard count >= 1000 else { return "\(max(0, count)) B" }
        var value = Double(count)
        var unit = 0
        let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
        // What would be rounded to 1000 is shown in the next unit.
        while value >= 999.95, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        return String(format: "%.1f %@", value, units[unit])
    }

    /// "1.2 MB/s"; at most 10 columns.
    package static func rate(_ bytesPerSecond: Double) -> String {
        bytes(Int64(min(max(0, bytesPerSecond), 1e18))) + "/s"
    }

    /// "0:07", "12:34", "1:02:03".
    package static func clock(_ duration: Duration) -> String {
        let seconds = max(0, duration.components.seconds)
        let minutes = seconds / 60
        guard minutes >= 60 else { return String(format: "%lld:%02lld", minutes, seconds % 60) }
        return String(format: "%lld:%02lld:%02lld", minutes / 60, minutes % 60, seconds % 60)
    }

    /// " 45 %"; 5 columns. Never 100 before all is there.
    package static func percent(_ part: Int64, of whole: Int64) -> String {
        guard whole > 0 else { return part >= whole ? "100 %" : "  0 %" }
        let share = part >= whole ? 100 : min(99, Int(Double(max(0, part)) / Double(whole) * 100))
        return String(format: "%3d %%", share)
    }
}

extension Duration {
    /// In seconds.
    package var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
