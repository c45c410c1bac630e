// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingTransport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// A case of the public suite for HTTP caches (http-tests/cache-tests): requests one after the other, what the server
/// answers each, and where the response is to come from.
struct CacheCase: Sendable, CustomTestStringConvertible {
    enum Source: Sendable, Equatable { case server, cache, entityTag, date }

    /// A request and its answer. A field's value that begins with "@" is a date: so many seconds from now.
    struct Step: Sendable {
        var method = "GET"
        var query = ""
        var fields: [(String, String)] = []
        var status = 200
        var response: [(String, String)] = []
        /// The server closes the connection instead.
        var disconnects = false
        /// Seconds that pass afterwards.
        var pause = 0.0
        var source: Source?
        /// Fields of the response that the client gets; nil: there is none of that name.
        var shows: [(String, String?)] = []
    }

    /// As in the suite.
    let id: String
    let steps: [Step]
    /// Whether this library does what the case asks for.
    var passes = true

    var testDescription: String { id }
}

extension CacheCase {
    /// A response that is stored, some time, and what becomes of the next request.
    static func pair(
        _ id: String, _ response: [(String, String)], from source: Source, status: Int = 200, pause: Double = 0,
        first: [(String, String)] = [], second: [(String, String)] = [], answer: [(String, String)] = [],
        shows: [(String, String?)] = [], passes: Bool = true
    ) -> CacheCase {
        CacheCase(
            id: id,
            steps: [
                Step(fields: first, status: status, response: response, pause: pause),
                Step(fields: second, status: status, response: answer, source: source, shows: shows),
            ], passes: passes)
    }
}

/// Runs a case against a server of its own.
struct CacheCaseRun {
    let test: CacheCase
    let server: TestServer
    let manager: HTTPRequestOperationManager
    let cache = URLCache(memoryCapacity: 4 << 20, diskCapacity: 0, diskPath: nil)

    init(_ test: CacheCase) throws {
        self.test = test
        server = try TestServer()
        manager = .offMain(nil)
        manager.urlCache = cache
        manager.responseSerializer = HTTPResponseSerializer()
        manager.cookieStorage = nil
        let steps = test.steps
        server.respondToOthers { request in
            guard let number = request["Test-Step"].flatMap({ Int($0) }), steps.indices.contains(number) else {
                return .status(500)
            }
            return Self.answer(to: request, steps[number], number)
        }
    }

    private static func answer(
        to request: RecordedRequest, _ step: CacheCase.Step, _ number: Int
    ) -> ScriptedResponse {
        guard !step.disconnects else { return .script([.close]) }
        let isConditional = request["If-None-Match"] ?? request["If-Modified-Since"] != nil
        let confirms = isConditional && (step.source == .entityTag || step.source == .date)
        let hasContent = step.status != 204 && !confirms
        var response = ScriptedResponse(
            status: confirms ? 304 : step.status, body: hasContent ? .text("content \(number)") : .none)
        for (name, value) in step.response { response = response.adding(header: name, Self.value(value)) }
        return response
    }

    private static func value(_ text: String) -> String {
        guard text.first == "@", let offset = Double(text.dropFirst()) else { return text }
        return httpDate(Date(timeIntervalSinceNow: offset))
    }

    static func httpDate(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: date)
    }

    /// What differs from the case; empty: nothing.
    func differences() async -> [String] {
        var differences: [String] = []
        for (number, step) in test.steps.enumerated() {
            let url = server.url("/\(test.id)" + step.query)
            var request = URLRequest(url: url)
            request.httpMethod = step.method
            request.setValue("\(number)", forHTTPHeaderField: "Test-Step")
            for (name, value) in step.fields { request.setValue(value, forHTTPHeaderField: name) }
            if step.method != "GET", step.method != "HEAD" { request.httpBody = Data("abc".utf8) }
            let operation = manager.httpRequestOperation(with: request)
            _ = await operation.outcome()
            if let source = step.source, let found = difference(operation, number, source) {
                differences.append("request \(number + 1): \(found)")
            }
            for (name, expected) in step.shows {
                let value = operation.response?.value(forHTTPHeaderField: name)
                if !Self.matches(value, expected, name) {
                    differences.append("request \(number + 1): \(name) is \(value ?? "missing")")
                }
            }
            if step.pause > 0 { cache.letPass(step.pause, for: request) }
        }
        return differences
    }

    /// Dates and ages may be some seconds later than the case says.
    private static func matches(_ value: String?, _ expected: String?, _ name: String) -> Bool {
        guard let value, let expected else { return value == expected }
        if name == "Age" { return Int(expected).map { ($0...$0 + 20).contains(Int(value) ?? -1) } ?? false }
        guard expected.first == "@", let offset = Double(expected.dropFirst()) else { return value == expected }
        // The clock goes on while dates are formatted.
        let now = Date()
        return (-20...2).contains { value == httpDate(now + offset + Double($0)) }
    }

    private func difference(_ operation: HTTPRequestOperation, _ number: Int, _ source: CacheCase.Source) -> String? {
        let reached = server.requests.last { $0["Test-Step"] == "\(number)" }
        let outcome = operation.metrics?.cacheOutcome
        switch source {
        case .cache:
            // Of a server that closes the connection the answer is known only when it was asked.
            guard reached == nil || test.steps[number].disconnects else { return "the server was asked" }
            return operation.response == nil ? "there is no response" : nil
        case .server:
            return reached == nil ? "the server was not asked" : outcome == .validated ? "the stored content came" : nil
        case .entityTag, .date:
            guard let reached else { return "the server was not asked" }
            let field = source == .entityTag ? "If-None-Match" : "If-Modified-Since"
            guard reached[field] != nil else { return "no \(field)" }
            guard outcome == .validated, operation.response?.statusCode == 200 else { return "not validated" }
            return operation.responseString == "content 0" ? nil : "another content"
        }
    }
}

extension URLCache {
    /// Makes what is stored for a URL older, as if seconds had passed.
    func letPass(_ seconds: Double, for request: URLRequest) {
        let cache = ResponseCache.of(self)
        guard let url = request.url, let target = try? RequestTarget(url), let key = CacheKey(target, trust: ""),
            var stored = cache.response(for: key, url: target.url)
        else { return }
        stored.requestTime -= seconds
        stored.responseTime -= seconds
        cache.store(stored, for: key, url: url)
    }
}
