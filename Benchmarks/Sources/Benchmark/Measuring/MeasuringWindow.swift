// SPDX-License-Identifier: MIT

/// Counts what ends between a warm-up and an end, and how long each took. Not for use by several threads at a time.
struct MeasuringWindow {
    private let warmUpEnd: Double
    private let seconds: Double
    private var start: Double?
    private var startCPU = 0.0
    private var latencies: [Double] = []
    /// Filled in when the window is over.
    private(set) var figures: Figures?

    init(warmUp: Double, seconds: Double) {
        warmUpEnd = monotonicSeconds() + warmUp
        self.seconds = seconds
        latencies.reserveCapacity(1 << 17)
    }

    /// One more, which was begun at `begin` (`monotonicSeconds()`), has ended; false when that was the last to count.
    mutating func count(since begin: Double) -> Bool {
        guard figures == nil else { return false }
        let now = monotonicSeconds()
        guard let start else {
            if now >= warmUpEnd {
                start = now
                startCPU = ProcessUsage.cpuSeconds
            }
            return true
        }
        latencies.append(now - begin)
        guard now - start >= seconds else { return true }
        let cpu = ProcessUsage.cpuSeconds - startCPU
        let ordered = latencies.sorted()
        figures = [
            "requests": Double(ordered.count), "seconds": now - start, "cpuSeconds": cpu,
            "peakKiB": ProcessUsage.peakKiB, "p50Seconds": ordered[ordered.count / 2],
            "p99Seconds": ordered[ordered.count * 99 / 100],
        ]
        return false
    }
}

/// What one measurement found: names, with the unit at the end, and values.
typealias Figures = [String: Double]
