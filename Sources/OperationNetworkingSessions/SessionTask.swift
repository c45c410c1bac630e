// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport
internal import OperationNetworkingCore

/// The core of a session's task: its life, the values that Foundation's task types show, and the client that is called.
///
/// The task that the user holds (`OperationDataTask`, `OperationUploadTask`, `OperationDownloadTask`) is a face without
/// state, which holds this object and the operation. This object and the operation hold each other until the client has
/// received everything, or the user releases a task that was not resumed. The session holds the face from the making to
/// the end, and the task holds the session. A task that was not resumed, and that only the session has, does not hold
/// it:
/// see `SessionRegistry`.
final class SessionTask: Sendable {
    enum Kind: Sendable { case data, upload, download }

    /// The kinds of loaders.
    enum Loader: Sendable {
        case operation
        /// A task that cannot be: it fails when it is resumed.
        case failure(URLError)
        /// A loader other than an operation.
        case foreign(any SessionTaskLoader)
    }

    struct State: Sendable {
        var machine = SessionTaskMachine()
        var hold: SessionHold
        var download: SessionDownload
        var traffic = SessionTaskTraffic()
        var requests = SessionTaskRequests()
        /// The question whether the client wants the content of the response.
        var question = ResponseQuestion()
        weak var face: URLSessionTask?
        /// The face that the user held before the data task became a download.
        var formerFace: URLSessionTask?
        var loader: Loader?
        /// Not weak: counting the references to an object with weak references is slower.
        var operation: SessionOperation?
        var interests: ClientInterests = []
        /// Of a loader that is no operation.
        var response: URLResponse?
        /// The settings whose limits hold for such a loader.
        var configuration: URLConnectionOperation.SharedConfiguration?
        var error: (any Error)?
        /// The client is reporting the end, or has reported it.
        var isTold = false
        var progress: Progress?
        /// The client wants to hear when the counts change.
        var reportsAdvance = false
        var priority = URLSessionTask.defaultPriority
        var description: String?
        var delegate: (any URLSessionTaskDelegate)?
        /// Content that the client reads, or a download that was a data task.
        var pump: SessionContentPump?
        /// Content of a loader that is no operation, where it is collected.
        var collected = Data()
        /// The content of an upload, to be opened when the request is about to be sent.
        var uploadFile: URL?
        /// The question for the content of a streamed upload, until it is answered.
        var firstBody: FirstBody?
        var exchanges: [TransferExchange] = []
        var beginning: SessionTaskClock?
        /// A thread gets ready for the operation's first start.
        var isGettingReady = false

        /// The session, until the client has received everything.
        var session: OperationURLSession? { hold.session }

        /// Stops keeping the session, because only the session has the task. Once begun, the task keeps it again.
        ///
        /// - Returns: what is to be released after the unlock.
        mutating func leaveSession() -> OperationURLSession? {
            guard !machine.hasBegun, beginning == nil else { return nil }
            return hold.loosen()
        }

        /// The data task goes on as a download, which has another face.
        mutating func becomeDownload(_ face: OperationDownloadTask) {
            download.begin()
            formerFace = self.face
            self.face = face
        }
    }

    let identifier: Int
    let kind: Kind
    let originalRequest: URLRequest?
    let client: any SessionTaskClient
    /// The client's, about this task.
    let context: (any AnyObject & Sendable)?
    /// Its session had been invalidated before, and does nothing for it.
    let isRefused: Bool
    private let state: Locked<State>

    init(
        identifier: Int, kind: Kind, request: URLRequest?, client: any SessionTaskClient,
        context: (any AnyObject & Sendable)?, session: OperationURLSession, isRefused: Bool
    ) {
        self.identifier = identifier
        self.kind = kind
        originalRequest = request
        self.client = client
        self.context = context
        self.isRefused = isRefused
        state = Locked(State(hold: SessionHold(session), download: SessionDownload(isWanted: kind == .download)))
    }

    /// Reads or changes what the lock guards; nothing is called out of `body`.
    func withState<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        state.withLock { body(&$0) }
    }

    /// Sets the loader, once, before other code has the task.
    func set(_ loader: Loader) {
        withState { $0.loader = loader }
    }

    var operation: SessionOperation? { withState { $0.operation } }

    /// The session; nil once the task is over and the client has received everything.
    var session: OperationURLSession? { withState { $0.session } }

    /// True while the task does not keep its session.
    var leavesSession: Bool { withState { $0.hold.isLoose } }

    /// The face that the user holds, or another one if that was released.
    var face: URLSessionTask {
        if let known = knownFace { return known }
        let face = makeFace(withState { $0.download.isWanted } ? .download : kind)
        return withState { state in
            if let known = state.face { return known }
            state.face = face
            return face
        }
    }

    /// The face that the user holds; nil if it was released.
    var knownFace: URLSessionTask? { withState { $0.face } }

    private func makeFace(_ kind: Kind) -> URLSessionTask {
        switch kind {
        case .data: OperationDataTask(self, operation)
        case .upload: OperationUploadTask(self, operation)
        case .download: OperationDownloadTask(self, operation)
        }
    }

    /// True if the task ends, or has ended, by a cancellation, and so reports only its end.
    var isCanceling: Bool { withState { $0.machine.state == .canceling || $0.machine.endsCancelled } }
}

/// A loader of a task that no operation loads.
protocol SessionTaskLoader: AnyObject, Sendable {
    func begin(_ task: SessionTask)
    func pause()
    func proceed()
    /// The task ends by `SessionTask.end` all the same.
    func stop()
}
