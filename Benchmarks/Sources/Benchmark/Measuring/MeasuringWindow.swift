// SPDX-License-Identifier: MIT

/// Counts what ends between a warm-up and an end. Not for use by several threads at a time.
struct MeasuringWindow {
    private let warmUpEnd: Double
    private let seconds: Double
    private var start: Double?
    private var startCPU = 0.0
    private var ended = 0
    /// Filled in when the window is over.
    private(set) var figures: Figures?

    init(warmUp: Double, seconds: Double) {
        warmUpEnd = monotonicSeconds() + warmUp
        self.seconds = seconds
    }

    /// One more has ended; false when that was the last to count.
    mutating func count() -> Bool {
        guard figures == nil else { return false }
        let now = monotonicSeconds()
        guard let start else {
            if now >= warmUpEnd {
                start = now
                startCPU = ProcessUsage.cpuSeconds
            }
            return true
        }
        ended += 1
        guard now - start >= seconds else { return true }
        figures = [
            "requests": Double(ended), "seconds": now - start, "cpuSeconds": ProcessUsage.cpuSeconds - startCPU,
            "peakKiB": ProcessUsage.peakKiB,
        ]
        return false
    }
}

/// What one measurement found: names, with the unit at the end, and values.
typealias Figures = [String: Double]
