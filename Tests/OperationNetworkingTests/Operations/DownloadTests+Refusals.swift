// SPDX-License-Identifier: MIT
import Foundation
import TestServer
import Testing

@testable import OperationNetworking

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
}
