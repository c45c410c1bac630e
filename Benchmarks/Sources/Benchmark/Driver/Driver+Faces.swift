// SPDX-License-Identifier: MIT

/// What requests of the faces part go through.
private enum Face: String, CaseIterable {
    case operations = "manager.get"
    case sessionManager = "HTTPSessionManager.get"
    case session = "OperationURLSession"
    case cached = "manager.get, cached"
    case urlSession = "URLSession"

    var role: Role {
        switch self {
        case .operations, .sessionManager, .cached: .httpLibrary
        case .session, .urlSession: .httpURLSession
        }
    }

    var options: [String: any CustomStringConvertible] {
        switch self {
        case .operations: [:]
        case .urlSession: ["tasks": 4]
        case .sessionManager: ["face": "sessions"]
        case .session: ["own": true, "tasks": 4]
        case .cached: ["cached": true]
        }
    }
}

extension Driver {
    /// Requests per second of the engine's faces, and from its cache, beside `URLSession`.
    func measureFaces() throws -> Section {
        let rounds = try rounds(5, quick: 2)
        let seconds = isQuick ? 0.4 : 1.5
        let connections = 64
        var rates: [Face: [Double]] = [:]
        var costs: [Face: [Double]] = [:]
        for round in 0..<rounds {
            for turn in Face.allCases.indices {
                let face = Face.allCases[(turn + round) % Face.allCases.count]
                var arguments = face.options
                arguments["url"] = url + "/1k.bin"
                for (name, value) in ["connections": connections, "length": 1_024] { arguments[name] = value }
                for (name, value) in ["warmup": 0.3, "seconds": seconds] { arguments[name] = value }
                let run = try measure(face.role, arguments)
                let requests = run["requests", default: .nan]
                rates[face, default: []].append(requests / run["seconds", default: .nan])
                costs[face, default: []].append(run["cpuSeconds", default: .nan] / requests * 1e6)
            }
        }
        var section = Section(
            .faces,
            method: """
                GET of 1 KiB from nginx on \(connections) connections, 4 requests for each are there at any time, \
                \(rounds) rounds of \(seconds) s each, interleaved; \
                medians, also of the ratios, which are made round by round. `OperationURLSession` and `URLSession` with \
                completion handlers; cached: from memory, by the server's `Last-Modified`.
                """,
            table: Table("face", "requests/s", "CPU µs/request", "/ manager.get", "/ URLSession", "CPU / URLSession"))
        func ratio(_ samples: [Face: [Double]], _ face: Face, _ other: Face, _ quantity: String) -> Figure {
            Figure(
                name: "\(face.rawValue) / \(other.rawValue) \(quantity)", unit: "",
                samples: zip(samples[face] ?? [], samples[other] ?? []).map { $0 / $1 })
        }
        for face in Face.allCases {
            let rate = section.record("\(face.rawValue) rate", unit: "requests/s", rates[face] ?? [])
            let cost = section.record("\(face.rawValue) CPU", unit: "µs/request", costs[face] ?? [])
            let ratios = [
                ratio(rates, face, .operations, "rate"), ratio(rates, face, .urlSession, "rate"),
                ratio(costs, face, .urlSession, "CPU"),
            ]
            section.figures += ratios
            section.table.add(
                face.rawValue, rate.text(0), cost.text(1), ratios[0].median.text(2), ratios[1].median.text(2),
                ratios[2].median.text(2))
            guard face == .session || face == .sessionManager else { continue }
            section.expect("faces: \(face.rawValue) / URLSession", ratios[1], atLeast: 8)
            section.expect("faces: CPU, \(face.rawValue) / URLSession", ratios[2], atMost: 1.0 / 6)
            section.expect("faces: \(face.rawValue) / manager.get", ratios[0], atLeast: 0.85)
        }
        return section
    }
}
