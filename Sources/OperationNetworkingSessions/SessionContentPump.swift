// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport
internal import OperationNetworkingCore

/// Takes a task's content out of its stream and hands it to the client, where that wants it; or collects it; or writes
/// it to a file, when the data task became a download.
///
/// One run at a time: the next is arranged by the last, and the end of the task comes after the last.
final class SessionContentPump: Sendable {
    private enum Place {
        case client
        case memory(Data)
        case file(FileHandle?)
    }

    private struct State {
        var place: Place
        var failure: (any Error)?
        /// Nothing more will be read.
        var isOver = false
        /// The call that follows the last content; set when the operation has ended.
        var ending: (@Sendable () -> Void)?
    }

    private let stream: ResponseStream
    private let state: Locked<State>
    /// Pieces that are handed over before others have their turn.
    private static let burst = 16
    /// Bytes that are collected.
    private let memoryLimit: Int

    init(_ stream: ResponseStream, collects: Bool, memoryLimit: Int) {
        self.stream = stream
        self.memoryLimit = memoryLimit
        state = Locked(State(place: collects ? .memory(Data()) : .client))
    }

    /// The reason that the content could not be kept; nil: it was kept.
    var failure: (any Error)? { state.withLock { $0.failure } }

    /// Takes the collected content; nil where none is collected.
    func takeData() -> Data? {
        state.withLock { state in
            guard case .memory(let data) = state.place else { return nil }
            state.place = .memory(Data())
            return data
        }
    }

    /// From now on the content goes to a file.
    func turn(to file: URL) {
        let made = Result { try SessionDownloadFile.make(file) }
        state.withLock { state in
            state.place = .file(try? made.get())
            if case .failure(let error) = made { state.failure = error }
        }
    }

    /// Runs when there is something to read.
    func wait(for task: SessionTask) {
        if !stream.wait({ [weak self, weak task] in
            if let self, let task { schedule(for: task) }
        }) {
            schedule(for: task)
        }
    }

    private func schedule(for task: SessionTask) {
        perform(for: task) { [self] in run(for: task) }
    }

    /// Calls where the client's events belong, or on a thread for files.
    private func perform(for task: SessionTask, _ work: @escaping @Sendable () -> Void) {
        let isFile = state.withLock { if case .file = $0.place { true } else { false } }
        if isFile { Runtime.current.onFileThread(work) } else { task.client.perform(for: task, work) }
    }

    private func run(for task: SessionTask) {
        for _ in 0..<Self.burst {
            guard !task.isCanceling else { return end() }
            switch stream.read() {
            case .content(let data): take(data, for: task)
            case .wait: return wait(for: task)
            case .end: return end()
            }
        }
        schedule(for: task)
    }

    private func end() {
        let ending = state.withLock { state in
            state.isOver = true
            return state.ending.take()
        }
        ending?()
    }

    /// The operation has ended: calls `ending` when everything that is left of its content was handed over, in the same
    /// place. Once.
    func finish(for task: SessionTask, _ ending: @escaping @Sendable () -> Void) {
        if stream.awaitsVerdict {
            // A client that never answers is waited for as long as a server that does not.
            let limit = task.operation?.request.timeoutInterval ?? 0
            Runtime.current.after(0..<3600 ~= limit ? limit : 60) { [weak stream] in stream?.giveUpUndecided() }
        }
        let isOver = state.withLock { state in
            if !state.isOver { state.ending = ending }
            return state.isOver
        }
        if isOver { perform(for: task, ending) }
    }

    /// Nothing of the content has been handed over.
    var isUnread: Bool { stream.canRestart }

    /// Another response comes instead: what was not handed over is dropped. False: some of it was.
    func forgetUnread() -> Bool { stream.forgetUnread() }

    /// The task was cancelled: the client's answer is not waited for any more.
    func stopWaiting() { stream.giveUpUndecided() }

    /// Nothing more goes to the file.
    func closeFile() {
        state.withLock { state -> FileHandle? in
            guard case .file(let handle) = state.place else { return nil }
            state.place = .file(nil)
            return handle
        }.map { try? $0.close() }
    }

    /// Hands a piece over, where the client's events belong, or on a thread for blocks.
    func take(_ data: Data, for task: SessionTask) {
        enum Step { case tell, write(FileHandle), none, fail }
        let step: Step = state.withLock { state in
            switch state.place {
            case .client: return .tell
            case .file(let handle): return handle.map { .write($0) } ?? .none
            case .memory(var collected):
                guard data.count <= memoryLimit - collected.count else { return .fail }
                // So that there is one owner, and nothing is copied.
                state.place = .client
                collected.append(data)
                state.place = .memory(collected)
                return .none
            }
        }
        switch step {
        case .none: break
        case .tell: task.client.task(task, didReceive: data)
        case .write(let handle):
            do { try handle.write(contentsOf: data) } catch { fail(error, task) }
        case .fail:
            fail(
                URLError(
                    .dataLengthExceedsMaximum, url: task.originalRequest?.url,
                    reason: "the content exceeds the limit for content kept in memory; use a download task"), task)
        }
    }

    func fail(_ error: any Error, _ task: SessionTask) {
        state.withLock { state in
            if state.failure == nil { state.failure = error }
        }
        task.operation?.cancel()
    }
}
