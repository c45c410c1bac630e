// SPDX-License-Identifier: MIT

/// The speed of something that is looked at now and then, over the last seconds.
package struct RateMeter: Sendable {
    /// Seconds that count.
    static let window = Duration.seconds(3)

    private var samples: [(time: ContinuousClock.Instant, bytes: Int64)] = []

    package init() {}

    /// Notes how many bytes there are at a time.
    package mutating func note(_ bytes: Int64, at time: ContinuousClock.Instant) {
        // A download that began again: what was before says nothing.
        if let last = samples.last, bytes < last.bytes { samples = [] }
        samples.append((time, bytes))
        // One older than the window stays: the rate is measured from there.
        while samples.count > 2, samples[1].time <= time - Self.window { samples.removeFirst() }
    }

    /// Bytes a second; 0 until two times half a second apart are known.
    package var rate: Double {
        guard let first = samples.first, let last = samples.last else { return 0 }
        let elapsed = (last.time - first.time).seconds
        return elapsed >= 0.5 ? Double(last.bytes - first.bytes) / elapsed : 0
    }
}
