// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

/// The present request as the engine takes it.
extension RequestAttempt {
    /// Asks over TLS where that is known to be wanted. On the network thread, or before any other thread knows the
    /// attempt.
    func upgradeToTLS() {
        guard let url = machine.request.url,
            let secure = configuration.value.transport.strictTransportSecurity?.secureURL(for: url)
        else {
            return
        }
        machine.upgrade(to: secure)
    }

    func makeTransferRequest() throws -> TransferRequest {
        let request = machine.request
        guard let url = request.url else {
            throw URLError(.badURL, url: nil, reason: "the request has no URL")
        }
        let target = try (machine.isUnchanged ? firstTarget : nil) ?? RequestTarget(url)
        machine.beginTransfer(to: url)
        let terms = try makeTerms(for: url)
        self.terms = terms
        var outgoing = TransferRequest(target: target, method: request.httpMethod ?? "GET", tls: terms.tls)
        if configuration.value.transport.resendsNonIdempotentRequests { outgoing.isIdempotent = true }
        outgoing.idleTimeout = request.timeoutInterval
        outgoing.priority = operation?.queuePriority.rawValue ?? 0
        outgoing.proxy = terms.proxy
        if let route = terms.route {
            outgoing.origin = route.countedOrigin(outgoing.origin)
            outgoing.route = route
        }
        var headers = outgoingHeaders(url: url)
        if configuration.value.transport.proxies != nil, !outgoing.isForProxy {
            // The field is for a proxy that reads it (RFC 9110, 11.7.2), not for the server, and not sent together with
            // a credential.
            headers.removeAll { $0.name.isFieldName("Proxy-Authorization") }
        }
        outgoing.body = try makeBody(headers: &headers)
        let goesToSink = goesToSink
        outgoing.receivesLargePieces = goesToSink
        offerCodings(in: &headers, goesToSink: goesToSink)
        addRange(to: &headers)
        outgoing.decodesContent = decoding == .engine
        outgoing.decodesOwnCodings = decodesOwnCodings
        outgoing.headers = headers
        try answerChallenge(in: &outgoing)
        // A server that keeps no connection open may close the one it has just redirected on, without having said so.
        if machine.hops > 0, !outgoing.isIdempotent, outgoing.credential == nil {
            outgoing.avoidsUsedConnections = true
        }
        client?.attemptWillSend(request)
        return outgoing
    }

    private func makeTerms(for url: URL) throws -> RequestTerms {
        var terms = RequestTerms(tls: try tlsConfiguration(for: url), proxy: try proxy(for: url))
        if !configuration.value.transport.connections.isEmpty {
            terms.route = try configuration.value.transport.connections.settings.route(for: url)
            if terms.route?.unixSocketPath != nil { terms.proxy = nil }
        }
        return terms
    }

    /// True if the present request would be sent now as it was. If not, its response is for its caller only: what is
    /// kept of one is for requests under the settings of this moment.
    var termsStand: Bool {
        guard let terms, let url = machine.request.url, let present = try? makeTerms(for: url) else { return false }
        return present == terms
    }

    /// Returns true if the client identity is for the server of `url`.
    private func mayShowIdentity(to url: URL) -> Bool {
        guard machine.isWithinOrigin(url) else { return false }
        guard let origin = configuration.value.identity.identityOrigin else { return true }
        guard let own = URL(escaping: origin) else { return false }
        if Origin.isSame(own, url) { return true }
        // The request may be asked over TLS in place of http, and so would the origin be.
        return configuration.value.transport.strictTransportSecurity?.secureURL(for: own).map { Origin.isSame($0, url) }
            ?? false
    }

    private func tlsConfiguration(for url: URL) throws -> TLSConfiguration {
        do {
            let own = mayShowIdentity(to: url) ? configuration.value.identity.clientIdentity : nil
            let configured = try (configuration.value.transport.securityPolicy ?? .sharedDefault).tlsConfiguration(
                clientIdentity: machine.handshakeAnswers?.identity ?? own)
            return machine.handshakeAnswers?.applied(to: configured) ?? configured
        } catch {
            throw URLError(
                .secureConnectionFailed, url: url, reason: "the security policy cannot be applied: \(error)",
                underlying: error)
        }
    }

    private func answerChallenge(in outgoing: inout TransferRequest) throws {
        do {
            try machine.challengeAnswer?.apply(to: &outgoing)
        } catch {
            throw URLError(
                .userAuthenticationRequired, url: machine.url,
                reason: "the server's challenge cannot be answered: \(error)",
                underlying: error)
        }
    }

    /// The way to `url`; nil: no proxy between.
    private func proxy(for url: URL) throws -> TransferProxy? {
        guard let proxies = configuration.value.transport.proxies?.value else { return nil }
        if let defect = proxies.defect(for: url) {
            throw URLError(
                .badURL, url: url, reason: "the proxy cannot be used: \(defect.reason)", underlying: defect)
        }
        guard let server = proxies.proxy(for: url) else { return nil }
        do {
            return try server.transferProxy()
        } catch {
            throw URLError(
                .secureConnectionFailed, url: url,
                reason: "the security policy for the proxy \(server) cannot be applied: \(error)", underlying: error)
        }
    }

    private func outgoingHeaders(url: URL) -> [HeaderField] {
        let request = machine.request
        var headers: [HeaderField] = []
        // What nearly all requests have.
        headers.reserveCapacity(8)
        var hasCookie = false
        for (name, value) in request.allHTTPHeaderFields ?? [:] {
            // The server refused what the field says: the answer to the challenge takes its place.
            if machine.challengeAnswer != nil, name.isFieldName("Authorization") { continue }
            if name.isFieldName("Cookie") { hasCookie = true }
            headers.append(HeaderField(name, value))
        }
        sentCookies = nil
        if request.httpShouldHandleCookies, configuration.value.storages.cookies.areSent, !hasCookie,
            let field = configuration.value.storages.cookies.storage?.cookieField(for: url)
        {
            headers.append(field)
            sentCookies = field.value
        }
        for field in client?.defaultHeaderFields ?? [] {
            if !headers.contains(where: { $0.name.isFieldName(field.name) }) { headers.append(field) }
        }
        // In one order for equal requests, whatever Foundation's table says: the engine sets what differs from before.
        headers += machine.conditions
        operation?.addTraceFields(to: &headers)
        if request.cachePolicy == .reloadIgnoringLocalAndRemoteCacheData {
            for name in ["Cache-Control", "Pragma"] where !headers.contains(where: { $0.name.isFieldName(name) }) {
                headers.append(HeaderField(name, "no-cache"))
            }
        }
        headers.sort { TextOrder.precedes($0.name, $1.name) }
        return headers
    }

    /// True if content goes to a file or stream, or to a reader.
    private var goesToSink: Bool {
        guard content.memory == nil else { return false }
        return content.sink != nil || configuration.value.outputStream != nil
            || configuration.value.downloadDestination != nil
            || configuration.value.stream != nil
    }

    /// True if content is decoded although the request names its own codings. The tasks of a session always do that, as
    /// Foundation's do.
    var decodesOwnCodings: Bool { client != nil || configuration.value.decodesOwnCodings }

    /// True if the request says what it accepts, and its caller decodes that.
    var decodesItself: Bool {
        !decodesOwnCodings && machine.request.value(forHTTPHeaderField: "Accept-Encoding") != nil
    }

    /// Chooses the decoder of the content, and offers the codings that it can decode.
    private func offerCodings(in headers: inout [HeaderField], goesToSink: Bool) {
        decoding = .engine
        let hasOwn = headers.contains { $0.name.isFieldName("Accept-Encoding") }
        if headers.contains(where: { $0.name.isFieldName("Range") }) {
            // A range that the caller asks for, of a coded representation, would be a piece that does not decode.
            decoding = .nobody
            if !hasOwn { headers.append(HeaderField("Accept-Encoding", "identity")) }
        } else if hasOwn {
            decoding = !decodesOwnCodings ? .nobody : goesToSink ? .sink : .engine
        } else if goesToSink {
            decoding = .sink
            headers.append(HeaderField("Accept-Encoding", ContentDecoder.acceptEncoding))
        }
    }

    /// Asks for what is missing, where what is there can be continued (RFC 9110, sections 13.1.5 and 14.2).
    private func addRange(to headers: inout [HeaderField]) {
        guard let sink = content.sink, sink.canContinue else { return }
        let accepted = sink.bytesAccepted
        guard let representation = content.representation,
            machine.asksForRest(after: accepted, of: representation)
        else { return }
        headers.append(HeaderField("Range", "bytes=\(accepted)-"))
        headers.append(HeaderField("If-Range", octets: representation.validator.latin1))
        // A range of a coded representation is not a range of what we have.
        headers.removeAll { $0.name.isFieldName("Accept-Encoding") }
        headers.append(HeaderField("Accept-Encoding", "identity"))
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
        if let stream = machine.request.httpBodyStream {
            let source = try content.bodySource(for: stream, declaredLength: declared, url: machine.request.url)
            uploadLength = source.contentLength ?? -1
            return .source(source)
        }
        // HEAD has no content, be it empty (RFC 9110, section 9.3.2).
        if let data = machine.request.httpBody, !data.isEmpty || machine.request.httpMethod != "HEAD" {
            uploadLength = Int64(data.count)
            return .data(data)
        }
        uploadLength = -1
        return .none
    }
}

/// The settings that a request was sent under, as far as they may change meanwhile: they decide who may answer it.
struct RequestTerms: Equatable {
    let tls: TLSConfiguration
    /// Nil: none between.
    var proxy: TransferProxy?
    /// Nil: the usual one.
    var route: ConnectionRoute?

    static func == (left: RequestTerms, right: RequestTerms) -> Bool {
        left.tls.identity == right.tls.identity && left.proxy == right.proxy && left.route == right.route
    }
}
