// SPDX-License-Identifier: MIT
internal import OperationNetworking
internal import Synchronization

extension Stage {
    /// A download that is paused under way and resumed.
    func pauseAndResume() async throws {
        console.heading("5. Pause a download, and resume it")
        let size = 100 * 1024
        let file = directory.appendingPathComponent("paused.txt")
        let operation = try api.download("range/\(size)?duration=2&chunk_size=2048", to: file)
        let received = Mutex(Int64(0))
        operation.setDownloadProgressBlock { [weak operation] _, total, _ in
            // Once: a download that has to start again comes by here again.
            let isFirst = received.withLock { received in
                guard received == 0, total >= 30_000 else { return false }
                received = total
                return true
            }
            if isFirst { operation?.pause() }
        }
        let (states, changes) = AsyncStream.makeStream(of: OperationState.self)
        let observation = operation.observeState { _, new in changes.yield(new) }
        defer { observation.invalidate() }
        api.enqueue(operation)
        for await state in states where state == .paused || state == .finished { break }
        try expect(operation.isPaused, "the download should have been paused, not \(operation.state)")
        console.result("GET  /range/\(size)", "paused after \(received.withLock { $0 }) bytes")

        try await Task.sleep(for: .milliseconds(300))
        operation.resume()
        _ = try await operation.value()
        try expect(try isAlphabet(Data(contentsOf: file)), "the resumed file should have the server's content")
        guard let metrics = operation.metrics else { throw DemoFailure("the download should have metrics") }
        if operation.response?.statusCode == 206 {
            console.result("resumed", "the server sent the missing \(metrics.bytesReceived) bytes (206)")
        } else {
            console.result("resumed", "from the start: the server gave no strong ETag or date to resume by (200)")
        }
        console.line("  The file is complete and has the server's content.")
    }
}
