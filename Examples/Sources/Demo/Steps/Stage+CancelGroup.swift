// SPDX-License-Identifier: MIT
internal import OperationNetworking
internal import Synchronization

extension Stage {
    /// A group that is cancelled when half of its members have finished.
    func cancelGroup() async throws {
        console.heading("4. Cancel a group half way")
        let paths = (1...4).map { "bytes/1024?seed=\($0)" } + (1...4).map { "delay/3?member=\($0)" }
        let operations = try paths.map { path in
            let operation = try api.download(path)
            operation.name = "GET  /\(path)"
            return operation
        }
        let batch = OperationBatch(operations, name: "group")
        let completions = Mutex(0)
        let counts = Mutex<[Int]>([])
        batch.setProgressBlock { [weak batch] finished, total in
            counts.withLock { $0.append(finished) }
            if finished == total / 2 { batch?.cancel() }
        }
        batch.setCompletionBlock { _ in completions.withLock { $0 += 1 } }
        api.enqueue(batch)

        var finished = 0
        for operation in await batch.value() {
            switch operation.error {
            case nil:
                finished += 1
                console.result(operation.name ?? "", "finished, \(operation.responseData?.count ?? 0) bytes")
            case let error as URLError where error.code == .cancelled:
                console.result(operation.name ?? "", "cancelled (\(error.code.rawValue))")
            case let error?:
                throw error
            }
        }
        try expect(finished >= 4 && finished < 8, "half of the group should have finished, not \(finished) of 8")
        try expect(counts.withLock { $0 } == Array(1...8), "progress should have counted from 1 to 8")
        try expect(completions.withLock { $0 } == 1, "the group should have completed exactly once")
        console.line("  The group's completion ran once, after its last member.")
    }
}
