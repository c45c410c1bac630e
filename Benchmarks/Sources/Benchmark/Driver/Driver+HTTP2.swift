// SPDX-License-Identifier: MIT

extension Driver {
    /// Requests per second as streams of one connection.
    func measureHTTP2() throws -> Section {
        let rounds = try rounds(5, quick: 2)
        let (seconds, streams) = (loadSeconds, 64)
        let (page, plain) = (try options.string("h2") + "/1k.bin", url + "/1k.bin")
        let (raw, library, urlSession) = (LoadContender.raw, LoadContender.library, "URLSession, HTTP/1.1")
        let load: [String: any CustomStringConvertible] = [
            "connections": streams, "length": 1_024, "warmup": 0.3, "seconds": seconds,
        ]
        let contenders = [
            LoadContender(name: raw) {
                try $0.run(
                    try $0.options.string("raw"), [page, "\(streams)", "0.3", "\(seconds)", "1024", "2"])
            },
            LoadContender(name: library) {
                try $0.measure(.httpLibrary, load.merging(["url": page, "version": 2]) { $1 })
            },
            LoadContender(name: urlSession) { try $0.measure(.httpURLSession, load.merging(["url": plain]) { $1 }) },
        ]
        let comparison = try LoadComparison(of: contenders, rounds: rounds, by: self)
        var section = Section(
            .http2,
            method: """
                GET of 1 KiB from nginx, \(streams) requests at a time as streams of one HTTP/2 connection (prior knowledge, \
                no TLS), \(rounds) rounds of \(seconds) s each, interleaved; medians, also of the ratios, which are made \
                round by round. `URLSession` has no HTTP/2 without TLS: \(streams) connections.
                """,
            table: Table("contender", "requests/s", "CPU µs/request", "/ raw", "CPU / raw", "/ URLSession"))
        for contender in contenders {
            let rate = comparison.record(.rate, of: contender.name, in: &section)
            let cost = comparison.record(.cpu, of: contender.name, in: &section)
            let ratios = [
                comparison.ratio(.rate, contender.name, raw), comparison.ratio(.cpu, contender.name, raw),
                comparison.ratio(.rate, contender.name, urlSession),
            ]
            section.figures += ratios
            section.table.add(
                contender.name, rate.text(0), cost.text(1), ratios[0].median.text(2), ratios[1].median.text(2),
                ratios[2].median.text(2))
        }
        section.expect(
            "http2: library / URLSession", comparison.ratio(.rate, library, urlSession), atLeast: 8)
        return section
    }
}
