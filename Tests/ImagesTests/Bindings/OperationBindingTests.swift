// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

@testable import OperationNetworkingImages

@MainActor
private final class Indicator: ActivityDisplaying, RefreshDisplaying, ProgressDisplaying, ErrorDisplaying {
    var shown: [String] = []
    var progress: [Double] = []
    func startAnimating() { shown.append("start") }
    func stopAnimating() { shown.append("stop") }
    func beginRefreshing() { shown.append("begin") }
    func endRefreshing() { shown.append("end") }
    func setProgress(_ progress: Double, animated: Bool) { self.progress.append(progress) }
    func displayError(title: String, message: String) { shown.append("\(title): \(message)") }
}

@MainActor
@Suite("Operations in views", .timeLimit(.minutes(1)))
struct OperationBindingTests {
    private let indicator = Indicator()

    /// Waits until what the main queue has by now has run.
    private func settle() async {
        await withCheckedContinuation { continuation in DispatchQueue.images.async { continuation.resume() } }
    }

    @Test("An indicator is animated while an operation is executing, not before, after, and in a pause")
    func activity() async throws {
        let server = try TestServer()
        let gate = Gate()
        server.respond(to: "/", .stalled(until: gate))
        let operation = HTTPRequestOperation(request: URLRequest(url: server.url("/")))
        let (activity, refresh) = (ActivityBinding(indicator), RefreshBinding(indicator))
        activity.setAnimatingWithState(of: operation)
        #expect(indicator.shown == ["stop"])
        operation.start()
        try await eventually { indicator.shown == ["stop", "start"] }
        operation.pause()
        try await eventually { indicator.shown == ["stop", "start", "stop"] }
        operation.resume()
        operation.start()
        try await eventually { indicator.shown.last == "start" }
        indicator.shown = []
        refresh.setRefreshingWithState(of: operation)
        #expect(indicator.shown == ["begin"])
        gate.open()
        try await eventually { Set(indicator.shown) == ["begin", "stop", "end"] }
        activity.setAnimatingWithState(of: operation)
        refresh.setRefreshingWithState(of: nil)
        await settle()
        #expect(indicator.shown.count == 3, "of a finished operation, and of none, nothing is shown")
    }

    @Test("An operation that is no longer followed is not shown")
    func replaced() async throws {
        let server = try TestServer()
        let gate = Gate()
        server.respond(to: "/", .stalled(until: gate))
        let operations = (0..<2).map { _ in HTTPRequestOperation(request: URLRequest(url: server.url("/"))) }
        let activity = ActivityBinding(indicator)
        activity.setAnimatingWithState(of: operations[0])
        activity.setAnimatingWithState(of: operations[1])
        operations[0].start()
        gate.open()
        try await eventually { operations[0].isFinished }
        await settle()
        #expect(indicator.shown == ["stop", "stop"])
        activity.setAnimatingWithState(of: nil)
        operations[1].start()
        try await eventually { operations[1].isFinished }
        await settle()
        #expect(indicator.shown == ["stop", "stop"])
    }

    @Test("Progress goes from 0 to 1, and the operation's own blocks are called as before")
    func progress() async throws {
        let server = try TestServer()
        server.respond(to: "/", .ok(String(repeating: "x", count: 200_000)))
        var request = URLRequest(url: server.url("/"))
        request.httpMethod = "POST"
        request.httpBody = Data(count: 100_000)
        for isUpload in [true, false] {
            let operation = HTTPRequestOperation(request: request)
            let own = Gate()
            operation.setUploadProgressBlock { _, _, _ in own.open() }
            operation.setDownloadProgressBlock { _, _, _ in own.open() }
            let (binding, stale) = (ProgressBinding(indicator), ProgressBinding(Indicator()))
            if isUpload {
                stale.setProgressWithUploadProgress(of: operation, animated: false)
                binding.setProgressWithUploadProgress(of: operation, animated: true)
            } else {
                binding.setProgressWithDownloadProgress(of: operation, animated: true)
            }
            indicator.progress = []
            operation.start()
            try await eventually { indicator.progress.last == 1 && own.isOpen }
            #expect(indicator.progress == indicator.progress.sorted())
            #expect(indicator.progress.allSatisfy { value in (0...1).contains(value) })
        }
    }

    @Test("Errors are shown with what and why, a cancel is not")
    func errors() async throws {
        let server = try TestServer()
        server.respond(to: "/missing", .status(404))
        server.respond(to: "/", .ok())
        let binding = ErrorBinding(indicator)
        let paths = ["/missing", "/", "/missing"]
        let operations = paths.map { HTTPRequestOperation(request: URLRequest(url: server.url($0))) }
        operations.forEach(binding.showError)
        operations[2].cancel()
        operations.forEach { $0.start() }
        // An operation has finished before those who observe it are told, and the main queue after them.
        try await eventually { operations.allSatisfy(\.isFinished) && !indicator.shown.isEmpty }
        await settle()
        #expect(indicator.shown == ["Error: Request failed: not found (404)"])
        binding.showError(of: operations[0])
        #expect(indicator.shown.count == 2, "one that has ended already")
    }

    @Test("The words for an error are AFNetworking's")
    func words() {
        let both = NSError(
            domain: "D", code: 7,
            userInfo: [NSLocalizedDescriptionKey: "What", NSLocalizedFailureReasonErrorKey: "Why"])
        #expect(ErrorBinding.text(of: both) == ("What", "Why"))
        let suggested = NSError(
            domain: "D", code: 7,
            userInfo: [
                NSLocalizedDescriptionKey: "What", NSLocalizedFailureReasonErrorKey: "Why",
                NSLocalizedRecoverySuggestionErrorKey: "Do",
            ])
        #expect(ErrorBinding.text(of: suggested) == ("What", "Do"))
        let one = NSError(domain: "D", code: 7, userInfo: [NSLocalizedDescriptionKey: "What"])
        #expect(ErrorBinding.text(of: one) == ("Error", "What"))
        #expect(ErrorBinding.text(of: NSError(domain: "D", code: 7)) == ("Error", "D Error: 7"))
    }
}
