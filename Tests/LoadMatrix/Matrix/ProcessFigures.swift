// SPDX-License-Identifier: MIT
import CMalloc
import Foundation

/// What this process has taken of the machine.
struct ProcessFigures: Sendable {
    var descriptors: Int
    var threads: Int
    /// Bytes in memory, and those of them that are allocated; the latter is 0 under sanitizers.
    var resident: Int
    var allocated: Int

    static var now: ProcessFigures {
        let files = FileManager.default
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(
            separator: " ")
        let memory = mallinfo2()
        return ProcessFigures(
            descriptors: (try? files.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0,
            threads: (try? files.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0,
            resident: pages.flatMap { $0.count > 1 ? Int($0[1]) : nil }.map { $0 * Int(getpagesize()) }
                ?? 0,
            allocated: Int(memory.uordblks + memory.hblkhd))
    }

    func max(_ other: ProcessFigures) -> ProcessFigures {
        ProcessFigures(
            descriptors: Swift.max(descriptors, other.descriptors),
            threads: Swift.max(threads, other.threads),
            resident: Swift.max(resident, other.resident),
            allocated: Swift.max(allocated, other.allocated))
    }

    func min(_ other: ProcessFigures) -> ProcessFigures {
        ProcessFigures(
            descriptors: Swift.min(descriptors, other.descriptors),
            threads: Swift.min(threads, other.threads),
            resident: Swift.min(resident, other.resident),
            allocated: Swift.min(allocated, other.allocated))
    }
}

extension ProcessFigures: CustomStringConvertible {
    var description: String {
        "\(descriptors) descriptors, \(threads) threads, \(resident >> 20) MB resident, \(allocated >> 20) MB allocated"
    }
}

/// Looks at the process while it rests, over and over: what grows from one time to the next is lost. Not threads, which
/// libdispatch keeps for some seconds: these are looked at in the end.
struct GrowthCheck {
    private(set) var samples: [ProcessFigures] = []

    mutating func add(_ figures: ProcessFigures) { samples.append(figures) }

    /// What has grown between the middle of the run and its last third; the beginning fills caches, of responses and of
    /// images, so that a run of a few minutes says nothing. Nil for nothing.
    var finding: String? {
        let third = samples.count / 3
        guard third >= 8 else { return nil }
        let middle = Self.floor(samples[third..<(2 * third)])
        let last = Self.floor(samples[(2 * third)...])
        var grown: [String] = []
        if last.descriptors > middle.descriptors + 4 { grown.append("descriptors") }
        if last.allocated > middle.allocated + (12 << 20) { grown.append("allocated memory") }
        if last.resident > middle.resident + (96 << 20) { grown.append("resident memory") }
        return grown.isEmpty
            ? nil : "growth of \(grown.joined(separator: ", ")): from \(middle) to \(last)"
    }

    private static func floor(_ samples: ArraySlice<ProcessFigures>) -> ProcessFigures {
        samples.dropFirst().reduce(samples[samples.startIndex]) { $0.min($1) }
    }
}
