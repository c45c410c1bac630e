// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport
internal import OperationNetworking

/// The exchanges of a cassette, and which of them have answered.
final class Tape: ExchangeRecorder {
    private struct State {
        var exchanges: [ArchivedExchange]
        var played: Set<Int> = []
        /// All before this one have been played.
        var firstUnplayed = 0
        var hasRecorded = false

        /// False: it has been played already.
        mutating func play(_ index: Int) -> Bool {
            guard played.insert(index).inserted else { return false }
            while played.contains(firstUnplayed) { firstUnplayed += 1 }
            return true
        }
    }

    private let state: Locked<State>
    /// The exchanges that were there before: others were recorded.
    private let known: [ArchivedExchange]
    /// Theirs, in the same order.
    private let urls: [URL?]
    private let mode: Cassette.Mode
    let matching: Cassette.Matching
    private let masking: Cassette.Masking

    init(
        _ exchanges: [ArchivedExchange], _ mode: Cassette.Mode, _ matching: Cassette.Matching,
        _ masking: Cassette.Masking
    ) {
        state = Locked(State(exchanges: exchanges))
        known = exchanges
        urls = exchanges.map { URL(escaping: $0.url)?.absoluteURL }
        self.mode = mode
        self.matching = matching
        self.masking = masking
    }

    var exchanges: [ArchivedExchange] { state.withLock { $0.exchanges } }

    var unplayed: [String] {
        let played = state.withLock { $0.played }
        return known.indices.filter { !played.contains($0) }.map { Self.name(known[$0]) }
    }

    /// Returns the exchanges to be written; nil: nothing new.
    func takeRecording() -> [ArchivedExchange]? {
        state.withLock { state in
            guard state.hasRecorded || mode == .record else { return nil }
            state.hasRecorded = false
            return state.exchanges
        }
    }

    /// What was taken could not be written: it is to be taken again.
    func putRecordingBack() { state.withLock { $0.hasRecorded = true } }

    // MARK: Playing

    func answer(to request: RecordedRequest) async throws -> StubResponse {
        guard mode != .record else { return .passthrough }
        let url = masked(request.url.absoluteString)
        let type = request.value(forHTTPHeaderField: "Content-Type")
        var probe = Probe(request.method, url, maskedContent(request.body, type), type)
        switch matching {
        case .strict:
            // In order: what is before the next one has been played.
            var next = state.withLock { $0.firstUnplayed }
            while next < known.count, fits(next, &probe) {
                if state.withLock({ $0.play(next) }) { return try Self.response(of: known[next]) }
                next = state.withLock { $0.firstUnplayed }
            }
            return try refuse(probe, expecting: next < known.count ? Self.name(known[next]) : nil)
        case .lenient:
            for index in state.withLock({ $0.firstUnplayed })..<known.count
            where !state.withLock({ $0.played.contains(index) }) && fits(index, &probe) {
                if state.withLock({ $0.play(index) }) { return try Self.response(of: known[index]) }
            }
            // All like it have been played: the last of them answers again.
            guard let last = known.indices.last(where: { fits($0, &probe) }) else {
                return try refuse(probe, expecting: nil)
            }
            return try Self.response(of: known[last])
        }
    }

    private func refuse(_ probe: Probe, expecting expected: String?) throws -> StubResponse {
        if mode == .replayOrRecord { return .passthrough }
        throw CassetteError.noExchange(request: "\(probe.method) \(probe.url)", expected: expected)
    }

    /// A request as exchanges are compared with it.
    private struct Probe {
        let method: String
        let url: String
        let type: String?
        /// The URL in one form: archives have URLs as the program wrote them.
        let absoluteURL: URL?
        var content: RequestContent

        init(_ method: String, _ url: String, _ body: Data?, _ type: String?) {
            self.method = method
            self.url = url
            self.type = type
            absoluteURL = URL(escaping: url)?.absoluteURL
            content = RequestContent(body, type: type)
        }
    }

    /// Returns true if an exchange has a request like this one. What was worked out of its content stays with the
    /// probe.
    private func fits(_ index: Int, _ probe: inout Probe) -> Bool {
        let exchange = known[index]
        guard exchange.method == probe.method, exchange.url == probe.url || urls[index] == probe.absoluteURL else {
            return false
        }
        if matching == .lenient, exchange.requestBody == nil { return true }
        let field = exchange.requestHeaders.first { $0.name.isFieldName("Content-Type") }
        return probe.content.isSame(as: RequestContent(exchange.requestBody, type: field?.value ?? probe.type))
    }

    private static func response(of exchange: ArchivedExchange) throws -> StubResponse {
        guard exchange.status != 0 else {
            throw CassetteError.recordedFailure(exchange.failure ?? "there was no response")
        }
        var response = StubResponse(status: exchange.status, body: exchange.content)
        let dropped = droppedFields(of: exchange)
        for field in exchange.responseHeaders {
            let isMasked = field.name.isFieldName("Set-Cookie") && field.value == ArchivedExchange.mask
            let isDropped = dropped.contains { field.name.isFieldName($0) }
            if !isDropped, !isMasked { response = response.withField(field.name, field.value) }
        }
        return response
    }

    /// The fields of a response that say how its content came, and no longer how it is here.
    private static func droppedFields(of exchange: ArchivedExchange) -> [String] {
        // There is no content that they could be wrong about.
        if exchange.method == "HEAD" { return [codedField] }
        let transfer = [codedField, "Content-Length", "Transfer-Encoding"]
        let isCoded = exchange.responseHeaders.contains { $0.name.isFieldName(codedField) }
        // Other content is here as it was decoded.
        return isCoded ? transfer : transfer + ["Content-Encoding"]
    }

    /// Stands in the file, and only there, with a response whose content is still in its codings.
    private static let codedField = "X-Cassette-Coded"

    private static func name(_ exchange: ArchivedExchange) -> String { "\(exchange.method) \(exchange.url)" }

    // MARK: Recording

    func record(
        _ request: RecordedRequest, _ head: ResponseHead, _ content: Data, isCoded: Bool, _ timings: TransferTimings
    ) {
        var fields = head.archivedFields
        if isCoded { fields.append(HeaderField(Self.codedField, "true")) }
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

    /// Masks values of the query, and leaves all else byte for byte.
    ///
    /// - Parameter url: absolute or relative.
    private func masked(_ url: String) -> String {
        guard !masking.queryItems.isEmpty else { return url }
        let bytes = Array(url.utf8)
        let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
        guard let start = bytes[..<end].firstIndex(of: UInt8(ascii: "?")) else { return url }
        let items = bytes[(start + 1)..<end].split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
            .map { item in
                let name = item.prefix { $0 != UInt8(ascii: "=") }
                let decoded = URLEscaping.decoded(name)
                let isMasked = masking.queryItems.contains { $0.utf8.elementsEqual(decoded) }
                return isMasked ? name + "=\(ArchivedExchange.mask)".utf8 : item
            }
        let query = Array(items.joined(separator: [UInt8(ascii: "&")]))
        return String(decoding: bytes[...start] + query + bytes[end...], as: UTF8.self)
    }

    private func maskedContent(_ content: Data?, _ type: String?) -> Data? {
        guard let content, let mask = masking.content else { return content }
        return mask(content, type)
    }
}
