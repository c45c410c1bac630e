// SPDX-License-Identifier: MIT
internal import Foundation

/// Everything one invocation found.
struct Report: Encodable {
    let date: String
    let machine: String
    let versions: String
    let isQuick: Bool
    var sections: [Section] = []

    init(versions: String, isQuick: Bool) {
        date = ISO8601DateFormatter().string(from: Date())
        machine = Self.describeMachine()
        self.versions = versions
        self.isQuick = isQuick
    }

    private static func describeMachine() -> String {
        func field(_ name: String, of file: String) -> String? {
            let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
            let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
            return line?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
        }
        let load = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8))?.split(separator: " ").first ?? "?"
        let info = ProcessInfo.processInfo
        return "\(info.activeProcessorCount) cores of \(field("model name", of: "/proc/cpuinfo") ?? "?"), "
            + "\(info.physicalMemory >> 30) GiB, \(info.operatingSystemVersionString), load average \(load) at the start"
    }

    var heading: String {
        [date, machine, versions, isQuick ? "quick run: too short to be quoted" : ""].filter { !$0.isEmpty }
            .joined(separator: "\n") + "\n"
    }

    /// The targets of all sections.
    var summary: String {
        let targets = sections.flatMap(\.targets)
        guard !targets.isEmpty else { return "" }
        var table = Table("target", "reached", "wanted", "")
        for target in targets {
            table.add(
                target.name, target.value.text(target.digits),
                "\(target.isUpperBound ? "≤" : "≥") \(target.bound.text(target.digits)) \(target.unit)",
                (target.isMet ? "met" : "MISSED") + (target.isNoisy ? ", too noisy" : ""))
        }
        return "Targets\n" + table.text
    }

    func write(to file: URL) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try encoder.encode(self).write(to: file)
    }
}

/// What one part found.
struct Section: Encodable {
    let name: String
    /// How it was measured.
    let method: String
    var figures: [Figure] = []
    var targets: [Target] = []
    var table: Table
    /// What follows the table: other tables, remarks.
    var appendix: [String] = []

    enum CodingKeys: CodingKey { case name, method, figures, targets }

    init(_ part: Part, method: String, table: Table) {
        name = part.rawValue
        self.method = method
        self.table = table
    }

    var text: String {
        (["## \(name)\n\(method)\n", table.text] + appendix).joined(separator: "\n")
    }

    /// Records what was measured in all rounds, and returns the median.
    @discardableResult
    mutating func record(_ name: String, unit: String, _ samples: [Double]) -> Double {
        let figure = Figure(name: name, unit: unit, samples: samples)
        figures.append(figure)
        return figure.median
    }

    mutating func expect(
        _ name: String, _ value: Double, atLeast bound: Double, unit: String = "", digits: Int = 2,
        isNoisy: Bool = false
    ) {
        targets.append(
            Target(
                name: name, value: value, bound: bound, unit: unit, isUpperBound: false, isMet: value >= bound,
                isNoisy: isNoisy, digits: digits))
    }

    mutating func expect(
        _ name: String, _ value: Double, atMost bound: Double, unit: String = "", digits: Int = 2,
        isNoisy: Bool = false
    ) {
        targets.append(
            Target(
                name: name, value: value, bound: bound, unit: unit, isUpperBound: true, isMet: value <= bound,
                isNoisy: isNoisy, digits: digits))
    }

    /// Of a ratio that has to be steady to be believed.
    mutating func expect(_ name: String, _ ratio: Figure, atLeast bound: Double) {
        expect(name, ratio.median, atLeast: bound, isNoisy: ratio.isNoisy)
    }

    /// Of a ratio that has to be steady to be believed.
    mutating func expect(_ name: String, _ ratio: Figure, atMost bound: Double) {
        expect(name, ratio.median, atMost: bound, isNoisy: ratio.isNoisy)
    }
}

/// One figure over all rounds.
struct Figure: Encodable {
    let name: String
    let unit: String
    let median: Double
    let lowerQuartile: Double
    let upperQuartile: Double
    let samples: [Double]

    init(name: String, unit: String, samples: [Double]) {
        self.name = name
        self.unit = unit
        self.samples = samples
        median = samples.median
        lowerQuartile = samples.quantile(0.25)
        upperQuartile = samples.quantile(0.75)
    }

    /// The distance of the quartiles, as a part of the median.
    var spread: Double { (upperQuartile - lowerQuartile) / median }
    /// More than the machine may add for a ratio to be quoted.
    var isNoisy: Bool { spread > 0.1 }
}

/// What a figure should be.
struct Target: Encodable {
    let name: String
    let value: Double
    let bound: Double
    let unit: String
    let isUpperBound: Bool
    let isMet: Bool
    /// The rounds are too far apart for the value to say much.
    let isNoisy: Bool
    /// Digits after the point, in print.
    let digits: Int

    enum CodingKeys: CodingKey { case name, value, bound, unit, isUpperBound, isMet, isNoisy }
}

extension Array where Element == Double {
    var median: Double { quantile(0.5) }

    /// Between two samples, by how far it is from one to the other.
    func quantile(_ part: Double) -> Double {
        guard !isEmpty else { return .nan }
        let ordered = sorted()
        let position = part * Double(count - 1)
        let below = Int(position)
        let above = Swift.min(below + 1, count - 1)
        return ordered[below] + (ordered[above] - ordered[below]) * (position - Double(below))
    }
}

extension Double {
    /// With a fixed number of digits after the point.
    func text(_ digits: Int) -> String {
        String(format: "%.\(digits)f", self)
    }
}
