// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import NetworkingTransport

/// Servers and transport by script: what a URL says is what comes, piece by piece, in random order among the transfers.
final class ScriptedEngine {
    /// Requests to one host at a time.
    static let capacity = 3

    enum Event {
        case head(ResponseHead)
        case content([UInt8])
        case end(TransferError?)
    }

    private final class Flow {
        let transfer: Transfer
        var events: [Event]
        var isHeld = false
        init(_ transfer: Transfer, _ events: [Event]) {
            self.transfer = transfer
            self.events = events
        }
    }

    private let scheduler: Scheduler
    private var flows: [Flow] = []
    private var cancelledBeforeStart: Set<ObjectIdentifier> = []
    /// How often each operation's request that is not to be repeated was sent.
    private(set) var posts: [String: Int] = [:]
    /// How often each URL that fails at first was requested.
    private var flakes: [String: Int] = [:]
    /// Operations whose requests were sent without what a preparation adds.
    private(set) var unprepared: Set<String> = []
    let resources: CachedResources
    /// Transfers under way, by origin.
    private var active: [String: Int] = [:]
    private var waiting: [Transfer] = []

    init(_ scheduler: Scheduler) {
        self.scheduler = scheduler
        resources = CachedResources(scheduler)
    }

    var isIdle: Bool { flows.isEmpty && waiting.isEmpty }

    // MARK: Commands

    func start(_ transfer: Transfer) {
        if cancelledBeforeStart.remove(ObjectIdentifier(transfer)) != nil { return finish(transfer, Self.cancelled) }
        guard active[transfer.request.origin, default: 0] < Self.capacity else { return waiting.append(transfer) }
        activate(transfer)
    }

    func cancel(_ transfer: Transfer) {
        if let index = flows.firstIndex(where: { $0.transfer === transfer }) {
            end(flows.remove(at: index), Self.cancelled)
        } else if let index = waiting.firstIndex(where: { $0 === transfer }) {
            waiting.remove(at: index)
            finish(transfer, Self.cancelled)
        } else {
            cancelledBeforeStart.insert(ObjectIdentifier(transfer))
        }
    }

    func hold(_ transfer: Transfer, _ isHeld: Bool) {
        guard let flow = flows.first(where: { $0.transfer === transfer }) else { return }
        // Now and then the connection does not last.
        if flow.isHeld, !isHeld, scheduler.random.chance(4) {
            flow.events = [.end(TransferError(.connectionLost, message: "lost during a pause"))]
        }
        flow.isHeld = isHeld
    }

    private func activate(_ transfer: Transfer) {
        active[transfer.request.origin, default: 0] += 1
        let sender = transfer.request.value(of: Subject.nameField) ?? ""
        if transfer.request.method == "POST" { posts[sender, default: 0] += 1 }
        if transfer.request.value(of: "X") == nil { unprepared.insert(sender) }
        flows.append(Flow(transfer, script(for: transfer.request)))
    }

    // MARK: Events

    /// Makes one event happen. False: there is none.
    func happen() -> Bool {
        let moving = flows.filter { !$0.isHeld }
        guard !moving.isEmpty else { return false }
        let flow = moving[scheduler.random.below(moving.count)]
        guard !flow.events.isEmpty else { return false }
        let transfer = flow.transfer
        switch flow.events.removeFirst() {
        case .head(let head):
            switch transfer.handler?.transfer(transfer, didReceive: head) {
            case .fail(let error): fail(flow, error)
            case .discard:
                flow.events.removeAll { event in
                    if case .content = event { return true }
                    return false
                }
            default: break
            }
        case .content(let bytes):
            switch bytes.withUnsafeBytes({ transfer.handler?.transfer(transfer, didReceive: $0) }) {
            case .fail(let error): fail(flow, error)
            case .enough: fail(flow, nil)
            case .accepted, .pause, nil: break
            }
        case .end(let error):
            fail(flow, error)
        }
        return true
    }

    private func fail(_ flow: Flow, _ error: TransferError?) {
        guard let index = flows.firstIndex(where: { $0 === flow }) else { return }
        flows.remove(at: index)
        end(flow, error)
    }

    private func end(_ flow: Flow, _ error: TransferError?) {
        active[flow.transfer.request.origin, default: 0] -= 1
        if let index = waiting.firstIndex(where: {
            active[$0.request.origin, default: 0] < Self.capacity
        }) {
            activate(waiting.remove(at: index))
        }
        finish(flow.transfer, error)
    }

    private func finish(_ transfer: Transfer, _ error: TransferError?) {
        transfer.handler?.transfer(transfer, didFinish: TransferOutcome(error: error, timings: TransferTimings()))
    }

    private static var cancelled: TransferError { TransferError(.cancelled, message: "cancelled") }

    // MARK: Scripts

    /// The content that a URL's path names.
    static func content(of path: String) -> [UInt8] {
        var random = SeededRandom(seed: UInt64(path.utf8.reduce(5381) { ($0 &* 33) &+ UInt64($1) }))
        return (0..<(1 + random.below(60))).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    private func script(for request: TransferRequest) -> [Event] {
        guard let url = URL(string: request.url) else { return [.end(TransferError(.badURL, message: "no URL"))] }
        let parts = url.path.split(separator: "/").map(String.init)
        switch parts.first {
        case "redirect":
            let next = parts.dropFirst().joined(separator: "/")
            return [.head(head(302, ["Location: /\(next)"])), .content([1, 2, 3]), .end(nil)]
        case "auth":
            let isAnswered =
                request.credential != nil || request.headers.contains { $0.name.lowercased() == "authorization" }
            guard !isAnswered else { return success(url.path, request) }
            return [.head(head(401, ["WWW-Authenticate: Basic realm=\"x\""])), .content([9]), .end(nil)]
        case "refuse":
            return [.end(TransferError(.cannotConnect, message: "refused"))]
        case "broken":
            return [
                .head(head(200, ["Content-Length: 100"])), .content([1]),
                .end(TransferError(.connectionLost, message: "lost")),
            ]
        case "flaky":
            flakes[request.url, default: 0] += 1
            guard flakes[request.url, default: 0] <= 2 else { return success(url.path, request) }
            return failure(url.path, request)
        case "cache":
            return resources.answer(to: request)
        case "status":
            return [.head(head(500, ["Content-Length: 2"])), .content([5, 0]), .end(nil)]
        default:
            return success(url.path, request)
        }
    }

    /// One of the failures that pass.
    private func failure(_ path: String, _ request: TransferRequest) -> [Event] {
        switch scheduler.random.below(3) {
        case 0:
            return [.end(TransferError(.cannotConnect, message: "refused"))]
        case 1:
            return [.head(head(503, ["Content-Length: 2", "Retry-After: 3"])), .content([5, 0]), .end(nil)]
        default:
            var events = success(path, request)
            events.removeLast(1 + scheduler.random.below(events.count - 1))
            return events + [.end(TransferError(.connectionLost, message: "lost"))]
        }
    }

    /// The content, from where the request wants it.
    private func success(_ path: String, _ request: TransferRequest) -> [Event] {
        let content = Self.content(of: path)
        var offset = 0
        if let range = request.value(of: "Range"), let first = Int(range.dropFirst("bytes=".count).dropLast()) {
            offset = first
        }
        // Now and then a server that forgot, or does not do ranges.
        let honours = offset > 0 && offset < content.count && !scheduler.random.chance(4)
        if !honours { offset = 0 }
        let rest = Array(content[offset...])
        var events: [Event] = []
        if honours {
            events.append(
                .head(
                    head(
                        206,
                        [
                            "Content-Range: bytes \(offset)-\(content.count - 1)/\(content.count)",
                            "Content-Length: \(rest.count)", "ETag: \"\(path.utf8.count)\"",
                        ])))
        } else {
            events.append(.head(head(200, ["Content-Length: \(rest.count)", "ETag: \"\(path.utf8.count)\""])))
        }
        return events + Self.pieces(of: rest, &scheduler.random) + [.end(nil)]
    }

    static func pieces(of content: [UInt8], _ random: inout SeededRandom) -> [Event] {
        var events: [Event] = []
        var start = 0
        while start < content.count {
            let end = min(content.count, start + 1 + random.below(30))
            events.append(.content(Array(content[start..<end])))
            start = end
        }
        return events
    }

    private func head(_ status: Int, _ fields: [String]) -> ResponseHead { ResponseHead(status, fields) }
}

extension ResponseHead {
    init(_ status: Int, _ fields: [String]) {
        self.init(
            statusCode: status, httpVersion: "1.1", rawFields: Array((fields.joined(separator: "\r\n") + "\r\n").utf8))
    }
}

extension TransferRequest {
    func value(of name: String) -> String? { headers.first { $0.name == name }?.value }
}
