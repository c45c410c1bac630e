// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import NetworkingTransport

/// The origin of what may be cached: resources that change, by themselves and by POST, and what it told about them.
final class CachedResources {
    /// What the second part of a path says: `/cache/KIND`.
    enum Kind: String, CaseIterable {
        case fresh, brief, sturdy, asked, varied, unkept

        var control: String {
            switch self {
            case .fresh: "max-age=5"
            case .brief: "max-age=1, stale-while-revalidate=10"
            case .sturdy: "max-age=1, stale-if-error=10"
            case .asked: "no-cache"
            case .varied: "max-age=5"
            case .unkept: "no-store"
            }
        }

        /// Seconds for which a response may be used without asking, at most.
        var allowance: Double {
            switch self {
            case .fresh, .varied: 5
            case .brief, .sturdy: 11
            case .asked, .unkept: 0
            }
        }
    }

    /// The field that a varied resource depends on.
    static let selectingField = "X-Kind"

    private struct Resource {
        var version = 1
        /// When each version was last sent or confirmed.
        var told: [String: Double] = [:]
        /// The version that the last POST made.
        var written = 0
    }

    private let scheduler: Scheduler
    private var resources: [String: Resource] = [:]
    /// Operations whose requests came here.
    private(set) var askers: Set<String> = []
    /// Called with its URL when a POST changes a resource.
    var didWrite: (String) -> Void = { _ in }

    init(_ scheduler: Scheduler) { self.scheduler = scheduler }

    /// The version that the last POST to a URL made.
    func written(_ url: String) -> Int { resources[url]?.written ?? 0 }

    /// When a version was last sent or confirmed; nil: never.
    func told(_ tag: String, of url: String) -> Double? { resources[url]?.told[tag] }

    /// The content that a validator stands for.
    static func content(of url: String, tag: String) -> [UInt8] { ScriptedEngine.content(of: url + tag) }

    func answer(to request: TransferRequest) -> [ScriptedEngine.Event] {
        let parts = request.url.split(separator: "/")
        guard parts.count > 3, let kind = Kind(rawValue: String(parts[3])) else { return [.end(nil)] }
        askers.insert(request.value(of: Subject.nameField) ?? "")
        var resource = resources[request.url] ?? Resource()
        defer { resources[request.url] = resource }
        if request.method == "POST" {
            resource.version += 1
            resource.written = resource.version
            didWrite(request.url)
            return [.head(ResponseHead(200, ["Content-Length: 2"])), .content([5, 0]), .end(nil)]
        }
        switch scheduler.random.below(8) {
        case 0: resource.version += 1
        case 1: return [.end(TransferError(.cannotConnect, message: "refused"))]
        case 2: return [.head(ResponseHead(503, ["Content-Length: 2"])), .content([5, 0]), .end(nil)]
        default: break
        }
        var tag = "\"v\(resource.version)\""
        var fields = ["Cache-Control: \(kind.control)"]
        if kind == .varied {
            tag = "\"v\(resource.version)\(request.value(of: Self.selectingField) ?? "")\""
            fields.append("Vary: \(Self.selectingField)")
        }
        fields.append("ETag: \(tag)")
        resource.told[tag] = scheduler.now
        if request.value(of: "If-None-Match") == tag { return [.head(ResponseHead(304, fields)), .end(nil)] }
        let content = Self.content(of: request.url, tag: tag)
        var offset = 0
        if request.value(of: "If-Range") == tag, let range = request.value(of: "Range"),
            let first = Int(range.dropFirst("bytes=".count).dropLast()), first < content.count
        {
            offset = first
            fields.append("Content-Range: bytes \(first)-\(content.count - 1)/\(content.count)")
        }
        let rest = Array(content[offset...])
        fields.append("Content-Length: \(rest.count)")
        return [.head(ResponseHead(offset > 0 ? 206 : 200, fields))]
            + ScriptedEngine.pieces(of: rest, &scheduler.random) + [.end(nil)]
    }
}
