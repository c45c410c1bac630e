// SPDX-License-Identifier: MIT
import Foundation
import OperationNetworking

/// One call that a cell makes: what it asks for, and what happens to it.
final class Call: Sendable {
    let url: URL
    let size: Int
    let seed: Int
    let fate: Fate
    let fault: Fault
    /// For what else a face has to choose.
    let choice: Int
    let ledger: Ledger
    let answer: Answer
    /// What is sent, by faces that send something.
    var upload: Data { Content.bytes(size, seed) }

    init(
        _ url: URL, size: Int, seed: Int, fate: Fate, fault: Fault, choice: Int, cell: String,
        ledger: Ledger
    ) {
        self.url = url
        self.size = size
        self.seed = seed
        self.fate = fate
        self.fault = fault
        self.choice = choice
        self.ledger = ledger
        answer = Answer("\(url.absoluteString) \(fate) \(fault)", ledger)
    }

    /// The request; one that fails in time only where nothing moves for long.
    var request: URLRequest {
        var request = URLRequest(url: url)
        request.timeoutInterval = 300
        return request
    }

    /// Whether somebody cancels it: it may succeed all the same.
    var mayBeCancelled: Bool {
        switch fate {
        case .cancelledBefore, .cancelled, .cancelledInside, .cancelledPaused: true
        case .calm, .dropped, .paused: false
        }
    }

    /// Whether what the server does to it has to be an error.
    var mustFail: Bool {
        switch fault {
        case .short, .reset, .early: true
        case .none, .slow, .chunked, .moved: false
        }
    }

    /// How an object that was made for the call can be moved.
    struct Controls<Object: Sendable>: Sendable {
        var start: @Sendable (Object) -> Void
        var cancel: @Sendable (Object) -> Void
        var pause: @Sendable (Object) -> Void
        var resume: @Sendable (Object) -> Void
    }

    /// Starts an object, does to it what the fate says, and waits for the answer.
    func drive<Object: AnyObject & Sendable>(
        _ object: consuming Object, _ controls: Controls<Object>
    ) async -> Reply {
        ledger.watch(object, answer.name)
        switch fate {
        case .calm, .cancelledInside:
            controls.start(object)
            let reply = await answer.value
            withExtendedLifetime(object) {}
            return reply
        case .dropped:
            controls.start(object)
        case .cancelledBefore:
            controls.cancel(object)
            controls.start(object)
        case .cancelled(let delay):
            controls.start(object)
            await Self.sleep(delay)
            controls.cancel(object)
        case .cancelledPaused(let delay):
            controls.start(object)
            await Self.sleep(delay)
            controls.pause(object)
            await Self.sleep(delay)
            controls.cancel(object)
        case .paused(let delay, let times):
            controls.start(object)
            for _ in 0..<times {
                await Self.sleep(delay)
                controls.pause(object)
                await Self.sleep(delay)
                controls.resume(object)
            }
        }
        _ = consume object
        return await answer.value
    }

    /// Runs what awaits an answer itself, with the fate: a cancellation is the Swift task's.
    func run(_ body: @escaping @Sendable () async throws -> Reply) async -> Reply {
        let answer = answer
        let task = Task {
            do { answer.give(try await body()) } catch { answer.give(error) }
        }
        switch fate {
        case .cancelledBefore: task.cancel()
        case .cancelled(let delay), .cancelledPaused(let delay):
            await Self.sleep(delay)
            task.cancel()
        case .calm, .cancelledInside, .dropped, .paused: break
        }
        return await answer.value
    }

    static func sleep(_ microseconds: Int) async {
        if microseconds > 0 {
            try? await Task.sleep(for: .microseconds(microseconds))
        } else {
            await Task.yield()
        }
    }
}
