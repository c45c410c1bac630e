// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

/// Answers to requests, given by rules in place of servers. For tests without a network.
///
/// ```swift
/// let stubs = HTTPStubs()
/// stubs.on(
///     "GET", "https://api.example.org/users/{id}",
///     respond: .json(["name": "Ursula"]))
/// stubs.install(on: manager)
/// ```
///
/// Only the transfer is replaced. Queue, redirects, challenges, cookies, cache, retries, response serializers, streams,
/// downloads and progress are those of the library, so what a test sees is what a server with these answers would have
/// made of the program.
///
/// The first rule that fits answers, in the order in which rules were added. A request that none fits ends its
/// operation with an ``UnmatchedRequestError``, and is not sent anywhere.
///
/// From any thread. A rule's closures run on threads of Swift's concurrency, several at a time.
public final class HTTPStubs: Sendable {
    struct State {
        var rules: [StubRule] = []
        /// In the order in which they were made.
        var requests: [RecordedRequest] = []
        var unmatched: [UnmatchedRequestError] = []
        var waiters: [RequestWaiter] = []
        /// The chains that servers show in a handshake, by host in lower case.
        var certificates: [String: [Data]] = [:]
        var lastWaiterID: UInt = 0
    }

    let state = Locked(State())
    /// The recorder that records requests, and answers them; nil: none.
    let recorder: (any ExchangeRecorder)?

    /// Stubs without any rule.
    public convenience init() { self.init(recorder: nil) }

    init(recorder: (any ExchangeRecorder)?) { self.recorder = recorder }

    // MARK: Rules

    /// Adds a rule whose answer a closure gives.
    ///
    /// - Parameters:
    ///   - method: compared as it is; nil: any.
    ///   - urlTemplate: see ``URLTemplate``. One that cannot be read fits nothing, and is named in the error.
    ///   - headers: fields that the request has to have, without regard to the case of names; the value "*" is for any.
    ///     None by default.
    ///   - predicate: is given the request and its whole content, nil without any. By default every request will do.
    ///   - reply: is given the request, with its content in `httpBody`. An error that it throws is the operation's, as
    ///     it is.
    public func on(
        _ method: String?, _ urlTemplate: String, headers: [String: String] = [:],
        where predicate: (@Sendable (URLRequest, Data?) -> Bool)? = nil,
        reply: @escaping @Sendable (URLRequest) async throws -> StubResponse
    ) {
        let rule = StubRule(
            method: method, template: URLTemplate(urlTemplate), headers: headers, predicate: predicate, reply: reply)
        state.withLock { $0.rules.append(rule) }
    }

    /// Adds a rule with the same answer each time, or one after the other of a ``StubResponse/sequence(_:)``.
    ///
    /// - Parameters:
    ///   - method: compared as it is; nil: any.
    ///   - urlTemplate: see ``URLTemplate``.
    ///   - headers: fields that the request has to have; the value "*" is for any. None by default.
    ///   - predicate: is given the request and its whole content, nil without any. By default every request will do.
    ///   - response: the answer.
    public func on(
        _ method: String?, _ urlTemplate: String, headers: [String: String] = [:],
        where predicate: (@Sendable (URLRequest, Data?) -> Bool)? = nil, respond response: StubResponse
    ) {
        on(method, urlTemplate, headers: headers, where: predicate) { _ in response }
    }

    /// Takes all rules away, and what was recorded.
    public func removeAll() {
        let old = state.withLock { state -> State in
            let old = state
            state.rules = []
            state.requests = []
            state.unmatched = []
            state.certificates = [:]
            return old
        }
        withExtendedLifetime(old) {}
    }

    /// Sets what a server shows in the TLS handshake, so that `SecurityPolicy` and challenge blocks decide about it as
    /// they would about a real one. A host that was given none is trusted.
    ///
    /// - Parameters:
    ///   - certificates: as DER, the server's own first. Empty: the host is trusted again.
    ///   - host: the name in the URL.
    public func present(certificates: [Data], host: String) {
        let name = Self.shownName(host)
        state.withLock { $0.certificates[name] = certificates.isEmpty ? nil : certificates }
    }

    // MARK: For the engine

    /// Takes note of a request that is being made.
    package func record(_ request: RecordedRequest) {
        let due = state.withLock { state -> [RequestWaiter] in
            state.requests.append(request)
            let count = state.requests.count
            let due = state.waiters.filter { $0.count <= count }
            state.waiters.removeAll { $0.count <= count }
            return due
        }
        for waiter in due { waiter.continuation.resume(returning: true) }
    }

    /// Returns the answer of the first rule that fits a request.
    package func answer(to request: RecordedRequest) async throws -> StubResponse {
        let rules = state.withLock { $0.rules }
        var mismatches: [StubRule.Mismatch] = []
        for rule in rules {
            if let mismatch = rule.mismatch(with: request) {
                mismatches.append(mismatch)
                continue
            }
            return try await rule.answer(to: request)
        }
        if let recorder { return try await recorder.answer(to: request) }
        let error = UnmatchedRequestError(request, mismatches)
        state.withLock { $0.unmatched.append(error) }
        throw error
    }

    /// The chain that a host shows; nil: none was set for it, and it is trusted.
    func certificates(ofHost host: String) -> [Data]? {
        guard state.withLock({ !$0.certificates.isEmpty }) else { return nil }
        let name = Self.shownName(host)
        return state.withLock { $0.certificates[name] }
    }

    /// The name of a host as a certificate has it: in ASCII, without brackets, zone and final dot.
    static func shownName(_ host: String) -> String {
        switch CertificateHostName(host) {
        case .domain(let name), .address(let name): name
        case nil: host.lowercased()
        }
    }
}

/// An object that answers requests that no rule fits, and receives the exchanges.
protocol ExchangeRecorder: Sendable {
    func answer(to request: RecordedRequest) async throws -> StubResponse
    /// The real engine has carried a request out. On the network thread.
    ///
    /// - Parameter isCoded: the content is as it came: it could not be taken out of the codings that the head names.
    func record(
        _ request: RecordedRequest, _ head: ResponseHead, _ content: Data, isCoded: Bool, _ timings: TransferTimings)
}
