// SPDX-License-Identifier: MIT

// Operations from async code: decoded values, several at once, errors to switch on, and cancelling by cancelling the task.
//
//   swift run --package-path Examples AsyncAwait http://127.0.0.1:8000    (an httpbin server)
internal import OperationNetworking

struct Reply: Decodable, Sendable {
    let url: String
}

guard CommandLine.arguments.count == 2, let baseURL = URL(escaping: CommandLine.arguments[1]) else {
    print("usage: AsyncAwait BASE-URL")
    exit(64)
}

let manager = HTTPRequestOperationManager(baseURL: baseURL)

do {
    // An operation that is in no queue is started by waiting for its value.
    let reply = try await manager.makeOperation(method: "GET", "anything/books").decoded(Reply.self)
    print("decoded: \(URL(string: reply.url)?.path ?? "")")

    async let first = manager.makeOperation(method: "GET", "anything/first").decoded(Reply.self)
    async let second = manager.makeOperation(method: "GET", "anything/second").decoded(Reply.self)
    let replies = try await [first, second]
    print("at once: \(replies.map { URL(string: $0.url)?.lastPathComponent ?? "" })")

    do {
        _ = try await manager.makeOperation(method: "GET", "status/418").value()
        print("failed: a teapot made coffee")
        exit(1)
    } catch let error as ResponseSerializationError where error.code == .badServerResponse {
        print("refused: \(error.localizedDescription)")
    }

    let slow = try manager.makeOperation(method: "GET", "delay/5")
    let task = Task { try await slow.value() as? String }
    task.cancel()
    do {
        _ = try await task.value
        print("failed: the task was cancelled, its operation was not")
        exit(1)
    } catch let error as URLError where error.code == .cancelled {
        print("cancelled: state \(slow.state)")
    }
} catch {
    print("failed: \(error.localizedDescription)")
    exit(1)
}
