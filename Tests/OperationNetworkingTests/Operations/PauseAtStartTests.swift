// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// An observer pauses an operation that has just begun to execute, and has sent nothing: its stream is still unread.
@Suite(.timeLimit(.minutes(1))) struct PauseAtStartTests {
    /// Pauses the operation the first time that it executes.
    private func pauseAtStart(_ operation: HTTPRequestOperation) -> OperationStateObservation {
        let starts = Tally()
        return operation.observeState { [weak operation] _, new in
            if new == .executing, starts.increment() == 1 { operation?.pause() }
        }
    }

    @Test("A multipart content is sent whole after the resume")
    func multipart() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("done") }
        let content = Data.random(300_000)
        let request = try HTTPRequestSerializer().multipartFormRequest(
            withMethod: "PUT", urlString: server.url().absoluteString, parameters: ["a": "b"]
        ) { form in
            form.appendPart(withFileData: content, name: "file", fileName: "file.bin", mimeType: "application/x-test")
        }
        let operation = HTTPRequestOperation(request: request)
        operation.completionQueue = DispatchQueue(label: "test")
        let token = pauseAtStart(operation)
        operation.start()
        #expect(operation.isPaused && server.requests.isEmpty)
        token.invalidate()
        operation.resume()
        await operation.completed()
        #expect(operation.responseString == "done", "\(String(describing: operation.error))")
        #expect(server.requests.count == 1 && server.requests.first?.isComplete == true)
        #expect(server.requests.first?.body.range(of: content) != nil)
    }

    @Test("A stream of the program's own is not closed before it is sent, and once it is")
    func ownStream() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("done") }
        let closings = Tally()
        let operation = HTTPRequestOperation.make(server.url(), method: "PUT")
        operation.inputStream = ClosingCounter("content", closings)
        let token = pauseAtStart(operation)
        operation.start()
        #expect(operation.isPaused && closings.value == 0)
        token.invalidate()
        operation.resume()
        await operation.completed()
        #expect(operation.responseString == "done", "\(String(describing: operation.error))")
        #expect(server.requests.map(\.text) == ["content"])
        try await eventually("closed") { closings.value > 0 }
    }

    @Test(
        "A stream that is never sent is closed when its paused operation is dropped, or cancelled, and not before",
        arguments: [false, true])
    func neverSent(isCancelled: Bool) async throws {
        let server = try TestServer()
        let closings = Tally()
        do {
            let operation = HTTPRequestOperation.make(server.url(), method: "PUT")
            operation.inputStream = ClosingCounter("content", closings)
            let token = pauseAtStart(operation)
            operation.start()
            #expect(operation.isPaused && closings.value == 0)
            token.invalidate()
            if isCancelled {
                operation.cancel()
                await operation.completed()
                #expect(operation.isCancelledError)
            }
        }
        try await eventually("closed") { closings.value > 0 }
        #expect(server.requests.isEmpty)
    }
}

/// A stream that gives a text, unless it was closed, and counts how often that was done.
private final class ClosingCounter: InputStream {
    private struct State {
        var status = Stream.Status.notOpen
        var rest: Data
    }

    private let state: Locked<State>
    private let closings: Tally

    init(_ text: String, _ closings: Tally) {
        state = Locked(State(rest: Data(text.utf8)))
        self.closings = closings
        super.init(data: Data())
    }

    override func open() {
        state.withLock { if $0.status == .notOpen { $0.status = .open } }
    }

    override func close() {
        closings.increment()
        state.withLock { $0.status = .closed }
    }

    override var streamStatus: Stream.Status { state.withLock { $0.status } }
    override var streamError: (any Error)? { nil }
    override var hasBytesAvailable: Bool { state.withLock { $0.status == .open && !$0.rest.isEmpty } }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
        let taken = state.withLock { state -> Data? in
            guard state.status == .open else { return nil }
            let taken = Data(state.rest.prefix(length))
            state.rest = Data(state.rest.dropFirst(taken.count))
            return taken
        }
        guard let taken else { return -1 }
        taken.copyBytes(to: buffer, count: taken.count)
        return taken.count
    }
}
