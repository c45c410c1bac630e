// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore

extension DownloadTests {
    @Test(
        "An error with coded content, in place of the rest, leaves the part alone and is told decoded",
        arguments: [false, true])
    func codedRefusal(isRetried: Bool) async throws {
        let refusal = ScriptedResponse(
            status: 503, headers: [("Content-Encoding", "gzip"), ("Retry-After", "0"), ("Content-Type", "text/plain")],
            body: .data(Data("busy".utf8).gzipped))
        let count = Tally()
        server.respond(to: "/file") { _ in
            isRetried && count.increment() > 1 ? .ranged(Self.content, etag: "\"a\"") : refusal
        }
        try leavePartial(Self.content.prefix(1000), validator: "\"a\"", total: 200_000)
        let operation = await download(run: false)
        if isRetried { operation.retryPolicy = RetryPolicy(backoff: .constant(0.01)) }
        await operation.run()
        if isRetried {
            #expect(operation.error == nil && bytes("target.bin") == Self.content && names == ["target.bin"])
            #expect(server.requests.map { $0["Range"] } == ["bytes=1000-", "bytes=1000-"])
        } else {
            #expect(operation.response?.statusCode == 503 && operation.responseString == "busy")
            #expect(names == ["target.bin.part", "target.bin.part.json"])
            #expect(bytes("target.bin.part") == Self.content.prefix(1000))
            #expect(server.requests.map { $0["Range"] } == ["bytes=1000-"])
        }
    }

    @Test("An observer of one download's end may wait for the ends of others, however many there are")
    func waitingObserver() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("content") }
        let operations = (0..<24).map { index in
            let operation = HTTPRequestOperation.make(server.url("/\(index)"))
            operation.downloadDestination = DownloadDestination(fileURL: directory.file("waiting-\(index)"))
            return operation
        }
        let others = Tally()
        let tokens = operations.enumerated().map { index, operation in
            operation.observe(\.isFinished) { [gate = Self.waitingGate] operation, _ in
                guard operation.isFinished else { return }
                if index == 0 { _ = gate.wait(timeout: 20) } else if others.increment() == 23 { gate.open() }
            }
        }
        for operation in operations { operation.start() }
        for operation in operations { await operation.completed() }
        withExtendedLifetime(tokens) {}
        #expect(Self.waitingGate.isOpen && operations.allSatisfy { $0.error == nil })
    }

    private static let waitingGate = Gate()
}
