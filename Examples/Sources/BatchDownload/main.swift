// SPDX-License-Identifier: MIT

// Several files at once, straight to disk, with progress: on a terminal a bar for each file, elsewhere a line for each
// that is done. Run it again after an interruption: what was there already is not asked for again where the server
// allows it, which httpbin does not.
//
//   swift run --package-path Examples BatchDownload http://127.0.0.1:8000 FOLDER    (an httpbin server)
internal import OperationNetworking
internal import Synchronization

/// A bar for each file, redrawn in place.
final class ProgressBars: Sendable {
    private struct State {
        var shares: [Double]
        var lastDrawn: ContinuousClock.Instant?
    }

    private let names: [String]
    private let state: Mutex<State>

    init(_ names: [String]) {
        self.names = names
        state = Mutex(State(shares: names.map { _ in 0 }))
    }

    /// Draws at most 20 times a second, and the end of each file.
    func update(_ index: Int, received: Int64, expected: Int64) {
        state.withLock { state in
            // What is expected is -1 when the server does not say how much there is.
            state.shares[index] = expected > 0 ? min(1, Double(received) / Double(expected)) : 0
            let now = ContinuousClock.now
            if let last = state.lastDrawn, now - last < .milliseconds(50), received != expected { return }
            var text = state.lastDrawn == nil ? "" : "\u{1B}[\(names.count)A"
            for (name, share) in zip(names, state.shares) {
                let filled = Int(share * 30)
                let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: 30 - filled)
                text += "\u{1B}[K[\(bar)] \(Int(share * 100)) %  \(name)\n"
            }
            state.lastDrawn = now
            FileHandle.standardOutput.write(Data(text.utf8))
        }
    }
}

guard CommandLine.arguments.count == 3, let baseURL = URL(escaping: CommandLine.arguments[1]) else {
    print("usage: BatchDownload BASE-URL FOLDER")
    exit(64)
}

let folder = URL(fileURLWithPath: CommandLine.arguments[2], isDirectory: true)
let manager = HTTPRequestOperationManager(baseURL: baseURL)
manager.responseSerializer = HTTPResponseSerializer()

do {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let operations = try [20_000, 40_000, 60_000, 80_000].map { size in
        let operation = try manager.makeOperation(method: "GET", "range/\(size)?duration=1&chunk_size=2000")
        operation.name = "file-\(size)"
        operation.downloadDestination = DownloadDestination(fileURL: folder.appendingPathComponent("file-\(size)"))
        return operation
    }
    let batch = OperationBatch(operations, name: "files")
    if isatty(STDOUT_FILENO) == 1 {
        let bars = ProgressBars(operations.map { $0.name ?? "" })
        for (index, operation) in operations.enumerated() {
            operation.setDownloadProgressBlock { _, received, expected in
                bars.update(index, received: received, expected: expected)
            }
        }
    } else {
        batch.setProgressBlock { finished, total in print("\(finished) of \(total) files") }
    }
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
