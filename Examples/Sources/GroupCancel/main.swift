// SPDX-License-Identifier: MIT

// A group of requests that is cancelled as one when the first of them fails.
//
//   swift run --package-path Examples GroupCancel http://127.0.0.1:8000    (an httpbin server)
internal import OperationNetworking

guard CommandLine.arguments.count == 2, let baseURL = URL(escaping: CommandLine.arguments[1]) else {
    print("usage: GroupCancel BASE-URL")
    exit(64)
}

let manager = HTTPRequestOperationManager(baseURL: baseURL)

do {
    let operations = try ["get", "status/503", "delay/5", "delay/6"].map { path in
        let operation = try manager.makeOperation(method: "GET", path)
        operation.name = path
        return operation
    }
    let batch = OperationBatch(operations, name: "page")
    for operation in operations {
        operation.setCompletionBlockWithSuccess(nil) { [weak batch] operation, error in
            guard (error as? URLError)?.code != .cancelled else { return }
            print("\(operation.name ?? "") failed, cancelling the others")
            batch?.cancel()
        }
    }
    manager.enqueue(batch)

    var cancelled = 0
    for operation in await batch.value() {
        switch operation.error {
        case nil:
            print("\(operation.name ?? ""): finished")
        case let error as URLError where error.code == .cancelled:
            cancelled += 1
            print("\(operation.name ?? ""): cancelled")
        case let error?:
            print("\(operation.name ?? ""): \(error.localizedDescription)")
        }
    }
    // The 503 is meant to be there: what would be wrong is that nothing was cancelled.
    exit(cancelled > 0 ? 0 : 1)
} catch {
    print("failed: \(error.localizedDescription)")
    exit(1)
}
