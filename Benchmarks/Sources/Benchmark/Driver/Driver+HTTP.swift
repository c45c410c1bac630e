// SPDX-License-Identifier: MIT

/// Who sends the requests of the http part.
enum HTTPContender: String, CaseIterable {
    case raw = "raw libcurl"
    case library
    case asyncHTTPClient = "AsyncHTTPClient"
    case urlSession = "URLSession"

    static let connectionCounts = [1, 64, 256]
}

extension Driver {
    /// Requests per second on keep-alive connections: raw libcurl, the library, AsyncHTTPClient, `URLSession`, in turns.
    func measureHTTP() throws -> Section {
        let rounds = try rounds(9, quick: 3)
        let warmUp = isQuick ? 0.2 : 0.3
        let seconds = isQuick ? 0.4 : 1.5
        var results = HTTPResults()
        for round in 0..<rounds {
            for connections in HTTPContender.connectionCounts {
                // Who is first changes.
                for turn in HTTPContender.allCases.indices {
                    let contender = HTTPContender.allCases[(turn + round) % HTTPContender.allCases.count]
                    let run = try measure(contender, connections: connections, warmUp: warmUp, seconds: seconds)
                    results.add(run, of: contender, connections)
                }
            }
        }

        var section = Section(
            .http,
            method: """
                GET of 1 KiB from nginx (1 worker) on loopback, keep-alive, \(rounds) rounds of \(seconds) s each after \
                \(warmUp) s of warm-up, interleaved; medians, also of the ratios, which are made round by round. The \
                library: `manager.get` with a success block, 4 requests for each connection queued at any time. The \
                others: 1 request for each connection. AsyncHTTPClient runs on two event loops.
                """,
            table: Table("connections", "contender", "requests/s", "CPU µs/request", "peak MiB", "/ raw", "CPU / raw"))
        results.write(to: &section)
        if rounds < 5 { section.appendix.append("\(rounds) rounds are too few to tell how noisy the machine is.\n") }
        return section
    }

    private func measure(
        _ contender: HTTPContender, connections: Int, warmUp: Double, seconds: Double
    ) throws -> Figures {
        let page = url + "/1k.bin"
        let length = 1_024
        let role: Role
        switch contender {
        case .raw:
            return try run(
                try options.string("raw"), [page, "\(connections)", "\(warmUp)", "\(seconds)", "\(length)"])
        case .library: role = .httpLibrary
        case .asyncHTTPClient: role = .httpAsyncHTTPClient
        case .urlSession: role = .httpURLSession
        }
        return try measure(
            role, ["url": page, "connections": connections, "length": length, "warmup": warmUp, "seconds": seconds])
    }
}
