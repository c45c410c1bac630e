// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport

/// A rule: the requests that it answers, and the answer.
struct StubRule: Sendable {
    let method: String?
    let template: URLTemplate
    let headers: [String: String]
    let predicate: (@Sendable (URLRequest, Data?) -> Bool)?
    let reply: @Sendable (URLRequest) async throws -> StubResponse
    /// The number of requests that the rule has answered: for sequences.
    private let uses = Locked(0)

    init(
        method: String?, template: URLTemplate, headers: [String: String],
        predicate: (@Sendable (URLRequest, Data?) -> Bool)?,
        reply: @escaping @Sendable (URLRequest) async throws -> StubResponse
    ) {
        self.method = method
        self.template = template
        self.headers = headers
        self.predicate = predicate
        self.reply = reply
    }

    /// The reason that a rule does not fit a request.
    struct Mismatch: Sendable {
        let rule: String
        /// The measure of how much of the rule fits: more is nearer.
        let depth: Int
        /// A clause about the request.
        let reason: String
    }

    /// Method and template.
    var description: String { "\(method ?? "any method") \(template)" }

    /// Nil: the rule fits.
    func mismatch(with request: RecordedRequest) -> Mismatch? {
        var reasons: [String] = []
        // A URL that fits says more of what was meant than the method.
        var depth = 200
        if let mismatch = template.mismatch(with: request.url) {
            depth = mismatch.depth
            reasons.append(mismatch.reason)
        }
        if let method, method != request.method {
            reasons.append("its method is \(request.method)")
        } else {
            depth += 5
        }
        guard reasons.isEmpty else { return mismatch(depth, reasons) }
        for (name, wanted) in headers.sorted(by: { $0.key < $1.key }) {
            guard let value = request.value(forHTTPHeaderField: name) else {
                return mismatch(210, ["it has no header field \(name)"])
            }
            guard wanted == "*" || wanted.hasOctets(of: value) else {
                return mismatch(211, ["its header field \(name) has another value"])
            }
        }
        if let predicate, !predicate(request.urlRequest, request.body) {
            return mismatch(220, ["the rule's predicate said no"])
        }
        return nil
    }

    private func mismatch(_ depth: Int, _ reasons: [String]) -> Mismatch {
        Mismatch(rule: description, depth: depth, reason: reasons.joined(separator: " and "))
    }

    /// The answer, of a sequence the next one.
    func answer(to request: RecordedRequest) async throws -> StubResponse {
        let number = uses.withLock { uses in
            defer { uses += 1 }
            return uses
        }
        return try await reply(request.urlRequest).element(number)
    }
}
