// SPDX-License-Identifier: MIT
import Foundation
import TestServer
import Testing

/// `Replies.txt` has replies of servers, good and bad ones, with what has to become of each.
@Suite("The corpus of replies", .serialized, .timeLimit(.minutes(3))) struct ReplyCorpusTests {
    @Test(
        "Every reply ends its request as the table says, in one piece and byte by byte; nobody else waits",
        arguments: [false, true])
    func verdicts(inSinglePieces single: Bool) async throws {
        let replies = try Reply.table()
        #expect(replies.count >= 200)
        #expect(Set(replies.map(\.name)).count == replies.count)
        let (verdicts, slowest) = try await Neighbour().watch {
            try await ReplyStage.verdicts(on: replies, inSinglePieces: single) { await $0.verdict() }
        }
        for (reply, verdict) in zip(replies, verdicts) where verdict != reply.verdict {
            Issue.record("\(reply.name): \(verdict), not \(reply.verdict)")
        }
        let wait = try #require(slowest, "a request to another host failed")
        #expect(wait < .seconds(Patience.factor), "a request to another host took \(wait)")
    }

    @Test("The curl command says the same of the same bytes, but where the table says why it does not")
    func comparedWithCurl() async throws {
        guard let curl = try? ExternalProgram("curl") else { return }
        let replies = try Reply.table()
        let version = String(decoding: try curl.run(["--version"]), as: UTF8.self)
        let directory = try TemporaryDirectory()
        let verdicts = try await ReplyStage.verdicts(on: replies) { try await $0.verdict(of: curl, directory) }
        for (reply, verdict) in zip(replies, verdicts) {
            let isSame =
                switch (reply.verdict, verdict) {
                case (.failure, .failure): true
                default: reply.verdict == verdict
                }
            if isSame, reply.difference != nil {
                // Later versions of it are stricter.
                if version.hasPrefix("curl 7.88.") { Issue.record("\(reply.name): curl does the same") }
            } else if !isSame, reply.difference == nil {
                Issue.record("\(reply.name): curl says \(verdict), not \(reply.verdict)")
            }
        }
    }
}
