// SPDX-License-Identifier: MIT
internal import OperationNetworking
internal import Synchronization

extension Stage {
    /// A batch of downloads to files, with one progress bar over all of them.
    func downloadBatch() async throws {
        console.heading("3. Download a batch of eight files")
        let sizes = (1...8).map { $0 * 11 * 1024 }
        let total = sizes.reduce(0, +)
        let received = Mutex(0)
        let operations = try sizes.map { size in
            let file = directory.appendingPathComponent("file-\(size).txt")
            let operation = try api.download("range/\(size)?duration=1&chunk_size=2048", to: file)
            operation.name = file.lastPathComponent
            operation.setDownloadProgressBlock { [console] count, _, _ in
                let sum = received.withLock { received in
                    received += count
                    return received
                }
                console.bar(sum, of: total, "\(sum / 1024) of \(total / 1024) KiB")
            }
            return operation
        }
        let batch = OperationBatch(operations, name: "files")
        batch.setProgressBlock { [console] finished, count in
            if !console.isTerminal { console.line("  \(finished) of \(count) files") }
        }
        let start = ContinuousClock.now
        api.enqueue(batch)
        for operation in await batch.value() {
            if let error = operation.error { throw error }
            guard let file = operation.downloadDestination?.fileURL else { continue }
            let data = try Data(contentsOf: file)
            try expect(isAlphabet(data), "\(file.lastPathComponent) should have the server's content")
        }
        console.endBar()
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        try expect(!names.contains { $0.contains(".part") }, "no partial file should be left")
        let time = (ContinuousClock.now - start).formatted(
            .units(allowed: [.seconds], fractionalPart: .show(length: 1)))
        console.result("GET  /range/…", "\(total) bytes in \(operations.count) files, in \(time), contents verified")
    }

    /// Whether data is the alphabet over and over, which is what `/range` serves.
    func isAlphabet(_ data: Data) -> Bool {
        data.enumerated().allSatisfy { $1 == PacedAlphabet.byte(at: $0) }
    }
}
