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

/// A world of servers that fail, refuse, change and lie at random, and a file that remembers who wrote each of its blocks.
private struct World {
    static let block = 64 << 10

    var random: Seeded
    var plan: DownloadPlan
    let blocks: Int
    let sourceCount: Int
    let hasTags: Bool
    /// Which version of the file each block is of; nil: not written.
    var file: [Int?]
    var version = 0
    /// Version that each request under way serves, and whether it has its head.
    var requests: [Int: (request: DownloadPlan.Request, version: Int, hasHead: Bool, isWhole: Bool)] = [:]
    var trouble: Int
    var steps = 0

    var total: Int64 { Int64(blocks * Self.block) }

    init(seed: UInt64) {
        random = Seeded(state: seed)
        blocks = Int.random(in: 1...64, using: &random)
        sourceCount = Int.random(in: 1...3, using: &random)
        hasTags = Int.random(in: 0..<4, using: &random) > 0
        trouble = Int.random(in: 0...40, using: &random)
        file = Array(repeating: nil, count: blocks)
        let settings = DownloadPlan.Settings(
            split: Int.random(in: 1...6, using: &random), minimumSplitSize: 0, maximumTries: 4)
        plan = DownloadPlan(sourceCount: sourceCount, settings: settings)
    }

    /// Runs to the end: bytes of the complete file; nil: it failed.
    mutating func run() throws -> Int64? {
        while steps < 100_000 {
            steps += 1
            if let end = take(plan.next { _ in Bool.random(using: &random) }) { return end.size }
            try #require(!requests.isEmpty, "nothing is under way, and it is not over")
            if Int.random(in: 0..<2000, using: &random) < trouble / 8 { version += 1 }
            guard let number = requests.keys.sorted().randomElement(using: &random) else { continue }
            if let end = step(number) { return end.size }
        }
        throw TestFailure("it does not end")
    }

    private struct End {
        var size: Int64?
    }

    private mutating func take(_ actions: [DownloadPlan.Action]) -> End? {
        var end: End?
        for action in actions {
            switch action {
            case .request(let request): requests[request.number] = (request, version, false, false)
            case .cancel(let number): requests[number] = nil
            case .complete(let size): end = End(size: size)
            case .fail: end = End(size: nil)
            }
        }
        return end
    }

    private func tag(_ version: Int) -> String? { hasTags ? "\"v\(version)\"" : nil }

    private mutating func step(_ number: Int) -> End? {
        guard let (request, begun, hasHead, _) = requests[number] else { return nil }
        if Int.random(in: 0..<1000, using: &random) < trouble { return end(number, .lost("lost", mayPass: true)) }
        guard hasHead else {
            let served = version
            let isOther = request.validator.map { $0 != tag(served) } ?? false
            let isWhole = isOther || request.range == nil || Int.random(in: 0..<1000, using: &random) < trouble / 2
            let head = DownloadPlan.Head(
                statusCode: isWhole ? 200 : 206, first: isWhole ? nil : request.first, totalLength: total,
                validator: tag(served))
            requests[number] = (request, served, true, isWhole)
            if case .refuse(let failure) = plan.didReceive(head, of: number) { return end(number, failure) }
            return nil
        }
        guard let room = plan.room(of: number) else { return end(number, nil) }
        let count = Int(min(Int64(Self.block), room.count))
        file[Int(room.offset) / Self.block] = begun
        return plan.didWrite(count, of: number) ? nil : end(number, nil)
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
            guard let size = try world.run() else { continue }
            completed += 1
            #expect(size == world.total, "seed \(seed)")
            #expect(Set(world.file).count == 1 && world.file.first != .some(nil), "seed \(seed): \(world.file)")
        }
        #expect(completed > 50)
    }
}
