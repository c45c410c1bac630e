// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite(.timeLimit(.minutes(1))) struct PauseTests {
    @Test("Pausing drops the connection, reports nothing, and keeps what was received")
    func drops() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ranged(Data("0123456789".utf8), etag: "\"a\"").ending(.stall, afterBodyBytes: 5)
        }
        let operation = HTTPRequestOperation.make(server.url())
        let endings = Endings(operation)
        operation.start()
        try await eventually { operation.response != nil }
        operation.pause()
        operation.pause()
        #expect(operation.isPaused && !operation.isExecuting && !operation.isReady && operation.state == .paused)
        try await eventually { server.openConnectionCount == 0 }
        #expect(operation.error == nil && endings.completions.value == 0)
        operation.start()
        #expect(operation.isPaused)
        operation.cancel()
        await operation.completed()
        await endings.reached()
        #expect(endings.transitions.values == [.executing, .paused, .ready, .finished])
    }

    @Test("Paused right after the start and resumed at once, many times: one result")
    func atOnce() async throws {
        let server = try TestServer()
        let content = Data.random(100_000)
        server.respondToOthers { _ in .ranged(content, etag: "\"a\"") }
        for cycles in 1...15 {
            let operation = HTTPRequestOperation.make(server.url())
            let endings = Endings(operation)
            operation.start()
            for _ in 0..<cycles {
                operation.pause()
                operation.resume()
            }
            await operation.completed()
            #expect(operation.responseData == content)
            await endings.reached()
            #expect(endings.finishes.value == 1 && endings.completions.value == 1)
        }
    }

    @Test("Pauses at random moments leave the content whole", arguments: PauseRun.Place.allCases)
    func random(place: PauseRun.Place) async throws {
        let server = try TestServer()
        let directory = try TemporaryDirectory()
        let content = Data.random(1_500_000)
        server.respondToOthers { _ in .ranged(content, etag: "\"a\"").with { $0.pieceSize = 30_000 } }
        var random = SeededRandom(seed: 11)
        for round in 0..<6 {
            let operation = HTTPRequestOperation.make(server.url())
            let target = directory.file("\(round)")
            switch place {
            case .memory: break
            case .stream: operation.outputStream = OutputStream(url: target, append: false)
            case .file: operation.downloadDestination = DownloadDestination(fileURL: target)
            }
            operation.start()
            for _ in 0..<5 {
                try await Task.sleep(for: .microseconds(Int.random(in: 0..<4000, using: &random)))
                operation.pause()
                operation.resume()
            }
            await operation.completed()
            #expect(operation.error == nil, "\(String(describing: operation.error))")
            let received = place == .memory ? operation.responseData : FileManager.default.contents(atPath: target.path)
            #expect(received == content)
        }
    }

    @Test("Paused before it is started: not started by a queue, and sent without Range", arguments: [false, true])
    func beforeStart(isOurs: Bool) async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("x") }
        let queue = isOurs ? RequestOperationQueue() : OperationQueue()
        let operation = HTTPRequestOperation.make(server.url())
        operation.pause()
        let other = HTTPRequestOperation.make(server.url("/other"))
        queue.enqueue([operation, other])
        await other.completed()
        #expect(operation.isPaused && server.requests.count == 1)
        operation.resume()
        await operation.completed()
        #expect(operation.responseString == "x")
        #expect(server.requests.last?["Range"] == nil)
    }

    @Test("In our queue a paused operation gives its slot back, and takes one again")
    func slot() async throws {
        let server = try TestServer()
        let index = Tally()
        server.respond(to: "/first") { _ in
            let response = ScriptedResponse.ranged(Data("0123456789".utf8), etag: "\"a\"")
            return index.increment() == 1 ? response.ending(.stall, afterBodyBytes: 5) : response
        }
        let gate = Gate()
        server.respond(to: "/third", .ok("3").holding(gate, at: .beforeHead))
        server.respond(to: "/second", .ok("2"))
        let queue = RequestOperationQueue()
        queue.maxConcurrentOperationCount = 1
        let operations = ["/first", "/second", "/third"].map { HTTPRequestOperation.make(server.url($0)) }
        queue.enqueue(operations)
        try await eventually { operations[0].response != nil }
        #expect(!operations[1].isExecuting)
        operations[0].pause()
        await operations[1].completed()
        try await eventually { operations[2].isExecuting }
        operations[0].resume()
        #expect(operations[0].isReady && !operations[0].isExecuting)
        gate.open()
        await operations[0].completed()
        #expect(operations.map(\.responseString) == ["0123456789", "2", "3"])
    }

    @Test("In a queue of Foundation's a paused operation is resumed in its place")
    func plainQueue() async throws {
        let server = try TestServer()
        let index = Tally()
        server.respondToOthers { _ in
            let response = ScriptedResponse.ranged(Data("0123456789".utf8), etag: "\"a\"")
            return index.increment() == 1 ? response.ending(.stall, afterBodyBytes: 5) : response
        }
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        let operations = (0..<2).map { _ in HTTPRequestOperation.make(server.url()) }
        let endings = operations.map(Endings.init)
        queue.enqueue(operations)
        try await eventually { operations[0].response != nil }
        operations[0].pause()
        operations[0].resume()
        for ending in endings { await ending.reached() }
        #expect(operations.map(\.responseString) == ["0123456789", "0123456789"])
        #expect(endings.map(\.finishes.value) == [1, 1] && endings.map(\.completions.value) == [1, 1])
        try await eventually { queue.operationCount == 0 }
    }

    @Test("A POST is not continued with a range: its content is sent again")
    func uploadData() async throws {
        let server = try TestServer()
        let index = Tally()
        server.respondToOthers { request in
            index.increment() == 1 ? .ok("0123456789").ending(.stall, afterBodyBytes: 5) : .ok("\(request.bodyLength)")
        }
        var request = URLRequest(url: server.url())
        request.httpMethod = "POST"
        request.httpBody = Data.random(200_000)
        let operation = HTTPRequestOperation(request: request)
        operation.resendsNonIdempotentRequests = true
        operation.completionQueue = DispatchQueue(label: "test")
        operation.start()
        try await eventually { operation.response != nil }
        operation.pause()
        operation.resume()
        await operation.completed()
        #expect(operation.responseString == "200000")
        #expect(server.requests.map(\.body) == [request.httpBody, request.httpBody])
        #expect(server.requests.map { $0["Range"] } == [nil, nil])
    }

    @Test("A multipart content is rewound, paused in the middle of it")
    func uploadMultipart() async throws {
        let server = try TestServer()
        let directory = try TemporaryDirectory()
        let file = try directory.write(Data.random(3_000_000), to: "file.bin")
        let index = Tally()
        let gate = Gate()
        server.respondToOthers(at: .afterHead) { _ in
            index.increment() == 1 ? .neverReading(until: gate) : .script([])
        }
        let request = try HTTPRequestSerializer().multipartFormRequest(
            withMethod: "POST", urlString: server.url().absoluteString, parameters: ["a": "b"]
        ) { form in
            try form.appendPart(withFileURL: file, name: "file")
        }
        let operation = HTTPRequestOperation(request: request)
        operation.resendsNonIdempotentRequests = true
        operation.completionQueue = DispatchQueue(label: "test")
        let sent = Recorder<Int64>()
        operation.setUploadProgressBlock { _, total, _ in sent.append(total) }
        operation.start()
        // What is sent is not read yet: the first rule has to have met the first request before it is replaced.
        try await eventually { sent.count > 0 && index.value == 1 }
        operation.pause()
        server.respondToOthers { _ in .ok("done") }
        operation.resume()
        await operation.completed()
        #expect(operation.responseString == "done", "\(String(describing: operation.error))")
        let complete = server.requests.filter(\.isComplete)
        #expect(complete.count == 1 && server.requests.count == 2)
        #expect(complete.first?.body.range(of: try Data(contentsOf: file)) != nil)
        gate.open()
    }

    @Test("A plain stream cannot be sent twice: resuming fails and says so")
    func uploadStream() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("0123456789").ending(.stall, afterBodyBytes: 5) }
        let operation = HTTPRequestOperation.make(server.url(), method: "POST")
        operation.inputStream = InputStream(data: Data("content".utf8))
        operation.resendsNonIdempotentRequests = true
        operation.start()
        try await eventually { operation.response != nil }
        operation.pause()
        operation.resume()
        await operation.completed()
        #expect((operation.error as? URLError)?.code == .requestBodyStreamExhausted)
        #expect(operation.error?.localizedDescription.contains("only once") == true)
        #expect(server.requests.first?.text == "content")
    }

    @Test("No effect once the response is being parsed, and none on a finished operation")
    func tooLate() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("x") }
        let serializer = HeldSerializer()
        let operation = HTTPRequestOperation.make(server.url())
        operation.responseSerializer = serializer
        operation.start()
        await serializer.entered.wait()
        operation.pause()
        #expect(operation.isExecuting)
        serializer.gate.open()
        await operation.completed()
        operation.pause()
        #expect(operation.isFinished && operation.responseObject as? String == "parsed")
        #expect(operation.request.allHTTPHeaderFields?["Range"] == nil)
    }

    @Test("A POST that is paused and dropped ends on its connection, whatever it waits for", arguments: [false, true])
    func droppedWhileHeld(isAnswered: Bool) async throws {
        let server = try TestServer()
        server.respondToOthers { _ in isAnswered ? .ok("0123456789").ending(.stall, afterBodyBytes: 5) : .stalled() }
        let completions = Tally()
        weak var dropped: HTTPRequestOperation?
        do {
            let operation = HTTPRequestOperation.make(server.url(), method: "POST")
            operation.completionBlock = { completions.increment() }
            operation.start()
            _ = try await server.nextRequest()
            if isAnswered { try await eventually { operation.response != nil } }
            operation.pause()
            dropped = operation
        }
        try await eventually("released") { dropped == nil }
        try await eventually("closed") { server.openConnectionCount == 0 }
        #expect(completions.value == 0 && server.requests.count == 1)
    }

    @Test("A GET that is paused and dropped in the middle of its content goes away, and its stream is closed")
    func droppedStream() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("0123456789").ending(.stall, afterBodyBytes: 5) }
        let stream = GatedStream(.opened)
        let completions = Tally()
        weak var dropped: HTTPRequestOperation?
        do {
            let operation = HTTPRequestOperation.make(server.url())
            operation.completionBlock = { completions.increment() }
            operation.outputStream = stream
            operation.start()
            try await eventually { operation.response != nil }
            operation.pause()
            dropped = operation
        }
        try await eventually("released") { dropped == nil }
        try await eventually("the stream is closed") { stream.streamStatus == .closed }
        #expect(completions.value == 0 && server.requests.count == 1)
    }

    @Test("A POST that is paused, resumed and then dropped goes on to its end")
    func droppedAfterResume() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("x") }
        let results = Recorder<String?>()
        let count = 200
        for round in 0..<count {
            let operation = HTTPRequestOperation.make(server.url(), method: "POST")
            operation.setCompletionBlockWithSuccess { operation, _ in
                results.append(operation.responseString)
            } failure: { _, error in
                results.append("\(error)")
            }
            operation.start()
            if round % 2 == 0 { await Task.yield() }
            operation.pause()
            if round % 3 == 0 { await Task.yield() }
            operation.resume()
        }
        try await eventually { results.count == count }
        #expect(results.values.allSatisfy { $0 == "x" } && server.requests.count == count)
    }

    @Test("Pausing posts the finish notification, resuming the start notification")
    func notifications() async throws {
        let server = try TestServer()
        let index = Tally()
        server.respondToOthers { _ in index.increment() == 1 ? .stalled() : .ok("x") }
        let operation = HTTPRequestOperation.make(server.url())
        let log = Recorder<String>()
        let tokens = [Notification.Name.networkingOperationDidStart, .networkingOperationDidFinish].map { name in
            NotificationCenter.default.addObserver(forName: name, object: operation, queue: nil) { _ in
                log.append(name.rawValue)
            }
        }
        operation.start()
        _ = try await server.nextRequest()
        operation.pause()
        try await eventually { log.count == 2 }
        operation.resume()
        await operation.completed()
        try await eventually { log.count == 4 }
        let (start, finish) = ("com.alamofire.networking.operation.start", "com.alamofire.networking.operation.finish")
        #expect(log.values == [start, finish, start, finish])
        for token in tokens { NotificationCenter.default.removeObserver(token) }
    }
}
