// A group of requests that is cancelled as one when the first of them fails.
//
//   swift run GroupCancel http://127.0.0.1:8000
internal import OperationNetworking

guard CommandLine.arguments.count == 2, let baseURL = URL(string: CommandLine.arguments[1]) else {
    print("usage: GroupCancel BASE-URL")
    exit(64)
}

let manager = HTTPRequestOperationManager(baseURL: baseURL)

do {
    let operations = try ["get", "status/503", "delay/5", "delay/6"].map { path in
        let operation = try manager.operation(method: "GET", path)
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
    for operation in await batch.value() {
        switch operation.error {
        case nil: print("\(operation.name ?? ""): finished")
        case let error as URLError where error.code == .cancelled: print("\(operation.name ?? ""): cancelled")
        case let error?: print("\(operation.name ?? ""): \(error.localizedDescription)")
        }
    }
} catch {
    print("failed: \(error.localizedDescription)")
    exit(1)
}
