// SPDX-License-Identifier: MIT
import BatchGetCore
import Testing

/// A generator that gives the same numbers for the same seed.
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

/// A world of servers that fail, refuse, change, disagree and keep things to themselves at random, and a file that remembers
/// who wrote each of its blocks.
private struct World {
    static let block = 64 << 10
    static let largest = 64

    /// A response under way, or a request that waits for one.
    private struct Exchange {
        let request: DownloadPlan.Request
        var version: Int
        var hasHead = false
        /// Blocks that are sent before the connection is lost; nil: all.
        var rest: Int?
    }

    private let seed: UInt64
    private var random: Seeded
    private var plan: DownloadPlan
    private let sourceCount: Int
    private let hasTags: Bool
    /// Whether each place has a file of its own.
    private let disagree: Bool
    /// Of a hundred responses, those that do not say their tag, or their length.
    private let silence: Int
    private let trouble: Int
    /// Blocks after which every connection is lost.
    private let cut: Int?
    private let firstSize: Int
    /// Which version of the file each block is of; nil: not written.
    private var file: [Int?] = Array(repeating: nil, count: largest)
    private var changes = 0
    private var requests: [Int: Exchange] = [:]

    init(seed: UInt64) {
        self.seed = seed
        random = Seeded(state: seed)
        firstSize = Int.random(in: 1...Self.largest, using: &random)
        sourceCount = Int.random(in: 1...3, using: &random)
        hasTags = Int.random(in: 0..<4, using: &random) > 0
        disagree = Int.random(in: 0..<6, using: &random) == 0
        silence = Bool.random(using: &random) ? 0 : Int.random(in: 1...30, using: &random)
        trouble = Int.random(in: 0...40, using: &random)
        cut = Int.random(in: 0..<10, using: &random) == 0 ? Int.random(in: 1...8, using: &random) : nil
        let settings = DownloadPlan.Settings(
            split: Int.random(in: 1...6, using: &random), minimumSplitSize: 0, maximumTries: 4)
        plan = DownloadPlan(sourceCount: sourceCount, settings: settings)
    }

    /// Runs to the end: the version of the complete file; nil: it failed.
    mutating func run() throws -> Int? {
        for _ in 0..<100_000 {
            if let end = take(plan.next { _ in Bool.random(using: &random) }) { return try complete(end.size) }
            try #require(!requests.isEmpty, "seed \(seed): nothing is under way, and it is not over")
            if chance(trouble / 8, of: 2000) { changes += 1 }
            guard let number = requests.keys.sorted().randomElement(using: &random) else { continue }
            if let end = step(number) { return try complete(end.size) }
        }
        throw TestFailure("seed \(seed): it does not end")
    }

    private struct End {
        var size: Int64?
    }

    private func complete(_ size: Int64?) throws -> Int? {
        guard let size else { return nil }
        let blocks = file.prefix(Int(size) / Self.block)
        let version = try #require(blocks.first ?? nil, "seed \(seed): empty")
        #expect(Set(blocks) == [version], "seed \(seed): of one version: \(blocks)")
        #expect(size == Int64(self.size(of: version) * Self.block), "seed \(seed): all of it")
        return version
    }

    private mutating func chance(_ count: Int, of all: Int) -> Bool { Int.random(in: 0..<all, using: &random) < count }

    /// Blocks of a version: another number for one in three of them.
    private func size(of version: Int) -> Int {
        version % 3 == 0 ? firstSize : (firstSize + version * 7) % Self.largest + 1
    }

    private func version(at source: Int) -> Int { (disagree ? source * 1000 : 0) + changes }

    private func tag(_ version: Int) -> String? { hasTags ? "\"v\(version)\"" : nil }

    private mutating func take(_ actions: [DownloadPlan.Action]) -> End? {
        var end: End?
        for action in actions {
            switch action {
            case .request(let request): requests[request.number] = Exchange(request: request, version: 0)
            case .cancel(let number): requests[number] = nil
            case .complete(let size): end = End(size: size)
            case .fail: end = End(size: nil)
            }
        }
        return end
    }

    private mutating func step(_ number: Int) -> End? {
        guard var exchange = requests[number] else { return nil }
        if chance(trouble, of: 1000) || exchange.rest == 0 { return end(number, .lost("lost", mayPass: true)) }
        guard exchange.hasHead else {
            exchange = Exchange(
                request: exchange.request, version: version(at: exchange.request.source), hasHead: true, rest: cut)
            requests[number] = exchange
            let head = head(for: exchange.request, exchange.version)
            if case .refuse(let failure) = plan.didReceive(head, of: number) { return end(number, failure) }
            return nil
        }
        guard let room = plan.room(of: number) else { return end(number, nil) }
        let position = Int(room.offset) / Self.block
        guard position < size(of: exchange.version) else { return end(number, nil) }
        let count = Int(min(Int64(Self.block), room.count))
        file[position] = exchange.version
        requests[number]?.rest? -= 1
        return plan.didWrite(count, of: number) ? nil : end(number, nil)
    }

    private mutating func head(for request: DownloadPlan.Request, _ version: Int) -> DownloadPlan.Head {
        let total = Int64(size(of: version) * Self.block)
        let isOther = request.validator.map { $0 != tag(version) } ?? false
        let isWhole = isOther || request.range == nil || chance(trouble / 2, of: 1000)
        let isSilent = chance(silence, of: 100)
        guard isWhole || request.first < total else { return DownloadPlan.Head(statusCode: 416) }
        return DownloadPlan.Head(
            statusCode: isWhole ? 200 : 206, first: isWhole ? nil : request.first,
            totalLength: chance(silence, of: 100) ? nil : total, validator: isSilent ? nil : tag(version))
    }

    private mutating func end(_ number: Int, _ failure: DownloadPlan.Failure?) -> End? {
        requests[number] = nil
        return take(plan.didEnd(number, failure))
    }
}

@Suite("Random servers") struct RandomPlanTests {
    @Test("Whatever servers do, a plan ends, and what is complete is all there and of one version", arguments: 0..<20)
    func everything(_ part: UInt64) throws {
        var completed = 0
        for seed in part * 200..<part * 200 + 200 {
            var world = World(seed: seed)
            if try world.run() != nil { completed += 1 }
        }
        #expect(completed > 50)
    }
}
