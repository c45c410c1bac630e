// SPDX-License-Identifier: MIT

extension Driver {
    /// Requests on connections with TLS.
    func measureTLS() throws -> Section {
        let rounds = try rounds(7, quick: 2)
        let seconds = loadSeconds
        let contenders = LoadContender.all(
            try options.string("tls") + "/1k.bin", atATime: 64, authority: try options.string("ca"), warmUp: 0.5,
            seconds: seconds)
        return section(
            .tls, contenders, try LoadComparison(of: contenders, rounds: rounds, by: self),
            method: """
                GET of 1 KiB from nginx over TLS 1.3, HTTP/1.1, 64 keep-alive connections with one request each, \(rounds) \
                rounds of \(seconds) s each after the handshakes, interleaved; medians, also of the ratios, which are made \
                round by round. The certificate authority is trusted by each contender's own settings.
                """)
    }

    /// Requests as a hundred streams of one connection, over TLS, without which AsyncHTTPClient has no HTTP/2.
    func measureHTTP2TLS() throws -> Section {
        let rounds = try rounds(7, quick: 2)
        let seconds = loadSeconds
        let contenders = LoadContender.all(
            try options.string("h2tls") + "/1k.bin", atATime: 100, isHTTP2: true, authority: try options.string("ca"),
            warmUp: 0.5, seconds: seconds)
        return section(
            .http2tls, contenders, try LoadComparison(of: contenders, rounds: rounds, by: self),
            method: """
                GET of 1 KiB from nginx over TLS 1.3, 100 requests at a time as streams of one HTTP/2 connection, \(rounds) \
                rounds of \(seconds) s each, interleaved; medians, also of the ratios, which are made round by round.
                """)
    }

    private func section(
        _ part: Part, _ contenders: [LoadContender], _ comparison: LoadComparison, method: String
    ) -> Section {
        let other = LoadContender.asyncHTTPClient
        var section = Section(
            part, method: method,
            table: Table(
                "contender", "requests/s", "CPU µs/request", "p99 µs", "/ raw", "CPU / raw", "/ AsyncHTTPClient",
                "CPU / AsyncHTTPClient"))
        for contender in contenders {
            let rate = comparison.record(.rate, of: contender.name, in: &section)
            let cost = comparison.record(.cpu, of: contender.name, in: &section)
            let p99 = comparison.record(.p99, of: contender.name, in: &section)
            let ratios = [
                comparison.ratio(.rate, contender.name, LoadContender.raw),
                comparison.ratio(.cpu, contender.name, LoadContender.raw),
                comparison.ratio(.rate, contender.name, other), comparison.ratio(.cpu, contender.name, other),
            ]
            section.figures += ratios
            section.table.add(
                contender.name, rate.text(0), cost.text(1), p99.text(0), ratios[0].median.text(2),
                ratios[1].median.text(2), ratios[2].median.text(2), ratios[3].median.text(2))
            guard contender.name == LoadContender.library else { continue }
            section.expect("\(part.rawValue): library / AsyncHTTPClient", ratios[2], atLeast: 1)
            section.expect("\(part.rawValue): CPU, library / AsyncHTTPClient", ratios[3], atMost: 0.9)
        }
        return section
    }
}
