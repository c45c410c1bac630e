// SPDX-License-Identifier: MIT

/// Who sends the requests of the http2 part.
private enum HTTP2Contender: String, CaseIterable {
    case raw = "raw libcurl"
    case library
    case urlSession = "URLSession, HTTP/1.1"
}

extension Driver {
    /// Requests per second as streams of one connection.
    func measureHTTP2() throws -> Section {
        let rounds = try rounds(5, quick: 2)
        let seconds = isQuick ? 0.4 : 1.5
        let streams = 64
        let length = 1_024
        let page = try options.string("h2") + "/1k.bin"
        var rates: [HTTP2Contender: [Double]] = [:]
        var costs: [HTTP2Contender: [Double]] = [:]
        for round in 0..<rounds {
            for turn in HTTP2Contender.allCases.indices {
                let contender = HTTP2Contender.allCases[(turn + round) % HTTP2Contender.allCases.count]
                let load: [String: any CustomStringConvertible] = [
                    "connections": streams, "length": length, "warmup": 0.3, "seconds": seconds,
                ]
                let run =
                    switch contender {
                    case .raw:
                        try run(
                            try options.string("raw"), [page, "\(streams)", "0.3", "\(seconds)", "\(length)", "2"])
                    case .library:
                        try measure(.httpLibrary, load.merging(["url": page, "version": 2]) { $1 })
                    case .urlSession:
                        try measure(.httpURLSession, load.merging(["url": url + "/1k.bin"]) { $1 })
                    }
                let requests = run["requests", default: .nan]
                rates[contender, default: []].append(requests / run["seconds", default: .nan])
                costs[contender, default: []].append(run["cpuSeconds", default: .nan] / requests * 1e6)
            }
        }
        var section = Section(
            .http2,
            method: """
                GET of 1 KiB from nginx, \(streams) requests at a time as streams of one HTTP/2 connection (prior knowledge, \
                no TLS), \(rounds) rounds of \(seconds) s each, interleaved; medians, also of the ratios, which are made \
                round by round. `URLSession` has no HTTP/2 without TLS: \(streams) connections.
                """,
            table: Table("contender", "requests/s", "CPU µs/request", "/ raw", "CPU / raw", "/ URLSession"))
        func ratio(_ samples: [HTTP2Contender: [Double]], _ one: HTTP2Contender, _ other: HTTP2Contender) -> Figure {
            Figure(
                name: "\(one.rawValue) / \(other.rawValue)", unit: "",
                samples: zip(samples[one] ?? [], samples[other] ?? []).map { $0 / $1 })
        }
        for contender in HTTP2Contender.allCases {
            let rate = section.record("\(contender.rawValue) rate", unit: "requests/s", rates[contender] ?? [])
            let cost = section.record("\(contender.rawValue) CPU", unit: "µs/request", costs[contender] ?? [])
            let ratios = [
                ratio(rates, contender, .raw), ratio(costs, contender, .raw), ratio(rates, contender, .urlSession),
            ]
            section.figures += ratios
            section.table.add(
                contender.rawValue, rate.text(0), cost.text(1), ratios[0].median.text(2), ratios[1].median.text(2),
                ratios[2].median.text(2))
        }
        section.expect("http2: library / URLSession", ratio(rates, .library, .urlSession), atLeast: 8)
        return section
    }
}
