// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import Testing

@testable import NetworkingTransport
@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("Every error prints as one line", .timeLimit(.minutes(1)))
struct ErrorLineTests {
    /// What no line may show: words of Foundation's for nothing, of reflection, and secrets.
    static let forbidden = [
        "\n", "\r", "(null)", "nil", "unknown context", "Optional(", "UserInfo=", "error 1", "hunter2", "Set-Cookie",
    ]

    static func expectLine(_ error: any Error, sourceLocation: SourceLocation = #_sourceLocation) {
        let line = "\(error)"
        #expect(!line.isEmpty && line == error.localizedDescription, sourceLocation: sourceLocation)
        #expect(line == String(reflecting: error) || error is URLError, sourceLocation: sourceLocation)
        for word in forbidden { #expect(!line.contains(word), "\(line)", sourceLocation: sourceLocation) }
        #expect(line.utf8.count < 2000, sourceLocation: sourceLocation)
    }

    private static var request: URLRequest {
        get throws {
            let url = try #require(
                URL(string: "https://me:hunter2@example.com/a?page=2&access%5Ftoken=hunter2#hunter2"))
            var request = URLRequest(url: url)
            request.httpMethod = "PUT"
            request.setValue("Bearer hunter2", forHTTPHeaderField: "Authorization")
            return request
        }
    }

    private static var response: HTTPURLResponse? {
        get throws {
            HTTPURLResponse(
                url: try #require(request.url), statusCode: 404, httpVersion: nil,
                headerFields: ["Set-Cookie": "session=hunter2"])
        }
    }

    @Test("An @ where no user can be stays", arguments: ["home/@alice", "h/a@b/c", "hdfs:///me@corp/x", "file:///a@b"])
    func noUser(text: String) throws {
        #expect(try #require(URL(string: text)).withoutUserInfo.absoluteString == text)
    }

    @Test(
        "Errors of the transport, of every kind: method, URL without secrets, reason",
        arguments: TransferError.Kind.allCases)
    func transport(kind: TransferError.Kind) throws {
        let request = try Self.request
        let causes: [(any Error)?] = [
            nil, BodySourceError("the file ends early", systemErrno: 5), StreamSinkError.contentChanged,
            DownloadError(reason: "another digest", path: "/x", code: .cannotDecodeRawData),
            ServerTrustError(rule: .chain, subject: "CN=x", host: "example.com", reason: "self-signed"),
            OpenSSLError(entries: []), SHA256Hasher.Unavailable(), NSError(domain: NSPOSIXErrorDomain, code: 28),
        ]
        for cause in causes {
            let failure = TransferError(kind, message: "it went\r\nwrong", curlCode: 7, cause: cause)
            let error = URLError(failure, url: request.url, method: request.httpMethod)
            Self.expectLine(error)
            #expect("\(error)".hasPrefix("PUT https://example.com/a?page=2&access%5Ftoken=***: "))
            #expect(error.userInfo[NSLocalizedFailureReasonErrorKey] is String)
            #expect(!"\(error as NSError)".contains("(null)"))
            // An operation does not name the method twice.
            #expect(error.naming("GET").localizedDescription == error.localizedDescription)
            if let beneath = error.userInfo[NSUnderlyingErrorKey] as? DescribedError { Self.expectLine(beneath) }
        }
        let nameless = URLError(TransferError(kind, message: "x"), url: request.url)
        #expect("\(nameless.naming("PUT"))".hasPrefix("PUT https://example.com/a"))
        #expect((nameless.naming("PUT") as? URLError)?.code == nameless.code)
        #expect(URLError(.timedOut).naming("PUT") as? URLError == URLError(.timedOut), "somebody else's stays as it is")
    }

    @Test("A body's stream says in the line why it could not be read")
    func bodyStream() {
        let cause = RequestSerializationError(
            code: .bodyLengthMismatch, reason: "The file /x changed.", detail: "Again.")
        let failure = TransferError(
            .bodySource, message: "The body could not be produced.",
            cause: BodySourceError("The stream could not be read.", cause: cause))
        let error = URLError(failure, url: URL(string: "http://example.com/"), method: "POST")
        Self.expectLine(error)
        let told = "The body could not be produced: The stream could not be read: The file /x changed"
        #expect("\(error)".contains(told), "\(error)")
    }

    @Test("The library's own errors, of every type and code")
    func own() throws {
        let request = try Self.request
        var errors: [any Error] = [-1000, -1016, 1, 2, 3, 4, 5, 6].map {
            RequestSerializationError(
                code: .init(rawValue: $0), reason: "It went wrong.", detail: "So\ndo it.", request: request,
                underlyingError: GzipEncoder.Failure(description: "zlib"))
        }
        for error in errors { #expect("\(error)".hasPrefix("PUT https://example.com/a?page=2")) }
        for code in [-1011, -1016, -1017] {
            let error = ResponseSerializationError(
                code: .init(rawValue: code), response: try Self.response, data: Data("hunter2".utf8),
                responseObject: ["password": "hunter2"])
            errors.append(error)
            let line = "\(error.naming("PATCH" as String?))"
            #expect(line.hasPrefix("Request failed: "))
            #expect(line.contains(": PATCH https://example.com/a?page=2&access%5Ftoken=***"))
        }
        let rules = [
            ServerTrustError.Rule.settings, .trustStore, .certificateFormat, .chain, .validityPeriod, .hostName,
            .revocation, .pinnedCertificate, .pinnedPublicKey, .evaluation,
        ]
        errors += rules.map { ServerTrustError(rule: $0, host: "example.com", reason: "it is not") as any Error }
        errors += [1, 2, 3, 4, 5, 6].map { ClientIdentityError(code: .init(rawValue: $0), reason: "x") as any Error }
        errors += [1, 2, 3, 4].map { ProxyConfigurationError(code: .init(rawValue: $0), reason: "x") as any Error }
        errors += [1, 2, 3, 4, 5].map { CookieFileError(code: .init(rawValue: $0), reason: "x") as any Error }
        errors += [
            OperationDependencyError(path: ["a", "b", "a"]),
            OperationDependencyError(unstarted: Operation(), upstreamOf: HTTPRequestOperation(request: request)),
            ResponseStreamError.alreadyRead, ResponseStreamError.contentGoesElsewhere,
            ResponseStreamError.lineTooLong(limit: 7), ResponseStreamError.eventTooLong(limit: 7),
            ResponseStreamError.notAnEventStream(statusCode: 200, contentType: nil),
            ResponseStreamError.notAnEventStream(statusCode: 200, contentType: "a\nb"),
            UnarchivedProperty.bodyStream, UnarchivedProperty.securityPolicy, UnarchivedProperty.responseSerializer,
            UnarchivedProperty.downloadDestination, OperationArchive.damaged(nil),
            OperationArchive.damaged(CocoaError(.coderReadCorrupt)),
            DownloadError(reason: "x", path: "/x"), StreamSinkError.discarded, StreamSinkError.contentChanged,
            ParameterError(path: ".a", problem: "is a date"),
            TransferError(.other, message: "x"), BodySourceError("x"), OpenSSLError(entries: []),
            TrustStoreError(placesTried: ["/a"]), SHA256Hasher.Unavailable(), GzipEncoder.Failure(description: "x"),
            AuthenticationError.colonInUser, AuthenticationError.digestUnavailable,
            AuthenticationError.controlCharacterInUser, AuthenticationError.controlCharacterInPassword,
            NetlinkError.system(call: "recv", errno: 5), NetlinkError.refused(errno: 5), NetlinkError.malformed,
            NetlinkError.noAnswer, POSIXFailure.error(5, path: "/x"),
        ]
        for error in errors { Self.expectLine(error) }
        // By the name that programs import.
        #expect((ResponseStreamError.alreadyRead as NSError).domain == "OperationNetworking.ResponseStreamError")
        for error in errors.compactMap({ $0 as? any NetworkingError }) { Self.expectModel(error) }
        // Whoever adds a type of errors adds it here, too.
        let tested = Set(errors.map { String(describing: type(of: $0)) })
        let internals: Set = [
            "Truncated", "ClientIdentityMaterialError", "DescribedError", "URLError", "Step", "Ending",
        ]
        // Of other modules, with tests of their own.
        let others: Set = [
            "ImageError", "CassetteError", "UnmatchedRequestError", "StubResponseError", "RequestWaitError",
            "SimulationError", "HTTPStubServerError", "HTTP1RequestError", "CertificateFormError", "OpenSSLFailure",
            "RequestStoreError", "DurableRequestError", "PostgresFailure",
        ]
        #expect(try Self.declaredTypes().subtracting(tested).subtracting(internals) == others)
    }

    /// What `NetworkingError` promises: equal by code, a reason, and Foundation's view of both.
    private static func expectModel(_ error: some NetworkingError) {
        #expect(error == error && error.failureReason == error.reason && !error.reason.isEmpty)
        let bridged = error as any Error as NSError
        #expect(bridged.userInfo[NSLocalizedDescriptionKey] as? String == error.description)
        #expect(bridged.userInfo[NSLocalizedFailureReasonErrorKey] as? String == error.reason)
        #expect(bridged.code == error.errorCode && bridged.domain == type(of: error).errorDomain)
    }

    /// The types of errors in the library's sources.
    private static func declaredTypes() throws -> Set<String> {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var names: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            let declaration =
                #/(?:struct|enum|class) (\w+)\b[^{\n]*: [^{\n]*\b(?:Error|NSError|NetworkingError|DescribedFailure)\b[^{\n]*\{/#
            for match in text.matches(of: declaration) where match.1 != "Failure" { names.insert(String(match.1)) }
        }
        #expect(names.isSuperset(of: ["TransferError", "RequestSerializationError", "ImageError"]))
        return names
    }

    @Test(
        "A URL is shown without what may be a secret",
        arguments: [
            ("http://h/p", "http://h/p"), ("http://u:p@h/p?a=1#x", "http://h/p?a=1"),
            ("http://h/?Token=a&b=2", "http://h/?Token=***&b=2"),
            ("http://h/?X-Amz-Signature=a", "http://h/?X-Amz-Signature=***"),
            ("http://h/?%74oken=a", "http://h/?%74oken=***"), ("http://h/?token", "http://h/?token"),
            ("http://h/?token=a=b&&x", "http://h/?token=***&&x"),
            ("http://h/?key=a&monkey=b", "http://h/?key=***&monkey=b"),
            ("http://h/?q=%", "http://h/?q=%25"),
            ("http://h/?author=x&oauth_token=y", "http://h/?author=x&oauth_token=***"),
        ])
    func masked(url: String, shown: String) throws {
        #expect(try #require(URL(string: url)).masked == shown)
    }

    @Test("A long URL, a long reason, and what turns or breaks lines")
    func bounds() throws {
        let url = try #require(URL(string: "http://h/" + String(repeating: "a", count: 5000)))
        #expect(url.masked.utf8.count < 310 && url.masked.hasSuffix("…"))
        let line = ErrorLine.text("GET\n", url, "a\u{2028}b\u{202E}c" + String(repeating: "x", count: 5000))
        #expect(line.utf8.count < 1500 && line.contains("a b c") && line.hasPrefix("http://h/"))
    }
}
