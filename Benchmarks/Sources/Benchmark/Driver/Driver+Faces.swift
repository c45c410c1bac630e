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
        let (seconds, connections, page) = (loadSeconds, 64, url + "/1k.bin")
        let contenders = Face.allCases.map { face in
            LoadContender(name: face.rawValue) {
                let load: [String: any CustomStringConvertible] = [
                    "url": page, "connections": connections, "length": 1_024, "warmup": 0.3, "seconds": seconds,
                ]
                return try $0.measure(face.role, face.options.merging(load) { $1 })
            }
        }
        let comparison = try LoadComparison(of: contenders, rounds: rounds, by: self)
        var section = Section(
            .faces,
            method: """
                GET of 1 KiB from nginx on \(connections) connections, 4 requests for each are there at any time, \
                \(rounds) rounds of \(seconds) s each, interleaved; \
                medians, also of the ratios, which are made round by round. `OperationURLSession` and `URLSession` with \
                completion handlers; cached: from memory, by the server's `Last-Modified`.
                """,
            table: Table("face", "requests/s", "CPU µs/request", "/ manager.get", "/ URLSession", "CPU / URLSession"))
        for face in Face.allCases {
            let rate = comparison.record(.rate, of: face.rawValue, in: &section)
            let cost = comparison.record(.cpu, of: face.rawValue, in: &section)
            let ratios = [
                comparison.ratio(.rate, face.rawValue, Face.operations.rawValue),
                comparison.ratio(.rate, face.rawValue, Face.urlSession.rawValue),
                comparison.ratio(.cpu, face.rawValue, Face.urlSession.rawValue),
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
