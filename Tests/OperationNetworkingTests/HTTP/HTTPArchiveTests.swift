// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("HTTP archives", .timeLimit(.minutes(1))) struct HTTPArchiveTests {
    private typealias Object = [String: Any]

    /// What is wrong with an object by the schema of HAR 1.2: each field's name and type.
    private static func problems(_ object: Any?, _ path: String, strings: [String], numbers: [String]) -> [String] {
        guard let object = object as? Object else { return ["\(path) is no object"] }
        return strings.filter { !(object[$0] is String) }.map { "\(path).\($0) is no string" }
            + numbers.filter { !(object[$0] is NSNumber) }.map { "\(path).\($0) is no number" }
    }

    private static func problems(pairs: Any?, _ path: String) -> [String] {
        guard let pairs = pairs as? [Any] else { return ["\(path) is no array"] }
        return pairs.flatMap { problems($0, path, strings: ["name", "value"], numbers: []) }
    }

    private static func problems(entry: Object) -> [String] {
        let (request, response) = (entry["request"] as? Object ?? [:], entry["response"] as? Object ?? [:])
        var result = problems(entry, "entry", strings: ["startedDateTime"], numbers: ["time"])
        result += problems(
            request, "request", strings: ["method", "url", "httpVersion"], numbers: ["headersSize", "bodySize"])
        result += problems(
            response, "response", strings: ["statusText", "httpVersion", "redirectURL"],
            numbers: ["status", "headersSize", "bodySize"])
        for (name, object) in [("request", request), ("response", response)] {
            result += problems(pairs: object["headers"], name + ".headers")
            result += problems(pairs: object["cookies"], name + ".cookies")
        }
        result += problems(pairs: request["queryString"], "queryString")
        result += problems(response["content"], "content", strings: ["mimeType"], numbers: ["size"])
        if let postData = request["postData"] {
            result += problems(postData, "postData", strings: ["mimeType", "text"], numbers: [])
            result += problems(pairs: (postData as? Object)?["params"], "params")
        }
        if !(entry["cache"] is Object) { result.append("cache is no object") }
        let timings = entry["timings"] as? [String: Double] ?? [:]
        for name in ["send", "wait", "receive"] where timings[name] ?? -1 < 0 { result.append("timings.\(name)") }
        let sum = timings.filter { $0.key != "ssl" && $0.value > 0 }.values.reduce(0, +)
        if abs(sum - (entry["time"] as? Double ?? -1)) > 0.001 { result.append("time is not the sum of the timings") }
        let date = entry["startedDateTime"] as? String ?? ""
        if date.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/) == nil { result.append("date \(date)") }
        return result
    }

    private static func entries(_ archive: HTTPArchive) throws -> [Object] {
        let log = try #require(
            (JSONSerialization.jsonObject(with: archive.data()) as? Object)?["log"] as? Object)
        #expect(log["version"] as? String == "1.2")
        #expect(problems(log["creator"], "creator", strings: ["name", "version"], numbers: []).isEmpty)
        let entries = try #require(log["entries"] as? [Object])
        for entry in entries {
            let problems = problems(entry: entry)
            #expect(problems.isEmpty, "\(problems)")
        }
        return entries
    }

    @Test("Good, refused and failed requests are in the archive when they have finished, without secrets")
    func record() async throws {
        let server = try TestServer()
        server.respond(
            to: "/a", ScriptedResponse.json("{\"a\": 1}").adding(header: "Set-Cookie", "s=geheim"))
        server.respond(to: "/moved", .redirect(to: "/a"))
        let port = try RefusedPort()
        let manager = HTTPRequestOperationManager.offMain(server.url())
        let archive = HTTPArchive(maximumBodySize: 5)
        archive.record(manager)
        archive.record(manager)
        manager.requestSerializer.setValue("Bearer geheim", forHTTPHeaderField: "Authorization")
        _ = await manager.getting("a", parameters: ["q": "x y"])
        try await eventually("an entry") { try Self.entries(archive).count == 1 }
        _ = await manager.outcome { manager.post("moved", parameters: ["p": "12"], success: $0, failure: $1) }
        _ = await manager.getting("missing")
        _ = await manager.getting(port.urlString.replacingOccurrences(of: "//", with: "//user:geheim@"))
        try await eventually("all entries") { try Self.entries(archive).count == 4 }
        let entries = try Self.entries(archive)
        let responses = entries.map { $0["response"] as? Object ?? [:] }
        #expect(responses.map { $0["status"] as? Int } == [200, 200, 404, 0])
        #expect(responses[3]["_error"] is String && responses[0]["_error"] == nil)
        let content = responses[0]["content"] as? Object
        #expect(content?["text"] as? String == "{\"a\":" && content?["size"] as? Int == 8)
        let first = entries[0]["request"] as? Object
        #expect((first?["queryString"] as? [[String: String]])?.first == ["name": "q", "value": "x y"])
        #expect(((entries[1]["request"] as? Object)?["postData"] as? Object)?["text"] as? String == "p=12")
        #expect(!String(decoding: try archive.data(), as: UTF8.self).contains("geheim"))
    }

    @Test("The oldest entries are dropped, and content is left out unless it is wanted")
    func limits() async throws {
        let server = try TestServer()
        server.respondToOthers { .ok($0.path) }
        let manager = HTTPRequestOperationManager.offMain(server.url())
        manager.responseSerializer = HTTPResponseSerializer()
        let (few, all) = (HTTPArchive(maximumBodySize: 0, maximumEntries: 2), HTTPArchive())
        few.record(manager)
        all.record(manager)
        for index in 0..<4 {
            _ = await manager.getting("\(index)")
            try await eventually("an entry") { try Self.entries(all).count == index + 1 }
        }
        let urls = try Self.entries(few).map { ($0["request"] as? Object)?["url"] as? String }
        #expect(urls == [server.url("/2").absoluteString, server.url("/3").absoluteString])
        let contents = try Self.entries(all).map { ($0["response"] as? Object)?["content"] as? Object }
        #expect(contents.allSatisfy { $0?["text"] == nil && $0?["size"] as? Int == 2 })
        let directory = try TemporaryDirectory()
        try few.write(to: directory.file("log.har"))
        #expect(try Data(contentsOf: directory.file("log.har")) == few.data())
    }
}
