// Operations from async code: decoded values, errors to switch on, and cancelling by cancelling the task.
//
//   swift run AsyncAwait http://127.0.0.1:8000
internal import OperationNetworking

struct Reply: Decodable, Sendable {
    let url: String
}

guard CommandLine.arguments.count == 2, let baseURL = URL(string: CommandLine.arguments[1]) else {
    print("usage: AsyncAwait BASE-URL")
    exit(64)
}

let manager = HTTPRequestOperationManager(baseURL: baseURL)

do {
    // An operation that is in no queue is started by waiting for its value.
    let reply = try await manager.operation(method: "GET", "anything/books").decoded(Reply.self)
    print("decoded: \(reply.url)")

    do {
        _ = try await manager.operation(method: "GET", "status/418").value()
    } catch let error as ResponseSerializationError where error.code == .badServerResponse {
        print("refused: \(error.localizedDescription)")
    }

    let slow = try manager.operation(method: "GET", "delay/5")
    let task = Task { try await slow.value() as? String }
    task.cancel()
    do {
        _ = try await task.value
    } catch let error as URLError where error.code == .cancelled {
        print("cancelled: state \(slow.state)")
    }
} catch {
    print("failed: \(error.localizedDescription)")
    exit(1)
}
