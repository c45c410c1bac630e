// SPDX-License-Identifier: MIT

/// How much of all files is there, as far as can be known: of those whose length nobody has told yet, the mean of the others is
/// supposed.
package struct Overall: Sendable, Equatable {
    package var bytes: Int64
    package var total: Int64
    /// Whether every length is known.
    package var isExact: Bool

    package init(bytes: Int64, total: Int64, isExact: Bool) {
        self.bytes = bytes
        self.total = total
        self.isExact = isExact
    }

    /// Nil while no length is known.
    package init?(_ statuses: [DownloadStatus]) {
        var known = Sum()
        var unknown = Sum()
        for status in statuses {
            switch status.state {
            // What was not to be had is not waited for.
            case .failed, .cancelled: continue
            case .done, .skipped: known.add(status.bytes, of: status.bytes)
            case .waiting, .checking, .active:
                if let total = status.totalBytes ?? status.entry.size {
                    known.add(status.state == .checking ? 0 : status.bytes, of: total)
                } else {
                    unknown.add(status.bytes, of: 0)
                }
            }
        }
        guard known.count > 0, known.total > 0 else { return nil }
        let mean = known.total / Double(known.count)
        let supposed = max(mean * Double(unknown.count), unknown.bytes)
        bytes = Self.whole(known.bytes + unknown.bytes)
        total = Self.whole(known.total + supposed)
        isExact = unknown.count == 0
    }

    /// At a speed; nil: at no speed, or for longer than a day is worth telling.
    package func timeLeft(rate: Double) -> Duration? {
        guard rate >= 1, total > bytes else { return nil }
        let seconds = (Double(total - bytes) / rate).rounded(.up)
        return seconds < 360_000 ? .seconds(seconds) : nil
    }

    /// In floating point: lengths that servers tell may be of any size.
    private struct Sum {
        var count = 0
        var bytes = 0.0
        var total = 0.0

        mutating func add(_ part: Int64, of whole: Int64) {
            count += 1
            bytes += Double(min(part, whole == 0 ? part : whole))
            total += Double(whole)
        }
    }

    private static func whole(_ value: Double) -> Int64 { Int64(min(max(0, value), 9e18)) }
}
