// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import OperationNetworkingCore

/// The data that a session manager keeps about one of its tasks: the values given when the task was made. A task that
/// the manager's session made was given none.
final class ManagedTask: Sendable {
    /// The handler that receives the result.
    enum Handler: Sendable {
        case none
        /// Of a data or upload task.
        case object(@Sendable (URLResponse, Any?, (any Error)?) -> Void)
        /// Of a download task.
        case file(@Sendable (URLResponse, URL?, (any Error)?) -> Void)
    }

    /// The settings of the manager when the task was made.
    struct Settings: Sendable {
        var serializer: any URLResponseSerialization
        /// The same, for the task's operation.
        var operationSerializer: HTTPResponseSerializer
        var completionQueue: DispatchQueue?
        var completionGroup: DispatchGroup?
    }

    struct State {
        var settings: Settings
        var handler: Handler
        var upload: TaskProgress?
        var download: TaskProgress?
        /// The mailbox that calls the task's blocks, one after the other; nil: none had to be called yet.
        var mailbox: DeliveryMailbox?
        /// The blocks of a verb, until they are called.
        var result: TaskResult?
        /// The transfer is over.
        var isOver = false
        /// Content that a block gets piece by piece.
        var content: Data?
        /// The reason that the task failed, where that is not the transfer's error.
        var failure: (any Error)?
        /// The file that a download was moved to.
        var fileURL: URL?
        /// The metrics of the requests.
        var metrics: SessionTaskMetrics?
        /// The outcome that the notification of the end reports.
        var outcome: Outcome?
    }

    let destination: (@Sendable (URL, URLResponse) -> URL)?
    private let state: Locked<State>

    init(
        settings: Settings, handler: Handler, destination: (@Sendable (URL, URLResponse) -> URL)? = nil
    ) {
        self.destination = destination
        state = Locked(State(settings: settings, handler: handler))
    }

    private struct Guarded<Value>: Sendable {
        // Safe because what leaves the lock is a copy, or an object with its own lock.
        nonisolated(unsafe) let value: Value
    }

    /// Reads or changes what the lock guards; nothing is called out of `body`, and no last reference dropped.
    func withState<Result>(_ body: (inout State) -> Result) -> Result {
        state.withLock { Guarded(value: body(&$0)) }.value
    }

    /// Releases the handler of the result, which is then not called. False: the result is being delivered.
    func withdraw() -> Bool {
        let (isWithdrawn, released) = withState { state -> (Bool, Handler) in
            guard !state.isOver else { return (false, .none) }
            defer { state.handler = .none }
            return (true, state.handler)
        }
        withExtendedLifetime(released) {}
        return isWithdrawn
    }

    var settings: Settings { withState { $0.settings } }

    /// A direction's progress; nil: it was not asked for.
    func progress(_ direction: TaskProgress.Direction) -> TaskProgress? {
        withState { direction == .upload ? $0.upload : $0.download }
    }

    /// A direction's progress, made when it is asked for first.
    func makeProgress(
        _ direction: TaskProgress.Direction, of face: URLSessionTask, link: ProgressLink? = nil,
        block: (@Sendable (Progress) -> Void)? = nil
    ) -> TaskProgress {
        if let known = progress(direction) { return known }
        let new = TaskProgress(of: face, link: link, block: block)
        return withState { state in
            switch direction {
            case .upload:
                if state.upload == nil { state.upload = new }
                return state.upload ?? new
            case .download:
                if state.download == nil { state.download = new }
                return state.download ?? new
            }
        }
    }
}
