// SPDX-License-Identifier: MIT
public import Foundation
public import OperationNetworking

/// The answer of a stub. A response, by and by or at once, or a failure.
///
/// `Content-Length` is added unless it, or `Transfer-Encoding`, is among `headers`. Content whose `Content-Encoding` is
/// gzip or deflate is decoded as on the way from a server. To `HEAD`, and with status 204 or 304, no content is sent.
public struct StubResponse: Sendable {
    enum Content: Sendable {
        case data(Data)
        case file(URL)
    }

    enum Kind: Sendable {
        case response
        case failure(any Error)
        /// Not empty.
        case sequence([StubResponse])
        /// The real engine sends the request.
        case passthrough
    }

    /// The status code, from 200 to 599.
    public var status: Int
    /// The header fields. Those that come several times: see ``withField(_:_:)``.
    public var headers: [String: String]
    /// Seconds before the response begins, or the failure.
    public var delay: TimeInterval
    var fields: [HTTPField] = []
    var content: Content
    var kind = Kind.response
    /// Nil: all at once.
    var drip: Drip?
    /// Nil: all content comes.
    var cut: Cut?
    var interims: [Interim] = []
    /// Nil: ranges are not served.
    var entityTag: String?

    struct HTTPField: Sendable, Equatable {
        var name: String
        var value: String
    }

    struct Drip: Sendable {
        var size: Int
        var interval: TimeInterval
    }

    struct Cut: Sendable {
        var length: Int
        var error: URLError.Code
    }

    struct Interim: Sendable {
        var status: Int
        var fields: [HTTPField]
    }

    /// A response with content in memory.
    ///
    /// - Parameters:
    ///   - status: 200 by default.
    ///   - headers: none by default.
    ///   - body: empty by default.
    ///   - delay: seconds before it begins; 0 by default.
    public init(status: Int = 200, headers: [String: String] = [:], body: Data = Data(), delay: TimeInterval = 0) {
        self.status = status
        self.headers = headers
        self.delay = delay
        content = .data(body)
    }

    /// The element of a sequence for one use of its rule; a response that is no sequence returns itself.
    func element(_ number: Int) -> StubResponse {
        guard case .sequence(let elements) = kind, let last = elements.last else { return self }
        return number < elements.count ? elements[number] : last
    }
}

// MARK: - Answers

extension StubResponse {
    /// A value as JSON, with `Content-Type: application/json`. One that cannot be encoded fails the request with the
    /// encoder's error.
    public static func json(_ value: some Encodable & Sendable, status: Int = 200) -> StubResponse {
        do {
            return json(data: try JSONEncoder().encode(value), status: status)
        } catch {
            return failure(error)
        }
    }

    /// An object whose members are of several types, as JSON, with `Content-Type: application/json`. One that
    /// `JSONSerialization` does not take fails the request with an `EncodingError`.
    ///
    /// ```swift
    /// stubs.on(
    ///     "GET", "/users/7",
    ///     respond: .json(["id": 7, "name": "Ann", "roles": ["admin"]]))
    /// ```
    public static func json(_ object: [String: Any], status: Int = 200) -> StubResponse {
        do {
            guard JSONSerialization.isValidJSONObject(object) else {
                let context = EncodingError.Context(codingPath: [], debugDescription: "JSON has no such value.")
                throw EncodingError.invalidValue(object, context)
            }
            return json(data: try JSONSerialization.data(withJSONObject: object), status: status)
        } catch {
            return failure(error)
        }
    }

    /// JSON as text, such as `{"id": 7}`, with `Content-Type: application/json`. Sent as it is.
    public static func json(text: String, status: Int = 200) -> StubResponse {
        json(data: Data(text.utf8), status: status)
    }

    /// JSON as data, with `Content-Type: application/json`. Sent as it is.
    public static func json(data: Data, status: Int = 200) -> StubResponse {
        StubResponse(status: status, headers: ["Content-Type": "application/json"], body: data)
    }

    /// Text, with `Content-Type: text/plain; charset=utf-8`.
    public static func text(_ text: String, status: Int = 200) -> StubResponse {
        StubResponse(status: status, headers: ["Content-Type": "text/plain; charset=utf-8"], body: Data(text.utf8))
    }

    /// The content of a file, read when it is sent. One that is not there fails the request with Foundation's error.
    public static func file(_ url: URL, status: Int = 200, headers: [String: String] = [:]) -> StubResponse {
        var response = StubResponse(status: status, headers: headers)
        response.content = .file(url)
        return response
    }

    /// A redirect. The request that follows is asked of the stubs, too.
    ///
    /// - Parameters:
    ///   - location: absolute, or relative to the request's URL.
    ///   - status: 302 by default.
    public static func redirect(to location: String, status: Int = 302) -> StubResponse {
        StubResponse(status: status, headers: ["Location": location])
    }

    /// A 401 that asks for user name and password (RFC 7617). A rule for requests with the field `Authorization`
    /// answers the next one.
    public static func basicChallenge(realm: String) -> StubResponse {
        StubResponse(status: 401, headers: ["WWW-Authenticate": "Basic realm=\"\(realm)\""])
    }

    /// A 401 that asks for a digest (RFC 7616).
    public static func digestChallenge(realm: String, nonce: String) -> StubResponse {
        StubResponse(
            status: 401,
            headers: [
                "WWW-Authenticate": "Digest realm=\"\(realm)\", nonce=\"\(nonce)\", algorithm=SHA-256, qop=\"auth\""
            ])
    }

    /// No response, as with a server that cannot be reached. `.cannotConnectToHost`, `.timedOut`,
    /// `.networkConnectionLost` and so on.
    public static func failure(_ code: URLError.Code) -> StubResponse { failure(URLError(code)) }

    /// No response. The request fails with this error. A `URLError` is given the failing URL.
    public static func failure(_ error: any Error) -> StubResponse {
        var response = StubResponse()
        response.kind = .failure(error)
        return response
    }

    /// One answer after the other, each time the rule is used. The last one again and again.
    ///
    /// Where a closure gives the answers, it is the count of the rule's uses that says which of the sequence is meant.
    /// An empty sequence fails the request.
    public static func sequence(_ responses: [StubResponse]) -> StubResponse {
        let elements = responses.flatMap { response -> [StubResponse] in
            if case .sequence(let inner) = response.kind { inner } else { [response] }
        }
        guard !elements.isEmpty else { return failure(StubResponseError(reason: "the sequence has no responses")) }
        var response = StubResponse()
        response.kind = .sequence(elements)
        return response
    }

    /// Lets the real engine send the request, and gives what the server answers. Not within a simulation.
    public static var passthrough: StubResponse {
        var response = StubResponse()
        response.kind = .passthrough
        return response
    }
}

// MARK: - How it comes

extension StubResponse {
    /// The same with one more header field of a name that may come several times, such as `Set-Cookie`.
    public func withField(_ name: String, _ value: String) -> StubResponse {
        changed { $0.fields.append(HTTPField(name: name, value: value)) }
    }

    /// The same after so many seconds. A request that is without an answer for its `timeoutInterval` ends with
    /// `URLError.timedOut`.
    public func delayed(by seconds: TimeInterval) -> StubResponse { changed { $0.delay = seconds } }

    /// The same with its content in pieces.
    ///
    /// - Parameters:
    ///   - size: bytes of a piece, at least 1.
    ///   - interval: seconds between two pieces; 0 by default.
    public func dripping(pieces size: Int, every interval: TimeInterval = 0) -> StubResponse {
        changed { $0.drip = Drip(size: max(1, size), interval: interval) }
    }

    /// The same as far as some bytes of its content, after which the transfer fails.
    ///
    /// - Parameters:
    ///   - length: bytes that come; at most all of them.
    ///   - error: what it fails with; `.networkConnectionLost` by default.
    public func failing(after length: Int, with error: URLError.Code = .networkConnectionLost) -> StubResponse {
        changed { $0.cut = Cut(length: max(0, length), error: error) }
    }

    /// The same after an informational response, such as 103 (Early Hints).
    public func preceded(by status: Int, headers: [String: String]) -> StubResponse {
        changed { response in
            let fields = headers.sorted { $0.key < $1.key }.map { HTTPField(name: $0.key, value: $0.value) }
            response.interims.append(Interim(status: status, fields: fields))
        }
    }

    /// The same from a server that can continue a download. It has a strong `ETag`, and a request for the rest (`Range`
    /// with a matching `If-Range`, or none) is answered with 206 and the rest.
    public func resumable(entityTag: String = "\"1\"") -> StubResponse { changed { $0.entityTag = entityTag } }

    private func changed(_ change: (inout StubResponse) -> Void) -> StubResponse {
        var copy = self
        if case .sequence(let elements) = copy.kind {
            copy.kind = .sequence(elements.map { $0.changed(change) })
        } else {
            change(&copy)
        }
        return copy
    }
}

/// A stub's answer cannot be sent.
public struct StubResponseError: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible, _BridgedError {
    /// A sentence about the defect.
    public let reason: String

    /// One line.
    public var description: String { "the stub's answer cannot be sent: \(reason)" }

    /// The same as `description`.
    public var errorDescription: String? { description }
}
