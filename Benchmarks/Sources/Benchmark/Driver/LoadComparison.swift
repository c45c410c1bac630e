// SPDX-License-Identifier: MIT

/// What the rounds of a comparison found.
struct LoadComparison {
    enum Quantity: String {
        case rate
        case cpu = "CPU"
        case p50
        case p99

        var unit: String {
            switch self {
            case .rate: "requests/s"
            case .cpu: "µs/request"
            case .p50, .p99: "µs"
            }
        }

        fileprivate func value(of run: Figures) -> Double {
            switch self {
            case .rate: run["requests", default: .nan] / run["seconds", default: .nan]
            case .cpu: run["cpuSeconds", default: .nan] / run["requests", default: .nan] * 1e6
            case .p50: run["p50Seconds", default: .nan] * 1e6
            case .p99: run["p99Seconds", default: .nan] * 1e6
            }
        }
    }

    private var runs: [String: [Figures]] = [:]

    /// Measures every contender once in each round; who is first changes.
    init(of contenders: [LoadContender], rounds: Int, by driver: Driver) throws {
        for round in 0..<rounds {
            for turn in contenders.indices {
                let contender = contenders[(turn + round) % contenders.count]
                runs[contender.name, default: []].append(try contender.measure(driver))
            }
        }
    }

    func samples(_ quantity: Quantity, of name: String) -> [Double] {
        (runs[name] ?? []).map(quantity.value)
    }

    /// The median over the rounds, which is recorded.
    func record(_ quantity: Quantity, of name: String, in section: inout Section) -> Double {
        section.record("\(name) \(quantity.rawValue)", unit: quantity.unit, samples(quantity, of: name))
    }

    /// Round by round, so that a machine that changes its pace changes both sides.
    func ratio(_ quantity: Quantity, _ name: String, _ other: String) -> Figure {
        Figure(
            name: "\(name) / \(other) \(quantity.rawValue)", unit: "",
            samples: zip(samples(quantity, of: name), samples(quantity, of: other)).map { $0 / $1 })
    }
}
