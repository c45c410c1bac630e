// SPDX-License-Identifier: MIT
import Dispatch
import Foundation
import TestServer
import Testing

@testable import OperationNetworkingCore

@Suite("Network activity", .timeLimit(.minutes(1)))
struct NetworkActivityManagerTests {
    private let operations = OperationActivity()

    /// A manager that shows at once, and what it showed.
    private func make() -> (NetworkActivityManager, Recorder<Bool>) {
        let manager = NetworkActivityManager(operations: operations)
        manager.activationDelay = 0
        manager.completionDelay = 0
        let shown = Recorder<Bool>()
        manager.setNetworkingActivityAction { isVisible in
            dispatchPrecondition(condition: .onQueue(.main))
            shown.append(isVisible)
        }
        return (manager, shown)
    }

    /// Waits until everything that the main queue has by now has run.
    private func settle() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.sharedMain.async { continuation.resume() }
        }
    }

    @Test("The defaults are AFNetworking 3's")
    func defaults() {
        let manager = NetworkActivityManager()
        #expect(!manager.isEnabled && manager.activationDelay == 1 && manager.completionDelay == 0.17)
        #expect(!manager.isNetworkActivityIndicatorVisible)
        #expect(NetworkActivityManager.shared === NetworkActivityManager.shared)
    }

    @Test("The program's own count does not go below zero, and takes nothing from that of operations")
    func counts() async {
        let (manager, shown) = make()
        manager.isEnabled = true
        manager.decrementActivityCount()
        #expect(!manager.isNetworkActivityOccurring)
        manager.incrementActivityCount()
        #expect(manager.isNetworkActivityOccurring && manager.isNetworkActivityIndicatorVisible)
        operations.note(isExecuting: true)
        manager.decrementActivityCount()
        manager.decrementActivityCount()
        #expect(manager.isNetworkActivityOccurring)
        operations.note(isExecuting: false)
        #expect(!manager.isNetworkActivityOccurring && !manager.isNetworkActivityIndicatorVisible)
        await settle()
        await settle()
        #expect(shown.values == [true, false])
    }

    @Test("An end that is noted before its beginning leaves nothing behind")
    func order() {
        let (manager, _) = make()
        manager.isEnabled = true
        operations.note(isExecuting: false)
        #expect(!manager.isNetworkActivityOccurring)
        operations.note(isExecuting: true)
        #expect(!manager.isNetworkActivityOccurring && operations.executing == 0)
    }

    @Test("What is under way when it is enabled is shown, and what is when it is disabled is not any longer")
    func enabling() async {
        let (manager, shown) = make()
        operations.note(isExecuting: true)
        #expect(manager.isNetworkActivityOccurring && !manager.isNetworkActivityIndicatorVisible)
        manager.isEnabled = true
        #expect(manager.isNetworkActivityIndicatorVisible)
        await settle()
        manager.isEnabled = false
        #expect(!manager.isNetworkActivityIndicatorVisible && manager.isNetworkActivityOccurring)
        await settle()
        operations.note(isExecuting: false)
        operations.note(isExecuting: true)
        await settle()
        #expect(shown.values == [true, false])
    }

    @Test("Threads that begin and end operations while it is switched leave the right count and the right showing")
    func threads() async {
        for _ in 0..<50 {
            let (manager, _) = make()
            DispatchQueue.concurrentPerform(iterations: 4) { [operations] index in
                for round in 0..<100 {
                    if index == 0 { manager.isEnabled = round % 2 == 1 }
                    operations.note(isExecuting: true)
                    if index == 1 { manager.incrementActivityCount() }
                    operations.note(isExecuting: false)
                    if index == 1 { manager.decrementActivityCount() }
                }
            }
            #expect(manager.isEnabled && operations.executing == 0)
            #expect(!manager.isNetworkActivityOccurring && !manager.isNetworkActivityIndicatorVisible)
            operations.note(isExecuting: true)
            #expect(manager.isNetworkActivityIndicatorVisible)
            operations.note(isExecuting: false)
        }
    }

    @Test("Two threads that switch it leave it enabled and told of activity, or disabled")
    func switching() {
        let (manager, _) = make()
        for _ in 0..<5000 {
            DispatchQueue.concurrentPerform(iterations: 2) { manager.isEnabled = $0 == 0 }
            let isEnabled = manager.isEnabled
            operations.note(isExecuting: true)
            guard manager.isNetworkActivityIndicatorVisible == isEnabled else {
                Issue.record("\(isEnabled ? "enabled and deaf" : "disabled, and shows activity")")
                return
            }
            operations.note(isExecuting: false)
        }
    }

    @Test("The completion delay begins after what the main queue had to do when activity ended")
    func busyMainQueue() async throws {
        let (manager, _) = make()
        let hidden = Recorder<ContinuousClock.Instant>()
        manager.setNetworkingActivityAction { isVisible in
            if !isVisible { hidden.append(ContinuousClock.now) }
        }
        manager.completionDelay = 0.05
        manager.isEnabled = true
        operations.note(isExecuting: true)
        let (isBusy, goesOn) = (Gate(), Gate())
        DispatchQueue.sharedMain.async {
            isBusy.open()
            _ = goesOn.wait(timeout: 10)
        }
        await isBusy.wait()
        // As the block of a request is sent before the end of the request is noted.
        let handled = Recorder<ContinuousClock.Instant>()
        DispatchQueue.sharedMain.async { handled.append(ContinuousClock.now) }
        operations.note(isExecuting: false)
        // Longer than the delay.
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.1) { goesOn.open() }
        try await eventually("the end of the showing") { hidden.count == 1 }
        let (success, end) = (try #require(handled.values.first), try #require(hidden.values.first))
        // Timers and this clock need not agree on the last millisecond.
        #expect(end - success >= .milliseconds(45))
    }

    @Test("Without an action nobody needs to run the main queue for activity to be over")
    func withoutAction() async throws {
        let (manager, _) = make()
        manager.setNetworkingActivityAction(nil)
        manager.completionDelay = 0.01
        manager.isEnabled = true
        operations.note(isExecuting: true)
        let (isBusy, goesOn) = (Gate(), Gate())
        DispatchQueue.sharedMain.async {
            isBusy.open()
            _ = goesOn.wait(timeout: 10)
        }
        await isBusy.wait()
        operations.note(isExecuting: false)
        try await eventually("the end of the showing", timeout: 5) { !manager.isNetworkActivityIndicatorVisible }
        goesOn.open()
    }

    @Test("The block of a request comes before the end of activity is shown", arguments: ["operation", "task"])
    func blocksFirst(_ kind: String) throws {
        let server = try TestServer()
        server.respondToOthers { _ in .json("{}") }
        let program = try ExternalProgram(path: FixtureProgram.url("NetworkFixture").path)
        let output = try program.run([kind, server.url("/").absoluteString])
        #expect(String(decoding: output, as: UTF8.self) == "on\nsuccess\noff\n")
    }

    @Test("It is counted what executes: not what is paused, was cancelled before its start, or failed")
    func operationsOfAProcess() throws {
        let server = try TestServer()
        server.respondToOthers { _ in .stalled() }
        let child = Process()
        let output = Pipe()
        child.executableURL = try FixtureProgram.url("NetworkFixture")
        child.arguments = ["activity", server.url("/").absoluteString]
        child.standardOutput = output
        try child.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        child.waitUntilExit()
        #expect(child.terminationReason == .exit && child.terminationStatus == 0, "\(text)")
    }
}
