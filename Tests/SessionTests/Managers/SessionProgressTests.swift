// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworking
import TestServer
import Testing

@Suite("Progress of a session manager's tasks", .timeLimit(.minutes(1))) struct SessionProgressTests {
    let server: TestServer
    let manager: HTTPSessionManager

    init() throws {
        server = try TestServer()
        server.respondToOthers { _ in .json("{}") }
        manager = HTTPSessionManager(baseURL: server.url()).offMain()
    }

    @Test("A streamed form has its whole length as total, and gets there")
    func form() async throws {
        let totals = Notes<Int64>()
        let fractions = Notes<Double>()
        let outcome = await manager.outcome {
            manager.post(
                "form",
                constructingBodyWith: {
                    $0.appendPart(
                        withFileData: Data(repeating: 1, count: 400_000), name: "f", fileName: "f", mimeType: "a/b")
                },
                progress: {
                    totals.add($0.totalUnitCount)
                    fractions.add($0.fractionCompleted)
                }, success: $0, failure: $1)
        }
        #expect(outcome.error == nil)
        let length = try #require(server.requests.first?["Content-Length"].flatMap(Int64.init))
        #expect(Set(totals.all) == [length] && fractions.all.last == 1 && fractions.all == fractions.all.sorted())
        let task = try #require(outcome.task)
        #expect(manager.uploadProgress(for: task)?.completedUnitCount == length)
    }

    @Test("Data and files: totals in both directions, also when asked for late")
    func totals() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.file("up")
        try Data(repeating: 2, count: 70_000).write(to: file)
        server.respond(to: "/up", ScriptedResponse(body: .pattern(count: 5000)))
        manager.responseSerializer = HTTPResponseSerializer()
        var request = URLRequest(url: server.url("/up"))
        request.httpMethod = "PUT"
        for isFile in [true, false] {
            let done = Gate()
            let handler: @Sendable (URLResponse, Any?, (any Error)?) -> Void = { _, _, error in
                #expect(error == nil)
                done.open()
            }
            let task =
                isFile
                ? manager.uploadTask(with: request, fromFile: file, completionHandler: handler)
                : manager.uploadTask(with: request, from: Data(repeating: 3, count: 70_000), completionHandler: handler)
            let up = try #require(manager.uploadProgress(for: task))
            // Another queue may be about to set it.
            let total = up.totalUnitCount
            #expect(up.completedUnitCount == 0 && [70_000, -1].contains(total))
            task.resume()
            let down = try #require(manager.downloadProgress(for: task))
            await done.wait()
            try await eventually("the ends") { up.isFinished && down.isFinished }
            #expect(up.totalUnitCount == 70_000 && down.totalUnitCount == 5000)
        }
    }

    @Test("Cancelling the progress cancels the task; pausing and resuming it suspends and resumes the task")
    func control() async throws {
        let gate = Gate()
        server.respond(to: "/slow", ScriptedResponse.json("{}").holding(gate, at: .beforeHead))
        let task = Notes<URLSessionDataTask>()
        let request = URLRequest(url: server.url("/slow"))
        async let outcome = manager.loading(request) { task.add($0) }
        try await eventually("the request") { server.requests.count == 1 }
        let progress = try #require(task.all.first.flatMap { manager.downloadProgress(for: $0) })
        progress.pause()
        try await eventually("the pause") { task.all.first?.state == .suspended }
        progress.resume()
        try await eventually("the resume") { task.all.first?.state == .running }
        progress.cancel()
        #expect(await outcome.code == URLError.cancelled.rawValue)
        gate.open()
    }

    private static func within<Result>(_ parent: Progress, _ make: () -> Result) -> Result {
        parent.becomeCurrent(withPendingUnitCount: 1)
        defer { parent.resignCurrent() }
        return make()
    }

    @Test("Tasks are children of the current progress, which counts them when they end")
    func tree() async throws {
        let parent = Progress(totalUnitCount: 3)
        let directory = try TemporaryDirectory()
        let request = URLRequest(url: server.url("/x"))
        let ended = Notes<Int>()
        let upload = Self.within(parent) {
            manager.uploadTask(with: request, from: Data("abc".utf8)) { _, _, _ in ended.add(1) }
        }
        let download = Self.within(parent) {
            manager.downloadTask(with: request, destination: { _, _ in directory.file("x") }) { _, _, _ in
                ended.add(2)
            }
        }
        let data = Self.within(parent) { manager.dataTask(with: request) { _, _, _ in ended.add(3) } }
        #expect(parent.fractionCompleted == 0)
        upload.resume()
        try await eventually("the upload") { ended.all == [1] }
        #expect(abs(parent.fractionCompleted - 1.0 / 3) < 0.01)
        download.resume()
        try await eventually("the download") { ended.all == [1, 2] }
        data.resume()
        try await eventually("the data") { ended.all == [1, 2, 3] }
        #expect(parent.fractionCompleted == 1)
    }

    @Test("Tasks of a session are children of the current progress, too, which counts them when they end")
    func treeOfSession() async throws {
        let session = OperationURLSession(configuration: .ephemeral)
        let parent = Progress(totalUnitCount: 3)
        var request = URLRequest(url: server.url("/x"))
        request.httpMethod = "PUT"
        let tasks: [URLSessionTask] = [
            Self.within(parent) { session.dataTask(with: server.url("/x")) },
            Self.within(parent) { session.uploadTask(with: request, from: Data("abc".utf8)) },
            Self.within(parent) { session.downloadTask(with: server.url("/x")) },
        ]
        #expect(parent.fractionCompleted == 0)
        for (index, task) in tasks.enumerated() {
            task.resume()
            try await eventually("the end") { parent.completedUnitCount == Int64(index) + 1 }
        }
        #expect(parent.isFinished)
    }

    @Test("Cancelling the current progress of a session's task cancels the task, which ends the progress")
    func cancelledParent() async throws {
        server.respond(to: "/stall", .script([.stall]))
        let session = OperationURLSession(configuration: .ephemeral)
        let parent = Progress(totalUnitCount: 1)
        let task = Self.within(parent) { session.dataTask(with: server.url("/stall")) }
        task.resume()
        _ = try await server.nextRequest()
        parent.cancel()
        try await eventually("the end") { task.state == .completed && parent.isFinished }
        #expect((task.error as? URLError)?.code == .cancelled)
    }

    @Test("A fast transfer behind a busy queue is told once")
    func merged() async throws {
        server.respond(to: "/large", ScriptedResponse(body: .pattern(count: 2_000_000)))
        manager.responseSerializer = HTTPResponseSerializer()
        manager.operationQueue.isSuspended = true
        let calls = Notes<Int64>()
        let done = Gate()
        let task = manager.dataTask(
            with: URLRequest(url: server.url("/large")), uploadProgress: nil,
            downloadProgress: { calls.add($0.completedUnitCount) }
        ) { _, _, _ in done.open() }
        task.resume()
        try await eventually("the end of the transfer") { manager.operation(for: task)?.isFinished == true }
        #expect(calls.all.isEmpty)
        manager.operationQueue.isSuspended = false
        await done.wait()
        #expect(calls.all == [2_000_000])
    }
}
