// SPDX-License-Identifier: MIT
import FlyingFox
import FlyingSocks
import Foundation
import Synchronization

/// Serves files from memory, as far as each is released, and remembers what it was asked for.
final class FileServer: HTTPHandler, Sendable {
    /// A request as it came.
    struct Request: Sendable {
        let path: String
        let host: String
        let headers: [String: String]

        subscript(name: String) -> String? { headers[name.lowercased()] }
    }

    /// What is served under a path.
    final class Resource: Sendable {
        let content: Data
        let status: Int
        /// Bytes that may be sent, from the file's first one.
        let released: Watched<Int>
        /// What the first requests are answered with, in place of the file.
        let refusals: Mutex<[Refusal]>
        let servesRanges: Bool
        let entityTag: String?

        init(
            content: Data, status: Int, released: Int, refusals: [Refusal], servesRanges: Bool, entityTag: String?
        ) {
            self.content = content
            self.status = status
            self.released = Watched(released)
            self.refusals = Mutex(refusals)
            self.servesRanges = servesRanges
            self.entityTag = entityTag
        }

        func release(_ count: Int = .max) {
            released.update { $0 = max($0, count) }
        }
    }

    /// An answer that is not the file.
    struct Refusal: Sendable {
        var status: Int
        var retryAfter: Int?
    }

    private struct Hosts {
        var active: [String: Int] = [:]
        var peak: [String: Int] = [:]
    }

    let port: UInt16
    let log = Watched<[Request]>([])
    private let resources = Mutex<[String: Resource]>([:])
    private let hosts = Mutex(Hosts())
    private let server: HTTPServer
    private let task: Task<Void, any Error>

    /// A server on all IPv4 addresses of this machine, so that it has several hosts.
    init() async throws {
        let relay = Relay()
        let server = HTTPServer(address: .inet(port: 0), logger: .disabled, handler: relay)
        task = Task { try await server.run() }
        try await server.waitUntilListening()
        guard case .ip4(_, let port)? = await server.listeningAddress else { throw TestFailure("no address") }
        self.server = server
        self.port = port
        relay.handler.withLock { $0 = { [weak self] in try await self?.handleRequest($0) } }
    }

    deinit {
        for resource in resources.withLock({ Array($0.values) }) { resource.release() }
        task.cancel()
    }

    /// - Parameter host: one of 127.0.0.0/8.
    func url(_ path: String, host: String = "127.0.0.1") -> String {
        "http://\(host):\(port)/\(path)"
    }

    /// - Parameters:
    ///   - released: bytes that may be sent until more are released; all by default.
    ///   - refusals: what the first requests are answered with.
    ///   - entityTag: by default one of length and first byte; empty: none.
    @discardableResult
    func serve(
        _ path: String, _ content: Data, status: Int = 200, released: Int = .max, refusals: [Refusal] = [],
        servesRanges: Bool = true, entityTag: String? = nil
    ) -> Resource {
        let tag = entityTag ?? "\"\(content.count)-\(content.first ?? 0)\""
        let resource = Resource(
            content: content, status: status, released: released, refusals: refusals, servesRanges: servesRanges,
            entityTag: tag.isEmpty ? nil : tag)
        resources.withLock { $0["/" + path] = resource }
        return resource
    }

    /// The requests for a path so far.
    func requests(for path: String) -> [Request] {
        log.value.filter { $0.path == "/" + path }
    }

    @discardableResult
    func waitForRequests(_ count: Int = 1, for path: String) async throws -> [Request] {
        let all = try await log.wait(for: "\(count) requests for \(path)") { log in
            log.filter { $0.path == "/" + path }.count >= count
        }
        return all.filter { $0.path == "/" + path }
    }

    /// How many responses to requests for a host were under way at once, at most.
    func peak(host: String) -> Int {
        hosts.withLock { $0.peak[host] ?? 0 }
    }

    func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
        let host = (request.headers[.host] ?? "").split(separator: ":").first.map(String.init) ?? ""
        let headers = request.headers.map { ($0.key.rawValue.lowercased(), $0.value) }
        let received = Request(
            path: request.path, host: host, headers: Dictionary(headers, uniquingKeysWith: { $1 }))
        let resource = resources.withLock { $0[request.path] }
        hosts.withLock { hosts in
            let active = (hosts.active[host] ?? 0) + 1
            hosts.active[host] = active
            hosts.peak[host] = max(hosts.peak[host] ?? 0, active)
        }
        log.update { $0.append(received) }
        return response(resource, to: received)
    }

    private func response(_ resource: Resource?, to request: Request) -> HTTPResponse {
        guard let resource else { return response(Refusal(status: 404), to: request) }
        if let refusal = refusal(of: resource, to: request) { return response(refusal, to: request) }
        let size = resource.content.count
        let range = range(request, of: resource)
        var headers: HTTPHeaders = [:]
        headers[.eTag] = resource.entityTag
        if resource.servesRanges { headers[.acceptRanges] = "bytes" }
        if let range { headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)" }
        let sent = range ?? 0..<size
        let bytes = ReleasedBytes(resource: resource, range: sent) { [weak self] in self?.didEnd(request.host) }
        return HTTPResponse(
            statusCode: range == nil ? .ok : .partialContent, headers: headers,
            body: HTTPBodySequence(from: bytes, count: sent.count, suggestedBufferSize: 1 << 16))
    }

    private func response(_ refusal: Refusal, to request: Request) -> HTTPResponse {
        didEnd(request.host)
        var headers: HTTPHeaders = [:]
        if let seconds = refusal.retryAfter { headers[HTTPHeader("Retry-After")] = "\(seconds)" }
        let status = HTTPStatusCode(refusal.status, phrase: "Status \(refusal.status)")
        return HTTPResponse(statusCode: status, headers: headers, body: Data("no".utf8))
    }

    /// What is answered in place of the file; nil: the file is.
    private func refusal(of resource: Resource, to request: Request) -> Refusal? {
        let refusal = resource.refusals.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        if let refusal { return refusal }
        guard resource.status == 200 else { return Refusal(status: resource.status) }
        guard let first = bounds(request, of: resource)?.first, first >= resource.content.count else { return nil }
        return Refusal(status: 416)
    }

    /// The range that is asked for and can be served; nil: everything.
    private func range(_ request: Request, of resource: Resource) -> Range<Int>? {
        guard let (first, end) = bounds(request, of: resource) else { return nil }
        let last = min(end ?? .max, resource.content.count - 1)
        return first <= last ? first..<last + 1 : nil
    }

    /// The first byte that is asked for, and the last one; nil: no range counts.
    private func bounds(_ request: Request, of resource: Resource) -> (first: Int, last: Int?)? {
        guard resource.servesRanges, let text = request["Range"], text.hasPrefix("bytes="),
            request["If-Range"] == nil || request["If-Range"] == resource.entityTag
        else { return nil }
        let ends = text.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int(ends[0]) else { return nil }
        return (first, Int(ends[1]))
    }

    private func didEnd(_ host: String) {
        hosts.withLock { $0.active[host, default: 1] -= 1 }
    }
}

/// Lets the server exist before what handles its requests.
private final class Relay: HTTPHandler, Sendable {
    let handler = Mutex<(@Sendable (HTTPRequest) async throws -> HTTPResponse?)?>(nil)

    func handleRequest(_ request: HTTPRequest) async throws -> HTTPResponse {
        let handler = handler.withLock { $0 }
        return try await handler?(request) ?? HTTPResponse(statusCode: .serviceUnavailable)
    }
}
