// SPDX-License-Identifier: MIT
internal import FoundationNetworking
internal import NetworkingSupport
internal import OperationNetworkingCore

/// The blocks of a verb, which receive the task that they belong to.
///
/// The task holds this by its completion handler, and is held here once its transfer is over, until one of the blocks
/// was called: a subclass of the manager may do that late.
final class TaskResult: Sendable {
    private enum State {
        /// The task is not made yet, or its transfer not over.
        case new
        case over(URLSessionDataTask)
        /// A subclass of the manager has answered without a transfer.
        case early(Outcome)
        case delivered
    }

    private struct Outcome: Sendable {
        // Safe because one thread after the other has it.
        nonisolated(unsafe) let object: Any?
        let error: (any Error)?
    }

    private let success: HTTPSessionManager.Success?
    private let failure: HTTPSessionManager.Failure?
    /// The task's completion handler is what calls this, with nothing of a subclass's between, and does not look at the
    /// response: for that none has to be made.
    let needsNoResponse: Bool
    private let state = Locked(State.new)

    init(success: HTTPSessionManager.Success?, failure: HTTPSessionManager.Failure?, needsNoResponse: Bool) {
        self.success = success
        self.failure = failure
        self.needsNoResponse = needsNoResponse
    }

    /// Sets the task, when its transfer is over; or when it is made, if it is not one of this library's.
    func setTask(_ task: URLSessionDataTask) {
        let outcome = state.withLock { state -> Outcome? in
            switch state {
            case .new:
                state = .over(task)
                return nil
            case .early(let outcome):
                state = .delivered
                return outcome
            case .over, .delivered:
                return nil
            }
        }
        if let outcome { call(task, outcome) }
    }

    /// A subclass of the manager may have called the handler before it returned the task.
    func settle(_ task: URLSessionDataTask) {
        if state.withLock({ if case .early = $0 { true } else { false } }) { setTask(task) }
    }

    /// Calls one of the blocks, once.
    func deliver(_ object: Any?, _ error: (any Error)?) {
        let outcome = Outcome(object: object, error: error)
        let task = state.withLock { state -> URLSessionDataTask? in
            switch state {
            case .new:
                state = .early(outcome)
                return nil
            case .over(let task):
                state = .delivered
                return task
            case .early, .delivered:
                return nil
            }
        }
        if let task { call(task, outcome) }
    }

    private func call(_ task: URLSessionDataTask, _ outcome: Outcome) {
        if let error = outcome.error {
            failure?(task, error)
        } else {
            success?(task, outcome.object)
        }
    }
}
