// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite(.timeLimit(.minutes(10)), .serialized) struct StressTests {
    private static let threads = 4

    /// One operation, what the threads do to it, and how it ended.
    private final class Subject: Sendable {
        let operation: HTTPRequestOperation
        let endings: Endings

        init(_ url: URL, delivery: DispatchQueue) {
            operation = HTTPRequestOperation.make(url, completionQueue: delivery)
            endings = Endings(operation)
        }

        func act(_ random: inout SeededRandom, mayStart: Bool, cancels: Bool) {
            switch Int.random(in: 0..<(cancels ? 12 : 11), using: &random) {
            case 0..<3: if mayStart { operation.start() } else { operation.resume() }
            case 3..<7: operation.pause()
            case 7..<11: operation.resume()
            default: operation.cancel()
            }
        }

        /// What is wrong with how it ended; nil: nothing.
        func problem() -> String? {
            let states = endings.transitions.values
            guard operation.isFinished, !operation.isExecuting, !operation.isPaused else { return "\(operation.state)" }
            guard endings.finishes.value == 1 else { return "\(endings.finishes.value) finishes: \(states)" }
            guard endings.completions.value == 1 else { return "\(endings.completions.value) completions: \(states)" }
            if operation.isCancelled, !operation.isCancelledError {
                return "cancelled, with \(String(describing: operation.error))"
            }
            return nil
        }
    }

    /// Lets threads loose on the subjects, `steps` times on each, and then sees every operation to its end.
    private static func torture(
        _ subjects: [Subject], seed: UInt64, steps: Int, mayStart: Bool = true, cancels: Bool = true
    ) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                DispatchQueue.concurrentPerform(iterations: threads) { thread in
                    var random = SeededRandom(seed: seed &* 31 &+ UInt64(thread))
                    for _ in 0..<steps {
                        for subject in subjects { subject.act(&random, mayStart: mayStart, cancels: cancels) }
                    }
                }
                continuation.resume()
            }
        }
        for subject in subjects {
            subject.operation.resume()
            if mayStart { subject.operation.start() }
        }
        for subject in subjects { await subject.endings.reached() }
    }

    @Test("Start, pause, resume and cancel from four threads, by hand: one finish and one completion each")
    func byHand() async {
        let rounds = Stress.rounds(20_000)
        let delivery = DispatchQueue(label: "stress")
        var problems: [String] = []
        for batch in 0..<(rounds + 99) / 100 {
            let subjects = (0..<100).map { _ in Subject(unsupportedURL, delivery: delivery) }
            await Self.torture(subjects, seed: UInt64(batch), steps: 3)
            problems += subjects.compactMap { $0.problem() }
        }
        #expect(problems.isEmpty, "\(problems.prefix(5))")
    }

    @Test("The same in queues, ours and Foundation's, with dependencies", arguments: [true, false])
    func inQueues(isOurs: Bool) async {
        let rounds = Stress.rounds(isOurs ? 5000 : 2000)
        let delivery = DispatchQueue(label: "stress")
        var problems: [String] = []
        for batch in 0..<(rounds + 99) / 100 {
            let queue = isOurs ? RequestOperationQueue() : OperationQueue()
            queue.maxConcurrentOperationCount = 4
            let subjects = (0..<100).map { _ in Subject(unsupportedURL, delivery: delivery) }
            for index in stride(from: 1, to: 100, by: 3) {
                subjects[index].operation.addDependency(subjects[index - 1].operation as Operation)
            }
            let enqueuing = Task.detached {
                for subject in subjects { queue.addOperation(subject.operation) }
            }
            await enqueuing.value
            await Self.torture(subjects, seed: UInt64(batch), steps: 3, mayStart: false)
            problems += subjects.compactMap { $0.problem() }
        }
        #expect(problems.isEmpty, "\(problems.prefix(5))")
    }

    @Test("The same with real transfers: what succeeds has exactly the served bytes")
    func transfers() async throws {
        let server = try TestServer()
        let content = Data.random(30_000)
        server.respondToOthers { _ in .ranged(content, etag: "\"a\"") }
        let rounds = Stress.rounds(2000)
        let delivery = DispatchQueue(label: "stress")
        var problems: [String] = []
        var successes = 0
        for batch in 0..<(rounds + 39) / 40 {
            let subjects = (0..<40).map { _ in Subject(server.url(), delivery: delivery) }
            // Only every second batch is cancelled, so that there are successes.
            await Self.torture(subjects, seed: UInt64(batch), steps: 4, cancels: batch % 2 == 0)
            for subject in subjects {
                if let problem = subject.problem() { problems.append(problem) }
                guard subject.operation.error == nil else {
                    if !subject.operation.isCancelled {
                        problems.append("\(String(describing: subject.operation.error))")
                    }
                    continue
                }
                successes += 1
                if subject.operation.responseData != content { problems.append("other content") }
            }
        }
        #expect(problems.isEmpty, "\(problems.prefix(5))")
        #expect(successes > rounds / 3)
    }

    @Test("The same with downloads to files: nothing but whole files under the targets' names")
    func downloads() async throws {
        let server = try TestServer()
        let directory = try TemporaryDirectory()
        let content = Data.random(300_000)
        server.respondToOthers { _ in .ranged(content, etag: "\"a\"").with { $0.pieceSize = 50_000 } }
        let rounds = Stress.rounds(400)
        let delivery = DispatchQueue(label: "stress")
        var problems: [String] = []
        for batch in 0..<(rounds + 19) / 20 {
            let subjects = (0..<20).map { _ in Subject(server.url(), delivery: delivery) }
            for (index, subject) in subjects.enumerated() {
                subject.operation.downloadDestination = DownloadDestination(
                    fileURL: directory.file("\(batch)-\(index)"))
            }
            await Self.torture(subjects, seed: UInt64(batch), steps: 4, cancels: batch % 2 == 0)
            for (index, subject) in subjects.enumerated() {
                if let problem = subject.problem() { problems.append(problem) }
                let file = FileManager.default.contents(atPath: directory.file("\(batch)-\(index)").path)
                if let error = subject.operation.error, !subject.operation.isCancelled { problems.append("\(error)") }
                if file != nil || subject.operation.error == nil, file != content { problems.append("other content") }
            }
        }
        #expect(problems.isEmpty, "\(problems.prefix(5))")
    }
}
