// SPDX-License-Identifier: MIT
import Foundation

/// Runs what blocks on a thread of its own: tests and the server share the few threads of the concurrency runtime.
func blocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
    }
}
