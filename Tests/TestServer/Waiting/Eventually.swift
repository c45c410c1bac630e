// SPDX-License-Identifier: MIT
package import Foundation

/// What a wait ended with when the time was up.
package struct TimedOutWaiting: Error, CustomStringConvertible {
    package let description: String
    package init(description: String) { self.description = description }
}

/// Suspends until `condition` is true, asking every few milliseconds. Throws when the time is up.
///
/// For conditions nobody announces. Where there is something to wait for (a `Gate`, `TestServer.nextRequest`), use that.
nonisolated(nonsending) package func eventually(
    _ what: String = "the condition", timeout: TimeInterval = 20,
    _ condition: nonisolated(nonsending) () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(timeout * Patience.factor)
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            throw TimedOutWaiting(description: "\(what) did not come true within \(timeout) s")
        }
        try await Task.sleep(for: .milliseconds(5))
    }
}
