// SPDX-License-Identifier: MIT
internal import FoundationNetworking
internal import OperationNetworkingCore

/// The life of a session's task as a pure value: inputs in, actions out.
///
/// | input      | suspended                           | running                | canceling | completed |
/// |------------|-------------------------------------|------------------------|-----------|-----------|
/// | `resume`   | at the last: `begin`, or `proceed`  | –                      | –         | –         |
/// | `suspend`  | once more                           | `pause`                | –         | –         |
/// | `cancel`   | `stop`                              | `stop`                 | –         | –         |
/// | `complete` | true, and completed                 | true, and completed    | true      | false     |
///
/// As many resumes as suspensions make a task run; the first of each is the one that it is made with.
struct SessionTaskMachine: Equatable {
    private(set) var state = URLSessionTask.State.suspended
    /// Suspensions that no resume has answered.
    private(set) var suspensions = 1
    private(set) var wasCancelled = false
    /// Completed by the cancellation, not before it.
    private(set) var endsCancelled = false
    /// True if the request was begun.
    private(set) var hasBegun = false

    enum Action: Equatable {
        case none
        /// Begin the request.
        case begin
        /// Let the request go on that was paused.
        case proceed
        case pause
        /// End the request, begun or not.
        case stop
    }

    mutating func resume() -> Action {
        guard state != .canceling, suspensions > 0 else { return .none }
        suspensions -= 1
        guard suspensions == 0, state != .completed else { return .none }
        state = .running
        guard hasBegun else {
            hasBegun = true
            return .begin
        }
        return .proceed
    }

    mutating func suspend() -> Action {
        guard state != .canceling else { return .none }
        // Foundation stops the process when there are too many; here the count stands.
        if suspensions < .max { suspensions += 1 }
        guard state == .running else { return .none }
        state = .suspended
        return .pause
    }

    mutating func cancel() -> Action {
        wasCancelled = true
        guard isActive else { return .none }
        state = .canceling
        return .stop
    }

    /// The request begins. If the task did not begin it, the program did: it put the operation into a queue by hand. A
    /// suspension that came after the task's own beginning stands.
    ///
    /// - Returns: whether the task runs by that.
    mutating func noteBeginning() -> Bool {
        guard !hasBegun else { return false }
        hasBegun = true
        guard state == .suspended, suspensions == 1 else { return false }
        suspensions = 0
        state = .running
        return true
    }

    /// The task is over. True once.
    mutating func complete() -> Bool {
        guard state != .completed else { return false }
        endsCancelled = state == .canceling
        state = .completed
        return true
    }

    /// The state that a task shows from its end until the end is reported. A late cancellation or suspension shows in
    /// it.
    var stateBeforeEnd: URLSessionTask.State { wasCancelled ? .canceling : suspensions > 0 ? .suspended : .running }

    /// True while something may still load: the task is neither cancelled nor over.
    var isActive: Bool { state == .running || state == .suspended }

    /// True if the task is one of those that `getAllTasks` shows: begun, and not about to end.
    var isOutstanding: Bool { state == .running || (state == .suspended && hasBegun) }
}
