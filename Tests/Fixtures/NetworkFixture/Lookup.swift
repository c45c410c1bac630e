// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import Glibc
import NetworkingSupport
import OperationNetworking

/// Requests of names that the one name server, this program, never answers: prints 2 for each step that went as it should,
/// and 0 for one that did not. Ends while names are still being looked up.
func runLookup() -> Never {
    guard let server = SilentNameServer(), let listener = Listener(), let slow = URL(string: "http://timeout.test/")
    else { exit(2) }
    listener.answer()
    let manager = HTTPRequestOperationManager(baseURL: nil)
    manager.responseSerializer = HTTPResponseSerializer()
    manager.completionQueue = DispatchQueue(label: "fixture")

    func check(_ isTrue: Bool, _ what: String) {
        if !isTrue { print(what) }
        report(isTrue ? 2 : 0)
    }
    func get(_ url: String) -> HTTPRequestOperation {
        guard let operation = manager.get(url) else { exit(2) }
        return operation
    }
    func code(_ operation: HTTPRequestOperation) -> URLError.Code? { (operation.error as? URLError)?.code }

    // Cancelled while its name is looked up.
    let cancelled = get("http://cancelled.test/")
    server.waitForQuestion()
    var begin = MonotonicClock.now
    cancelled.cancel()
    cancelled.waitUntilFinished()
    check(
        code(cancelled) == .cancelled && seconds(since: begin) < limit,
        "cancelled: \(String(describing: cancelled.error))")

    // The thread is free for others.
    begin = MonotonicClock.now
    let other = get("http://127.0.0.1:\(listener.port)/")
    other.waitUntilFinished()
    check(
        other.error == nil && seconds(since: begin) < limit,
        "another after \(seconds(since: begin)) s: \(String(describing: other.error))")

    // The time limit counts the lookup, and its error says so.
    var request = URLRequest(url: slow)
    request.timeoutInterval = 1
    begin = MonotonicClock.now
    let timedOut = manager.httpRequestOperation(with: request, success: nil, failure: nil)
    manager.operationQueue.addOperation(timedOut)
    timedOut.waitUntilFinished()
    check(
        code(timedOut) == .timedOut && seconds(since: begin) < limit
            && "\(String(describing: timedOut.error))".contains("being looked up"),
        "timed out after \(seconds(since: begin)) s: \(String(describing: timedOut.error))")

    // A batch of them, of which some wait for the others.
    let batch = (0..<100).map { get("http://batch-\($0).test/") }
    server.waitForQuestion()
    begin = MonotonicClock.now
    manager.operationQueue.cancelAllOperations()
    manager.operationQueue.waitUntilAllOperationsAreFinished()
    check(
        batch.allSatisfy { code($0) == .cancelled } && seconds(since: begin) < limit,
        "a batch after \(seconds(since: begin)) s")
    exit(0)
}

/// Seconds. The lookups would take thirty; without them each step takes a moment, or one second.
private let limit = 10.0

private func seconds(since begin: UInt64) -> Double { Double(MonotonicClock.now - begin) / 1e9 }

/// Takes what is sent to port 53 of 127.0.0.1, and does not answer.
private struct SilentNameServer {
    private let questions = DispatchSemaphore(value: 0)

    init?() {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(53).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isReady = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isReady else { return nil }
        let questions = questions
        Thread {
            var buffer = [UInt8](repeating: 0, count: 512)
            while recv(descriptor, &buffer, buffer.count, 0) > 0 { questions.signal() }
        }.start()
    }

    /// Waits for a question that has not been waited for.
    func waitForQuestion() {
        guard questions.wait(timeout: .now() + 10) == .success else {
            print("no question")
            exit(1)
        }
    }
}
