// SPDX-License-Identifier: MIT
import BatchGetCore
import Testing

@Suite("How fast bytes may come") struct TokenBucketTests {
    @Test("Whoever takes more than there is waits as long as that takes to come")
    func debt() {
        let start = ContinuousClock.now
        var bucket = TokenBucket(rate: 1000, at: start)
        #expect(bucket.take(100, at: start) == .zero, "a tenth of a second's worth may come at once")
        #expect(bucket.take(500, at: start) == .milliseconds(500))
        #expect(bucket.take(500, at: start) == .seconds(1))
        #expect(bucket.take(0, at: start + .seconds(1)) == .zero)
        #expect(bucket.take(100, at: start + .seconds(100)) == .zero)
        #expect(bucket.take(1000, at: start + .seconds(100)) == .seconds(1), "a rest is not saved up")
        #expect(bucket.take(0, at: start) == .seconds(1), "time does not go backwards")
    }

    @Test("Over a long time the rate is met, whatever the pieces", arguments: [1, 100, 64_000, 1_000_000])
    func longRun(_ size: Int) {
        let start = ContinuousClock.now
        var now = start
        var bucket = TokenBucket(rate: 1_000_000, at: now)
        for _ in 0..<1000 { now += bucket.take(size, at: now) }
        let expected = Double(size) * 1000 / 1_000_000 - 0.1
        #expect(abs((now - start).seconds - max(0, expected)) < 0.001)
    }
}
