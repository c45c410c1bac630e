// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
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
    /// Who waits for an operation may go on a moment before its end is noted.
    func expect(_ isOccurring: Bool, _ what: String) {
        let deadline = MonotonicClock.now + 5_000_000_000
        while activity.isNetworkActivityOccurring != isOccurring {
            guard !isOccurring, MonotonicClock.now < deadline else {
                print("\(what): \(isOccurring ? "no activity" : "activity")")
                exit(1)
            }
            sched_yield()
        }
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

/// Prints in what order the main queue is told of a request: "on", "success" and "off".
func runOrder(_ text: String, isTask: Bool) -> Never {
    guard let url = URL(string: text) else { exit(2) }
    let activity = NetworkActivityManager.shared
    activity.activationDelay = 0
    activity.completionDelay = 0
    activity.setNetworkingActivityAction { isVisible in
        print(isVisible ? "on" : "off")
        // What is on its way to the main queue by now comes before the exit.
        if !isVisible { DispatchQueue.main.async { exit(0) } }
    }
    activity.isEnabled = true
    let request = URLRequest(url: url)
    if isTask {
        let manager = HTTPSessionManager(baseURL: nil)
        let task = manager.dataTask(
            with: request, completionHandler: { _, _, error in print(error == nil ? "success" : "failure") })
        task.resume()
    } else {
        let operation = HTTPRequestOperation(request: request)
        operation.setCompletionBlockWithSuccess(
            { _, _ in print("success") }, failure: { _, _ in print("failure") })
        operation.start()
    }
    RunLoop.main.run()
    exit(1)
}
