// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworkingCore

/// The properties that the three faces of tasks have in common.
protocol SessionTaskFace: URLSessionTask, CustomReflectable {
    var task: SessionTask { get }
    var operation: SessionOperation? { get }
}

extension URLSessionTask {
    /// This task, if it is one of this library's. To look for the most frequent class first saves the search for a
    /// conformance.
    var ownFace: (any SessionTaskFace)? {
        if let own = self as? OperationDataTask { return own }
        return self as? any SessionTaskFace
    }
}

// The values that Foundation's properties show.

extension SessionTask {
    var currentRequest: URLRequest? { withState { $0.requests.current } ?? originalRequest }
    var error: (any Error)? { withState { $0.error } }
    /// The state that the task shows. It is completed once the client reports the end.
    var publicState: URLSessionTask.State {
        withState { state in
            guard state.machine.state == .completed, !state.isTold else { return state.machine.state }
            return state.machine.stateBeforeEnd
        }
    }
    var counts: SessionTaskCounts { withState { $0.traffic.counts } }

    /// The byte counts that the program expects. They change nothing: a progress shows what is known.
    var clientExpectation: SessionTaskExpectation {
        get { withState { $0.traffic.expectation } }
        set { withState { $0.traffic.expectation = newValue } }
    }

    var description: String? {
        get { withState { $0.description } }
        set { withState { $0.description = newValue } }
    }

    /// The task's own, as Apple documents it: nil where only the session has one, which Foundation on Linux shows here.
    var delegate: (any URLSessionTaskDelegate)? {
        get { ownDelegate }
        set {
            let old = withState { state in
                defer { state.delegate = newValue }
                return state.delegate
            }
            withExtendedLifetime(old) {}
        }
    }

    var priority: Float {
        get { withState { $0.priority } }
        set {
            withState { $0.priority = newValue }
            operation?.queuePriority = Operation.QueuePriority(taskPriority: newValue)
        }
    }

    /// - Parameter operation: the face's, which it keeps.
    func response(_ operation: SessionOperation?) -> URLResponse? {
        withState { $0.response } ?? operation?.response
    }

    /// The progress of the bytes sent and received, made when it is asked for. Its total is −1 while that is unknown.
    /// Cancelling, pausing and resuming it does so with the task.
    var progress: Progress { withState({ $0.progress }) ?? makeProgress() }

    /// Makes the progress, unless it is there.
    ///
    /// - Parameter link: follows the progress, and controls it: see `TaskProgress.makeLink()`.
    @discardableResult
    func makeProgress(link: ProgressLink? = nil) -> Progress {
        let new = LinkedProgress.make(
            link: link, cancel: { [weak self] in self?.cancel() }, pause: { [weak self] in self?.suspend() },
            resume: { [weak self] in self?.resume() })
        let progress = withState { state in
            if let known = state.progress { return known }
            state.progress = new
            return new
        }
        updateProgress()
        return progress
    }

    /// The user released the task. One that was never begun goes, and its session need not wait for it.
    func faceDidGo() {
        let (session, operation) = withState { state -> (OperationURLSession?, SessionOperation?) in
            guard state.beginning == nil, !state.machine.hasBegun else { return (nil, nil) }
            // A holder of the operation may still start it.
            return (state.session, state.operation.take())
        }
        session?.taskDidGo(self)
        withExtendedLifetime(operation) {}
    }
}

extension Operation.QueuePriority {
    /// A task's priority, from 0 to 1, where 0.25, 0.5 and 0.75 have names.
    init(taskPriority: Float) {
        switch taskPriority {
        case ..<0.125: self = .veryLow
        case ..<0.375: self = .low
        case ..<0.625: self = .normal
        case ..<0.875: self = .high
        // What is no number has no priority.
        default: self = taskPriority.isNaN ? .normal : .veryHigh
        }
    }
}
