// SPDX-License-Identifier: MIT

/// What the rounds of the http part found.
struct HTTPResults {
    private enum Quantity: String {
        case rate
        case cpu = "CPU"

        func value(of run: Figures) -> Double {
            switch self {
            case .rate: run["requests", default: .nan] / run["seconds", default: .nan]
            case .cpu: run["cpuSeconds", default: .nan] / run["requests", default: .nan] * 1e6
            }
        }
    }

    private var runs: [String: [Figures]] = [:]

    mutating func add(_ run: Figures, of contender: HTTPContender, _ connections: Int) {
        runs["\(contender.rawValue) \(connections)", default: []].append(run)
    }

    /// Rows, ratios and targets.
    func write(to section: inout Section) {
        var ratios = Table(
            "connections", "library /", "requests/s", "quartiles", "CPU per request", "quartiles", "noise")
        var noisy: [String] = []
        for connections in HTTPContender.connectionCounts {
            for contender in HTTPContender.allCases { writeRow(contender, connections, to: &section) }
            for other in HTTPContender.allCases where other != .library {
                let rate = ratio(.rate, .library, other, connections)
                let cpu = ratio(.cpu, .library, other, connections)
                section.figures += [rate, cpu]
                expect(rate, cpu, beside: other, connections, in: &section)
                let spread = max(rate.spread, cpu.spread)
                let isNoisy = rate.isNoisy || cpu.isNoisy
                if isNoisy { noisy.append("\(other.rawValue), \(connections) (\((spread * 100).text(0)) %)") }
                ratios.add(
                    "\(connections)", other.rawValue, rate.median.text(2), rate.quartiles, cpu.median.text(2),
                    cpu.quartiles, isNoisy ? "too noisy" : "")
            }
        }
        section.appendix.append(ratios.text)
        guard !noisy.isEmpty else { return }
        section.appendix.append(
            """
            The machine is too noisy for this: the quartiles of a ratio are more than 10 % of its median apart. The \
            library beside \(noisy.joined(separator: "; ")).

            """)
    }

    private func writeRow(_ contender: HTTPContender, _ connections: Int, to section: inout Section) {
        let name = "\(contender.rawValue) \(connections)"
        let rate = section.record("\(name) rate", unit: "requests/s", samples(.rate, contender, connections))
        let cpu = section.record("\(name) CPU", unit: "µs/request", samples(.cpu, contender, connections))
        let peak = section.record(
            "\(name) peak", unit: "MiB", (runs[name] ?? []).map { $0["peakKiB", default: .nan] / 1_024 })
        section.table.add(
            "\(connections)", contender.rawValue, rate.text(0), cpu.text(1), peak.text(1),
            ratio(.rate, contender, .raw, connections).median.text(2),
            ratio(.cpu, contender, .raw, connections).median.text(2))
    }

    private func expect(
        _ rate: Figure, _ cpu: Figure, beside other: HTTPContender, _ connections: Int, in section: inout Section
    ) {
        let name = "library / \(other.rawValue), \(connections) connection\(connections == 1 ? "" : "s")"
        switch other {
        case .raw:
            section.expect("http: \(name)", rate, atLeast: connections == 1 ? 0.8 : 0.7)
            section.expect("http: CPU, \(name)", cpu, atMost: 1.7)
        case .asyncHTTPClient where connections == 64:
            section.expect("http: \(name)", rate, atLeast: 1.7)
            section.expect("http: CPU, \(name)", cpu, atMost: 0.5)
        case .urlSession where connections == 64:
            section.expect("http: \(name)", rate, atLeast: 8)
        default: break
        }
    }

    // MARK: -

    private func samples(_ quantity: Quantity, _ contender: HTTPContender, _ connections: Int) -> [Double] {
        (runs["\(contender.rawValue) \(connections)"] ?? []).map(quantity.value)
    }

    /// Round by round, so that a machine that changes its pace changes both sides.
    private func ratio(
        _ quantity: Quantity, _ contender: HTTPContender, _ other: HTTPContender, _ connections: Int
    ) -> Figure {
        let pairs = zip(samples(quantity, contender, connections), samples(quantity, other, connections))
        return Figure(
            name: "\(contender.rawValue) \(connections) / \(other.rawValue) \(quantity.rawValue)", unit: "",
            samples: pairs.map { $0 / $1 })
    }
}

extension Figure {
    fileprivate var quartiles: String { "\(lowerQuartile.text(2))–\(upperQuartile.text(2))" }
}
