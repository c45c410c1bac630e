// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport
internal import OperationNetworking

/// The exchanges of a cassette, and which of them have answered.
final class Tape: ExchangeRecorder {
    fileprivate struct State {
        var exchanges: [ArchivedExchange]
        var played: Set<Int> = []
        /// Of exchanges that were there before: others were recorded.
        var count: Int
        var hasRecorded = false
    }

    private let state: Locked<State>
    private let mode: Cassette.Mode
    let matching: Cassette.Matching
    private let masking: Cassette.Masking

    init(
        _ exchanges: [ArchivedExchange], _ mode: Cassette.Mode, _ matching: Cassette.Matching,
        _ masking: Cassette.Masking
    ) {
        state = Locked(State(exchanges: exchanges, count: exchanges.count))
        self.mode = mode
        self.matching = matching
        self.masking = masking
    }

    var exchanges: [ArchivedExchange] { state.withLock { $0.exchanges } }

    var unplayed: [String] {
        state.withLock { state in
            (0..<state.count).filter { !state.played.contains($0) }.map { Self.name(state.exchanges[$0]) }
        }
    }

    /// What is to be written; nil: nothing new.
    func takeRecording() -> [ArchivedExchange]? {
        state.withLock { state in
            guard state.hasRecorded || mode == .record else { return nil }
            state.hasRecorded = false
            return state.exchanges
        }
    }

    // MARK: Playing

    func answer(to request: RecordedRequest) async throws -> StubResponse {
        guard mode != .record else { return .passthrough }
        let url = masked(request.url.absoluteString)
        let body = maskedContent(request.body, request.value(forHTTPHeaderField: "Content-Type"))
        let (exchange, next) = state.withLock { state -> (ArchivedExchange?, String?) in
            let wanted = state.find(method: request.method, url: url, body: body, matching)
            if let wanted {
                state.played.insert(wanted)
                return (state.exchanges[wanted], nil)
            }
            let next = (0..<state.count).first { !state.played.contains($0) }
            return (nil, next.map { Self.name(state.exchanges[$0]) })
        }
        guard let exchange else {
            if mode == .replayOrRecord { return .passthrough }
            throw CassetteError.noExchange(
                request: "\(request.method) \(url)", expected: matching == .strict ? next : nil)
        }
        return try Self.response(of: exchange)
    }

    private static func response(of exchange: ArchivedExchange) throws -> StubResponse {
        guard exchange.status != 0 else {
            throw CassetteError.recordedFailure(exchange.failure ?? "there was no response")
        }
        var response = StubResponse(status: exchange.status, body: exchange.content)
        for field in exchange.responseHeaders {
            // The content is here as it was decoded, and whole.
            let isOfTransfer = ["Content-Encoding", "Content-Length", "Transfer-Encoding"]
                .contains { field.name.isFieldName($0) }
            let isMasked = field.name.isFieldName("Set-Cookie") && field.value == ArchivedExchange.mask
            if !isOfTransfer, !isMasked { response = response.withField(field.name, field.value) }
        }
        return response
    }

    private static func name(_ exchange: ArchivedExchange) -> String { "\(exchange.method) \(exchange.url)" }

    // MARK: Recording

    func record(_ request: RecordedRequest, _ head: ResponseHead, _ content: Data, _ timings: TransferTimings) {
        var fields: [HeaderField] = []
        head.forEachField { fields.append(HeaderField($0, $1)) }
        let type = request.value(forHTTPHeaderField: "Content-Type")
        let responseType = fields.first { $0.name.isFieldName("Content-Type") }?.value
        var exchange = ArchivedExchange(
            method: request.method, url: masked(request.url.absoluteString),
            requestHeaders: masked(request.headers.sorted { $0.key < $1.key }.map { HeaderField($0.key, $0.value) }),
            requestBody: maskedContent(request.body, type), status: head.statusCode, responseHeaders: masked(fields),
            content: maskedContent(content, responseType) ?? Data(), date: request.date)
        exchange.timings = timings
        state.withLock { state in
            state.exchanges.append(exchange)
            state.hasRecorded = true
        }
    }

    private func masked(_ fields: [HeaderField]) -> [HeaderField] {
        fields.map { field in
            if masking.headers.contains(where: { field.name.isFieldName($0) }) {
                return HeaderField(field.name, ArchivedExchange.mask)
            }
            return Self.urlFields.contains { field.name.isFieldName($0) }
                ? HeaderField(field.name, masked(field.value)) : field
        }
    }

    /// The fields that are URLs, with what the query of one has in it.
    private static let urlFields = ["Location", "Content-Location", "Referer"]

    /// - Parameter url: absolute or relative.
    private func masked(_ url: String) -> String {
        guard !masking.queryItems.isEmpty, var components = URLComponents(string: url),
            let items = components.queryItems, items.contains(where: { masking.queryItems.contains($0.name) })
        else { return url }
        components.queryItems = items.map { item in
            masking.queryItems.contains(item.name)
                ? URLQueryItem(name: item.name, value: ArchivedExchange.mask) : item
        }
        return components.string ?? url
    }

    private func maskedContent(_ content: Data?, _ type: String?) -> Data? {
        guard let content, let mask = masking.content else { return content }
        return mask(content, type)
    }
}

extension Tape.State {
    /// The place of the exchange that answers a request; nil: none does.
    fileprivate func find(method: String, url: String, body: Data?, _ matching: Cassette.Matching) -> Int? {
        func fits(_ index: Int) -> Bool {
            let exchange = exchanges[index]
            guard exchange.method == method, Self.isSame(exchange.url, url) else { return false }
            return matching == .lenient && exchange.requestBody == nil
                || (exchange.requestBody ?? Data()) == body ?? Data()
        }
        let known = 0..<count
        switch matching {
        case .strict:
            guard let next = known.first(where: { !played.contains($0) }) else { return nil }
            return fits(next) ? next : nil
        case .lenient:
            return known.first { !played.contains($0) && fits($0) } ?? known.last { fits($0) }
        }
    }

    /// Archives have URLs as somebody wrote them.
    private static func isSame(_ left: String, _ right: String) -> Bool {
        left == right || URL(string: left)?.absoluteURL == URL(string: right)?.absoluteURL
    }
}
