// SPDX-License-Identifier: MIT
import Foundation
import TestServer
import Testing

@testable import OperationNetworkingCore

extension BatchTests {
    @Test("A member that finished in an earlier run of the program is counted as finished", arguments: [false, true])
    func restoredMember(isOurs: Bool) async throws {
        let server = try TestServer()
        server.respondToOthers { .ok($0.path) }
        let original = HTTPRequestOperation.make(server.url("/done"))
        await original.run()
        let done = try HTTPRequestOperation(archivedData: original.archivedData())
        done.completionQueue = DispatchQueue(label: "done")
        let fresh = HTTPRequestOperation.make(server.url("/new"))
        let batch = OperationBatch([done, fresh])
        batch.completionQueue = DispatchQueue(label: "batch")
        let (progress, results) = (Recorder<[Int]>(), Recorder<[URLConnectionOperation]>())
        batch.setProgressBlock { progress.append([$0, $1]) }
        batch.setCompletionBlock { results.append($0) }
        batch.enqueue(on: isOurs ? RequestOperationQueue() : OperationQueue())
        try await eventually("the completion") { results.count == 1 }
        #expect(results.values == [[done, fresh]])
        #expect(progress.values == [[1, 2], [2, 2]] && server.requests.count == 2)
    }

    @Test("Members that a queue of Foundation's has already, or that were started and paused, are left where they are")
    func membersElsewhere() async throws {
        let server = try TestServer()
        let index = Tally()
        server.respond(to: "/paused") { _ in index.increment() == 1 ? .stalled() : .ok("x") }
        server.respondToOthers { .ok($0.path) }
        let (earlier, later) = (OperationQueue(), OperationQueue())
        for queue in [earlier, later] { queue.isSuspended = true }
        let inner = OperationBatch([HTTPRequestOperation.make(server.url("/inner"))])
        inner.completionQueue = DispatchQueue(label: "inner")
        inner.enqueue(on: earlier)
        let paused = HTTPRequestOperation.make(server.url("/paused"))
        paused.start()
        _ = try await server.nextRequest()
        paused.pause()
        let outer = OperationBatch([paused, HTTPRequestOperation.make(server.url("/outer"))], batches: [inner])
        outer.completionQueue = DispatchQueue(label: "outer")
        let results = Recorder<Int>()
        outer.setCompletionBlock { results.append($0.count) }
        outer.enqueue(on: later)
        #expect(earlier.operationCount == 1 && later.operationCount == 1)
        paused.resume()
        for queue in [earlier, later] { queue.isSuspended = false }
        try await eventually("the completion") { results.count == 1 }
        #expect(results.values == [3] && outer.operations.allSatisfy { $0.error == nil })
    }
}
