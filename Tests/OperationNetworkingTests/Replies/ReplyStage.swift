// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer

/// A server that plays one reply of the corpus, and clients that ask for it.
///
/// Each reply has a server of its own: what follows on its connections must not meet another request.
struct ReplyStage {
    /// How long a reply without an end is waited for.
    private static let patience = 0.5

    private let reply: Reply
    private let server: TestServer

    init(_ reply: Reply, inSinglePieces single: Bool) throws {
        self.reply = reply
        server = try TestServer()
        // What redirects lead to.
        server.respond(to: "/fine", .ok("fine"))
        let steps = reply.pieces(single: single).map { ScriptStep.send($0) }
        server.respond(to: "/", .script(steps + [reply.staysOpen ? .stall : .close]))
    }

    private var timeout: TimeInterval { reply.staysOpen ? Self.patience : 20 }

    /// What the library makes of the reply.
    func verdict() async -> Reply.Verdict {
        let operation = HTTPRequestOperation(server.url("/"), method: reply.method, timeout: timeout)
        operation.responseSerializer.acceptableStatusCodes = nil
        let outcome = await operation.outcome()
        guard let error = outcome.error else {
            return .response(status: outcome.status ?? 0, content: outcome.data ?? Data())
        }
        return .failure((error as NSError).code)
    }

    /// What the `curl` command makes of it.
    func verdict(of curl: ExternalProgram, _ directory: TemporaryDirectory) async throws -> Reply.Verdict {
        let file = directory.file("\(server.port)").path
        let options = [
            "-q", "--silent", "--http1.1", "--location", "--max-redirs", "20", "--compressed", "--noproxy", "*",
            "--max-time", "\(timeout)", "--output", file, "--write-out", "%{http_code} %{exitcode}",
        ]
        let arguments = options + (reply.method == "HEAD" ? ["--head"] : []) + [server.url("/").absoluteString]
        // Its exit status is in what it writes.
        let output = try await blocking {
            Result { try ExternalProgram("sh").run(["-c", "\"$0\" \"$@\" || true", curl.path] + arguments) }
        }.get()
        let words = String(decoding: output, as: UTF8.self).split(separator: " ").compactMap { Int($0) }
        guard words.count == 2, words[1] == 0 else { return .failure(words.last ?? -1) }
        let content = FileManager.default.contents(atPath: file)
        return .response(status: words[0], content: reply.method == "HEAD" ? Data() : content ?? Data())
    }

    /// Plays the replies, a few at a time.
    static func verdicts(
        on replies: [Reply], inSinglePieces single: Bool = false,
        _ ask: @escaping @Sendable (ReplyStage) async throws -> Reply.Verdict
    ) async throws -> [Reply.Verdict] {
        try await withThrowingTaskGroup(of: (Int, Reply.Verdict).self) { group in
            var verdicts = [Reply.Verdict](repeating: .failure(0), count: replies.count)
            for (index, reply) in replies.enumerated() {
                if index >= 8, let (done, verdict) = try await group.next() { verdicts[done] = verdict }
                group.addTask { (index, try await ask(ReplyStage(reply, inSinglePieces: single))) }
            }
            for try await (done, verdict) in group { verdicts[done] = verdict }
            return verdicts
        }
    }
}
