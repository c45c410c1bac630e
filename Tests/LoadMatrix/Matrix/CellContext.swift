// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer

/// What a cell's calls share: settings, servers, folder.
final class CellContext: Sendable {
    let cell: Cell
    let ledger: Ledger
    let servers: LoadServers
    let folder: URL
    /// Where completion blocks run; nil: the main queue.
    let completionQueue: DispatchQueue?
    private let memory: SendableCache
    private let dice: Guarded<Dice>

    // `URLCache` may be used from any thread.
    private struct SendableCache: @unchecked Sendable { let cache: URLCache? }

    init(_ cell: Cell, seed: UInt64, _ ledger: Ledger, _ servers: LoadServers, folder: URL) {
        var dice = Dice(seed: seed)
        self.cell = cell
        self.ledger = ledger
        self.servers = servers
        self.folder = folder
        completionQueue = dice.once(in: 3) ? nil : DispatchQueue.global()
        memory = SendableCache(
            cache: cell.cache == .memory
                ? URLCache(memoryCapacity: 2 << 20, diskCapacity: 0, diskPath: nil) : nil)
        // Of the process: as many connections as calls, or as it is by default.
        NetworkEngine.maximumConnectionsPerHost = dice.once(in: 2) ? 6 : max(6, cell.concurrency)
        self.dice = Guarded(dice)
    }

    /// True once in `count` times.
    func once(in count: Int) -> Bool { dice.withLock { $0.once(in: count) } }

    var securityPolicy: SecurityPolicy {
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = [servers.root]
        return policy
    }

    /// A manager whose responses are data.
    func makeManager() -> HTTPRequestOperationManager {
        let manager = HTTPRequestOperationManager()
        manager.responseSerializer = HTTPResponseSerializer()
        manager.securityPolicy = securityPolicy
        manager.completionQueue = completionQueue
        switch cell.cache {
        case .none: manager.urlCache = nil
        case .memory: manager.urlCache = memory.cache
        case .standard: break
        }
        manager.operationQueue.maxConcurrentOperationCount = cell.concurrency
        return manager
    }

    func makeConfiguration() -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.default
        switch cell.cache {
        case .none: configuration.urlCache = nil
        case .memory: configuration.urlCache = memory.cache
        case .standard: break
        }
        configuration.httpMaximumConnectionsPerHost = NetworkEngine.maximumConnectionsPerHost
        return configuration
    }

    enum Kind: Sendable { case bytes, slow, text, json, image, events, echo }

    /// The next call of the cell. Faults are of content that the rude server sends, which are bytes.
    func makeCall(_ kind: Kind) -> Call {
        let (size, seed, fate, fault, choice, place, number) = dice.withLock { dice in
            let size = kind == .slow ? 400_000 : cell.weather.size(&dice)
            let isFaulty = kind == .bytes
            return (
                size, dice.below(Content.seeds), cell.weather.fate(&dice),
                isFaulty ? cell.weather.fault(&dice, size: size) : .none, dice.below(1 << 20),
                dice.pick(["/plain/", "/fresh/", "/valid/", "/"]),
                dice.below(dice.once(in: 2) ? 50 : 100_000)
            )
        }
        let origin = servers.origin(cell.version)
        let rude = servers.rudeOrigin(cell.version)
        let text =
            switch kind {
            case .bytes: bytes(fault, rude) ?? "\(origin)\(place)\(size)-\(seed).bin?n=\(number)"
            case .slow: "\(origin)/slow/\(size)-\(seed).bin?n=\(number)"
            case .text: "\(origin)\(place)\(size)-\(seed).txt?n=\(number)"
            case .json: "\(origin)\(place)\(size)-\(seed).json?n=\(number)"
            case .image: "\(origin)\(place)\(seed).bmp?n=\(number)"
            case .events: "\(rude)/events/\(size % 100)-\(seed)"
            case .echo: "\(rude)/echo?n=\(number)"
            }
        func bytes(_ fault: Fault, _ rude: String) -> String? {
            let start = "\(rude)/b/\(size)-\(seed)"
            return switch fault {
            case .none: nil
            case .short(let count): "\(start)?short=\(count)"
            case .reset(let count): "\(start)?reset=\(count)"
            case .early: "\(start)?early=1"
            case .slow: "\(start)?slow=1&n=\(number)"
            case .chunked: "\(start)?chunked=1&n=\(number)"
            case .moved: "\(rude)/moved/\(size)-\(seed)?n=\(number)"
            }
        }
        guard let url = URL(string: text) else { preconditionFailure("not a URL: \(text)") }
        return Call(
            url, size: size, seed: seed, fate: fate, fault: fault, choice: choice, cell: "\(cell)",
            ledger: ledger)
    }

    /// A new file's name in the folder of the cell.
    func file(_ call: Call) -> URL {
        folder.appendingPathComponent("\(UUID().uuidString)-\(call.choice)")
    }
}
