// SPDX-License-Identifier: MIT
import AFNetworking
import Dispatch
import Swift5Client
import TestServer
import Testing

/// `Swift5Client` is built in the Swift 5 language mode with warnings as errors; here it runs.
@Suite("A client in the Swift 5 language mode", .timeLimit(.minutes(1))) struct Swift5ClientTests {
    let server: TestServer
    let client: BooksClient

    init() throws {
        server = try TestServer()
        server.respondToOthers { _ in .json(#"{"title":"a"}"#) }
        client = BooksClient(baseURL: server.url("/"))
        client.completionQueue = DispatchQueue(label: "test.completion")
    }

    @Test("Function values are handed on, in both spellings")
    func values() async {
        let new: Bool = await withCheckedContinuation { continuation in
            client.load(
                "books", success: { continuation.resume(returning: $1 is NSDictionary) },
                failure: { _, _ in continuation.resume(returning: false) })
        }
        let old: Bool = await withCheckedContinuation { continuation in
            client.loadOld(
                "books", success: { continuation.resume(returning: $1 is NSDictionary) },
                failure: { _, _ in continuation.resume(returning: false) })
        }
        #expect(new && old && client.requestCount == 2)
    }

    @Test("Blocks change what they capture")
    func captures() async {
        for expected in 1...2 {
            let count: Int = await withCheckedContinuation { continuation in
                client.save("a") { count, _ in continuation.resume(returning: count) }
            }
            #expect(count == expected)
        }
    }

    @Test("An operation's own blocks do too")
    func operation() async {
        let (text, received): (String?, Int64) = await withCheckedContinuation { continuation in
            client.read("books") { continuation.resume(returning: ($0, $1)) }
        }
        #expect(text == #"{"title":"a"}"# && received == 13)
        #expect(client.requestCount == 1)
    }

    @Test("Methods are blocks")
    func methods() async {
        let log: [String] = await withCheckedContinuation { continuation in
            BooksScreen(client: client) { continuation.resume(returning: $0) }.show()
        }
        #expect(log == ["new true", "old true"])
    }
}
