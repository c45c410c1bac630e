// SPDX-License-Identifier: MIT
import Foundation
import OperationNetworking

/// Exits with 0 when activity is occurring exactly while an operation executes.
func runActivity(_ text: String) -> Never {
    guard let url = URL(string: text) else { exit(2) }
    let activity = NetworkActivityManager.shared
    let queue = DispatchQueue(label: "fixture")
    func make(_ url: URL) -> HTTPRequestOperation {
        let operation = HTTPRequestOperation(request: URLRequest(url: url))
        operation.completionQueue = queue
        return operation
    }
    func expect(_ isOccurring: Bool, _ what: String) {
        guard activity.isNetworkActivityOccurring != isOccurring else { return }
        print("\(what): \(isOccurring ? "no activity" : "activity")")
        exit(1)
    }
    expect(false, "nothing")
    let unstarted = make(url)
    unstarted.cancel()
    unstarted.start()
    unstarted.waitUntilFinished()
    expect(false, "cancelled before the start")
    let failing = make(URL(fileURLWithPath: "/unsupported"))
    failing.start()
    failing.waitUntilFinished()
    expect(false, "failed at once")
    let first = make(url)
    let second = make(url)
    first.start()
    expect(true, "executing")
    first.pause()
    expect(false, "paused")
    first.resume()
    expect(true, "resumed")
    second.start()
    second.pause()
    second.cancel()
    second.waitUntilFinished()
    expect(true, "one of two cancelled while paused")
    first.cancel()
    first.waitUntilFinished()
    expect(false, "cancelled")
    exit(0)
}
