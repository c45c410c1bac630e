// SPDX-License-Identifier: MIT

// Server-sent events: read one by one as they come, over as many connections as it takes, until enough have come.
//
//   swift run --package-path Examples EventStream URL COUNT
internal import OperationNetworking

guard CommandLine.arguments.count == 3, let url = URL(escaping: CommandLine.arguments[1]),
    let count = Int(CommandLine.arguments[2])
else {
    print("usage: EventStream URL COUNT")
    exit(64)
}

let operation = HTTPRequestOperation(request: URLRequest(url: url))
var received = 0

do {
    // A server that ends its response, or is lost, is asked again, and told the identifier of the last event.
    for try await event in operation.events.reconnecting(after: 1, maximumAttempts: 5) {
        print("\(event.id.isEmpty ? "-" : event.id) \(event.event): \(event.data)")
        received += 1
        // Leaving the loop cancels the request under way.
        if received == count { break }
    }
    print("\(received) events")
} catch let error as ResponseStreamError {
    print("not events: \(error.localizedDescription)")
    exit(1)
} catch {
    print("failed: \(error.localizedDescription)")
    exit(1)
}
