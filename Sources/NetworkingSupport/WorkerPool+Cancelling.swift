// SPDX-License-Identifier: MIT

extension WorkerPool {
    /// Threads for what handlers of cancelled Swift tasks ask for. More than one, because `cancel()` of a user's operation
    /// may wait.
    package static let cancelling = WorkerPool(name: "ON.cancelling", limit: 16, patience: 10)
}
