extension Driver {
    /// Requests per second on keep-alive connections: raw libcurl, the library, `URLSession`, in turns.
    func measureHTTP() throws -> Section {
        let rounds = try rounds(5, quick: 2)
        let warmUp = isQuick ? 0.2 : 0.3
        let seconds = isQuick ? 0.6 : 1.5
        let page = url + "/1k.bin"
        let length = 1_024
        let connectionCounts = [1, 8, 64]
        let contenders = ["raw libcurl", "library", "URLSession"]

        var results: [String: [Figures]] = [:]
        for _ in 0..<rounds {
            for connections in connectionCounts {
                let options: [String: any CustomStringConvertible] = [
                    "url": page, "connections": connections, "length": length, "warmup": warmUp, "seconds": seconds,
                ]
                let raw = try run(
                    try self.options.string("raw"), [page, "\(connections)", "\(warmUp)", "\(seconds)", "\(length)"])
                results["raw libcurl \(connections)", default: []].append(raw)
                results["library \(connections)", default: []].append(try measure(.httpLibrary, options))
                results["URLSession \(connections)", default: []].append(try measure(.httpURLSession, options))
            }
        }

        var section = Section(
            .http,
            method: """
                GET of 1 KiB from nginx (1 worker) on loopback, keep-alive, \(rounds) rounds of \(seconds) s each after \
                \(warmUp) s of warm-up, interleaved; medians, also of the ratios. The library: `manager.get` with a success block, \
                4 requests for each connection queued at any time. The others: 1 request for each connection.
                """,
            table: Table(
                "connections", "contender", "requests/s", "CPU µs/request", "peak MiB", "/ raw", "/ URLSession"))
        for connections in connectionCounts {
            func rates(_ contender: String) -> [Double] {
                (results["\(contender) \(connections)"] ?? []).map {
                    $0["requests", default: .nan] / $0["seconds", default: .nan]
                }
            }
            // Round by round, so that a machine that changes its pace changes both sides.
            func ratio(_ contender: String, to other: String) -> [Double] {
                zip(rates(contender), rates(other)).map { $0 / $1 }
            }
            for contender in contenders {
                let name = "\(contender) \(connections)"
                let runs = results[name] ?? []
                let rate = section.record("\(name) rate", unit: "requests/s", rates(contender))
                let cpu = section.record(
                    "\(name) CPU", unit: "µs/request",
                    runs.map { $0["cpuSeconds", default: .nan] / $0["requests", default: .nan] * 1e6 })
                let peak = section.record(
                    "\(name) peak", unit: "MiB", runs.map { $0["peakKiB", default: .nan] / 1_024 })
                let ofRaw = section.record("\(name) / raw libcurl", unit: "", ratio(contender, to: "raw libcurl"))
                let ofURLSession = section.record("\(name) / URLSession", unit: "", ratio(contender, to: "URLSession"))
                section.table.add(
                    "\(connections)", contender, rate.text(0), cpu.text(1), peak.text(1), ofRaw.text(2),
                    ofURLSession.text(1))
                guard contender == "library", connections == 64 else { continue }
                section.expect("http: library / raw libcurl, 64 connections", ofRaw, atLeast: 0.55)
                section.expect("http: library / URLSession, 64 connections", ofURLSession, atLeast: 8, digits: 1)
            }
        }
        return section
    }
}
