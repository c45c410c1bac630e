// Several files at once, straight to disk, with progress for all of them. Run it again after an interruption: what was
// there already is not asked for again where the server allows it.
//
//   swift run BatchDownload http://127.0.0.1:8000
internal import OperationNetworking

guard CommandLine.arguments.count == 2, let baseURL = URL(string: CommandLine.arguments[1]) else {
    print("usage: BatchDownload BASE-URL")
    exit(64)
}

let manager = HTTPRequestOperationManager(baseURL: baseURL)
manager.responseSerializer = HTTPResponseSerializer()
let directory = FileManager.default.temporaryDirectory

do {
    let operations = try [20_000, 40_000, 60_000, 80_000].map { size in
        let operation = try manager.operation(method: "GET", "range/\(size)?duration=1")
        operation.name = "file-\(size)"
        operation.downloadDestination = DownloadDestination(fileURL: directory.appendingPathComponent("file-\(size)"))
        return operation
    }
    let batch = OperationBatch(operations, name: "files")
    batch.setProgressBlock { finished, total in print("\(finished) of \(total) files") }
    manager.enqueue(batch)

    var failures = 0
    for operation in await batch.value() {
        if let error = operation.error {
            failures += 1
            print("\(operation.name ?? ""): \(error.localizedDescription)")
        } else {
            print("\(operation.name ?? ""): \(operation.metrics?.bytesReceived ?? 0) bytes")
        }
    }
    exit(failures == 0 ? 0 : 1)
} catch {
    print("failed: \(error.localizedDescription)")
    exit(1)
}
