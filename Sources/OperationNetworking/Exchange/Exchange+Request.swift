internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

extension Exchange {
    /// The present request as the engine takes it.
    func makeTransferRequest() throws -> TransferRequest {
        guard let url = request.url else {
            throw URLError(.badURL, url: nil, reason: "the request has no URL")
        }
        self.url = url
        let target = try Target(url)
        let policy = configuration.securityPolicy
        let tls: TLSConfiguration
        do {
            let own = isWithinOrigin(url) ? configuration.clientIdentity : nil
            let configured = try (policy ?? .sharedDefault).tlsConfiguration(
                clientIdentity: handshakeAnswers?.identity ?? own)
            tls = handshakeAnswers?.applied(to: configured) ?? configured
        } catch {
            throw URLError(
                .secureConnectionFailed, url: url, reason: "the security policy cannot be applied: \(error)",
                underlying: error)
        }
        var outgoing = TransferRequest(
            url: target.url, origin: target.origin, method: request.httpMethod ?? "GET", tls: tls)
        outgoing.idleTimeout = request.timeoutInterval
        outgoing.priority = operation.queuePriority.rawValue
        outgoing.proxy = try proxy(for: url)
        var headers = outgoingHeaders(url: url)
        if configuration.proxies != nil, !outgoing.isForProxy {
            // The field is for a proxy that reads it (RFC 9110, 11.7.2), not for the server, nor beside a credential.
            headers.removeAll { $0.name.isFieldName("Proxy-Authorization") }
        }
        outgoing.body = try makeBody(headers: &headers)
        offerCodings(in: &headers, of: &outgoing)
        addRange(to: &headers, of: &outgoing)
        outgoing.headers = headers
        try answerChallenge(in: &outgoing)
        return outgoing
    }

    private func answerChallenge(in outgoing: inout TransferRequest) throws {
        do {
            try challengeAnswer?.apply(to: &outgoing)
        } catch {
            throw URLError(
                .userAuthenticationRequired, url: url, reason: "the server's challenge cannot be answered: \(error)",
                underlying: error)
        }
    }

    /// The way to `url`; nil: no proxy between.
    private func proxy(for url: URL) throws -> TransferProxy? {
        guard let server = configuration.proxies?.value.proxy(for: url) else { return nil }
        do {
            return try server.transferProxy()
        } catch {
            throw URLError(
                .secureConnectionFailed, url: url,
                reason: "the security policy for the proxy \(server) cannot be applied: \(error)", underlying: error)
        }
    }

    /// Whether a URL has the origin that the operation was made for: what the operation identifies itself with is for that
    /// origin, wherever a redirect leads.
    func isWithinOrigin(_ url: URL) -> Bool {
        guard hops > 0 else { return true }
        return originalURL.map { Origin.isSame($0, url) } ?? true
    }

    private func outgoingHeaders(url: URL) -> [HeaderField] {
        var headers: [HeaderField] = []
        var hasCookie = false
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            // The server refused what the field says: the answer to the challenge takes its place.
            if challengeAnswer != nil, name.isFieldName("Authorization") { continue }
            if name.isFieldName("Cookie") { hasCookie = true }
            headers.append(HeaderField(name, value))
        }
        if request.httpShouldHandleCookies, !hasCookie, let cookies = HTTPCookieStorage.shared.cookies(for: url),
            !cookies.isEmpty
        {
            let fields = HTTPCookie.requestHeaderFields(with: cookies)
            if let value = fields["Cookie"] { headers.append(HeaderField("Cookie", value)) }
        }
        // In one order for equal requests, whatever Foundation's table says: the engine sets what differs from before.
        headers.sort { $0.name < $1.name }
        return headers
    }

    /// Chooses who decodes the content, and offers what that one can.
    private func offerCodings(in headers: inout [HeaderField], of outgoing: inout TransferRequest) {
        decoding = .engine
        if headers.contains(where: { $0.name.isFieldName("Accept-Encoding") }) {
            decoding = .nobody
        } else if state.memory == nil,
            state.sink != nil || configuration.outputStream != nil || configuration.downloadDestination != nil
        {
            decoding = .sink
            headers.append(HeaderField("Accept-Encoding", ContentDecoder.acceptEncoding))
            outgoing.decodesContent = false
        }
    }

    /// Asks for what is missing, where what is there can be continued (RFC 9110, sections 13.1.5 and 14.2).
    private func addRange(to headers: inout [HeaderField], of outgoing: inout TransferRequest) {
        offset = 0
        guard !state.isFirst(attempt) || state.representation?.offset ?? 0 > 0 else { return }
        guard let sink = state.sink, sink.canContinue else { return }
        let accepted = sink.bytesAccepted
        guard accepted > 0 else { return }
        guard asksForRange, let representation = state.representation, outgoing.method == "GET",
            !headers.contains(where: { $0.name.isFieldName("Range") })
        else { return }
        offset = accepted
        headers.append(HeaderField("Range", "bytes=\(accepted)-"))
        headers.append(HeaderField("If-Range", representation.validator))
        // A range of a coded representation is not a range of what we have.
        headers.removeAll { $0.name.isFieldName("Accept-Encoding") }
        headers.append(HeaderField("Accept-Encoding", "identity"))
        outgoing.decodesContent = false
        decoding = .nobody
    }

    /// The request's content. Its length fields are the engine's to send.
    private func makeBody(headers: inout [HeaderField]) throws -> TransferBody {
        bytesSent = 0
        var declared: Int64?
        headers.removeAll { field in
            if field.name.isFieldName("Content-Length") {
                declared = Int64(field.value)
                return true
            }
            return field.name.isFieldName("Transfer-Encoding")
        }
        if let stream = request.httpBodyStream {
            let source = try state.bodySource(for: stream, declaredLength: declared, url: request.url)
            uploadLength = source.contentLength ?? -1
            return .source(source)
        }
        if let data = request.httpBody {
            uploadLength = Int64(data.count)
            return .data(data)
        }
        uploadLength = -1
        return .none
    }
}

/// What of a URL goes to the engine.
private struct Target {
    /// Without fragment, user name and password.
    let url: String
    /// What connections are counted by.
    let origin: String

    init(_ source: URL) throws {
        var text = source.absoluteString
        // Foundation is asked only where there may be a user name.
        if text.utf8.contains(UInt8(ascii: "@")) { text = source.withoutUserInfo.absoluteString }
        if let fragment = text.utf8.firstIndex(of: UInt8(ascii: "#")) { text = String(text[..<fragment]) }
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            throw URLError(.badURL, url: source, reason: "the URL has no scheme: \(text)")
        }
        let scheme = text[..<colon].lowercased()
        guard scheme == "http" || scheme == "https" else {
            throw URLError(
                .unsupportedURL, url: source, reason: "the scheme \"\(scheme)\" is not supported; use http or https")
        }
        let rest = text[colon...].utf8.dropFirst(1)
        guard rest.starts(with: "//".utf8) else {
            throw URLError(.badURL, url: source, reason: "the URL has no host: \(text)")
        }
        let authority = rest.dropFirst(2).prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        guard let first = authority.first, first != UInt8(ascii: ":") else {
            throw URLError(.badURL, url: source, reason: "the URL has no host: \(text)")
        }
        self.url = text
        origin = scheme + "://" + String(Substring(authority)).lowercased()
    }
}
