// SPDX-License-Identifier: MIT

extension Driver {
    /// How long requests take where the machine is not full.
    func measureLatency() throws -> Section {
        let rounds = try rounds(7, quick: 2)
        let (page, seconds) = (url + "/1k.bin", loadSeconds)
        var contenders = LoadContender.all(page, atATime: 8, warmUp: 0.3, seconds: seconds)
        contenders.append(
            LoadContender(name: LoadContender.urlSession) {
                try $0.measure(
                    .httpURLSession,
                    ["url": page, "connections": 8, "length": 1_024, "warmup": 0.3, "seconds": seconds])
            })
        let comparison = try LoadComparison(of: contenders, rounds: rounds, by: self)
        var section = Section(
            .latency,
            method: """
                GET of 1 KiB from nginx on 8 connections, one request for each at a time: from the call to the completion \
                handler. \(rounds) rounds of \(seconds) s each, interleaved; medians, also of the ratios, which are made \
                round by round.
                """,
            table: Table(
                "contender", "p50 µs", "p99 µs", "requests/s", "p50 / AsyncHTTPClient", "p99 / AsyncHTTPClient"))
        for contender in contenders {
            let (p50, p99) = (
                comparison.record(.p50, of: contender.name, in: &section),
                comparison.record(.p99, of: contender.name, in: &section)
            )
            let rate = comparison.record(.rate, of: contender.name, in: &section)
            let ratios = [LoadComparison.Quantity.p50, .p99].map {
                comparison.ratio($0, contender.name, LoadContender.asyncHTTPClient)
            }
            section.figures += ratios
            section.table.add(
                contender.name, p50.text(0), p99.text(0), rate.text(0), ratios[0].median.text(2),
                ratios[1].median.text(2))
        }
        return section
    }
}
