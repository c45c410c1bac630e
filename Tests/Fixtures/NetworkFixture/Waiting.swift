// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworking

/// Asks a server of its own on the loopback, waiting for the network: prints 0 for each failure, and 2 at the end.
func runWaiting() -> Never {
    guard let listener = Listener() else { exit(2) }
    listener.answer()
    let manager = HTTPRequestOperationManager(baseURL: URL(string: "http://127.0.0.1:\(listener.port)/"))
    // Only a change of the network can bring an attempt in time.
    manager.retryPolicy = RetryPolicy(maximumAttempts: 1, backoff: .constant(3600), waitsForConnectivity: true)
    manager.interceptors = [FailureReporter()]
    ask(manager)
}

private func hasInterface(_ name: String) -> Bool {
    (try? String(contentsOfFile: "/proc/self/net/dev", encoding: .utf8))?.contains("\(name):") == true
}

private struct FailureReporter: RequestInterceptor {
    func retry(_ operation: HTTPRequestOperation, dueTo error: any Error) async -> RetryDecision {
        report(0)
        // The test makes an interface now: what changes between an attempt and the wait after it counts, too.
        while !hasInterface("near") { try? await Task.sleep(for: .milliseconds(5)) }
        return .doNotRetry
    }
}
