// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// What the compiler says of `any Error`: that casting it to `NSError` always succeeds.
@Suite("Errors cast to NSError, in every form") struct ErrorCastTests {
    private static func errors() throws -> [any _BridgedError] {
        let url = try #require(URL(string: "https://example.com/a"))
        return [
            RequestSerializationError(code: .invalidMethod, reason: "x", request: URLRequest(url: url)),
            ResponseSerializationError(
                code: .badServerResponse, response: nil, data: Data("x".utf8),
                responseObject: ["a": 1], underlyingError: URLError(.badURL)),
            ServerTrustError(rule: .chain, host: "example.com", reason: "self-signed"),
            ClientIdentityError(code: .keyMismatch, reason: "x"),
            ProxyConfigurationError(code: .invalidURL, reason: "x"), CookieFileError(code: .damaged, reason: "x"),
            OperationDependencyError(path: ["a", "b", "a"]),
            ResponseStreamError.lineTooLong(limit: 7), UnarchivedProperty.bodyStream,
            DownloadError(reason: "x", path: "/x"), StreamSinkError.discarded,
            ParameterError(path: ".a", problem: "is a date"),
        ]
    }

    @Test("The library's own")
    func own() throws {
        for error in try Self.errors() {
            try Self.expectCasts(error)
            try Self.expectReturn(error)
        }
    }

    @Test("Those of transfers")
    func transfers() throws {
        let url = try #require(URL(string: "https://user:hunter2@example.com/a"))
        for error in [
            URLError(.cancelled), URLError(.timedOut, url: url, method: "GET", reason: "nothing came"),
            URLError(.badURL, userInfo: [NSUnderlyingErrorKey: ResponseStreamError.alreadyRead, "a": 1]),
        ] {
            try Self.expectCasts(error)
            let bridged: any Error = try #require((error as Any) as? NSError)
            let back = try #require(bridged as? URLError)
            #expect(back == error && "\(back)" == "\(error)" && back.localizedDescription == error.localizedDescription)
            #expect(bridged as? ResponseSerializationError == nil)
        }
        let foreign: any Error = NSError(domain: NSURLErrorDomain, code: NSURLErrorTimedOut)
        #expect((foreign as? URLError)?.code == .timedOut)
        #expect(NSError(domain: NSPOSIXErrorDomain, code: 1) as any Error as? URLError == nil)
        #expect(foreign.naming("GET") as NSError === foreign as NSError, "somebody else's stays the object that it is")
    }

    /// Each form gives what `as NSError` gives.
    static func expectCasts(_ error: any Error) throws {
        let object = error as NSError
        func isSame(_ other: NSError) -> Bool {
            other.domain == object.domain && other.code == object.code
                && (other.userInfo as NSDictionary) == (object.userInfo as NSDictionary) && other == object
        }
        // Of the `Any` that it is in a notification the compiler does not say that it is superfluous to ask.
        let value: Any = error
        #expect(try isSame(#require(value as? NSError)), "\(type(of: error))")
        #expect(value is NSError && (error as AnyObject) is NSError)
        if case let bridged as NSError = value { #expect(isSame(bridged)) } else { Issue.record("no case: \(error)") }
        var caught: NSError?
        do { throw error } catch let bridged as NSError { caught = bridged } catch {}
        #expect(try isSame(#require(caught)))
        // One line, as the error itself.
        #expect("\(try #require(value as? NSError))" == "\(error)" || error is URLError)
    }

    /// And the object casts back.
    private static func expectReturn<Value: _BridgedError>(_ error: Value) throws {
        let object: any Error = try #require((error as Any) as? NSError)
        let back = try #require(object as? Value)
        #expect("\(back)" == "\(error)")
        #expect(object as? URLError == nil)
        #expect(NSError(domain: "x", code: 1) as any Error as? Value == nil)
    }
}
