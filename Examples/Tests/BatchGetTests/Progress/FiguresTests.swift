// SPDX-License-Identifier: MIT
import BatchGetCore
import Testing

@Suite("Figures") struct FiguresTests {
    @Test(
        "Bytes",
        arguments: [
            (-1, "0 B"), (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1049, "1.0 kB"), (1050, "1.1 kB"),
            (999_949, "999.9 kB"), (999_950, "1.0 MB"), (12_345_678, "12.3 MB"), (5_000_000_000, "5.0 GB"),
            (Int64.max, "9.2 EB"),
        ] as [(Int64, String)])
    func bytes(_ count: Int64, _ text: String) {
        #expect(Figures.bytes(count) == text)
    }

    @Test("Percent: never 100 before all is there")
    func percent() {
        #expect(Figures.percent(0, of: 10) == "  0 %")
        #expect(Figures.percent(999_999, of: 1_000_000) == " 99 %")
        #expect(Figures.percent(10, of: 10) == "100 %")
        #expect(Figures.percent(0, of: 0) == "100 %")
        #expect(Figures.percent(11, of: 10) == "100 %")
    }

    @Test("Times and rates")
    func times() {
        #expect(Figures.clock(.milliseconds(7900)) == "0:07")
        #expect(Figures.clock(.seconds(754)) == "12:34")
        #expect(Figures.clock(.seconds(3723)) == "1:02:03")
        #expect(Figures.rate(1_234_567) == "1.2 MB/s")
        #expect(Figures.rate(-5) == "0 B/s")
        #expect(Figures.rate(.infinity) == "1.0 EB/s")
    }

    @Test("The rate is that of the last three seconds")
    func meter() {
        let start = ContinuousClock.now
        var meter = RateMeter()
        #expect(meter.rate == 0)
        meter.note(0, at: start)
        meter.note(1000, at: start + .milliseconds(100))
        #expect(meter.rate == 0, "a tenth of a second says nothing")
        for second in 1...10 { meter.note(Int64(second) * 1000, at: start + .seconds(second)) }
        #expect(meter.rate == 1000)
        for second in 11...14 { meter.note(10_000, at: start + .seconds(second)) }
        #expect(meter.rate == 0)
        meter.note(5, at: start + .seconds(15))
        #expect(meter.rate == 0, "what began again has no rate yet")
    }
}
