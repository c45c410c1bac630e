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
        /// Until the client has received everything; nil also while `knownSession` alone has it.
        private var keptSession: OperationURLSession?
        private weak var knownSession: OperationURLSession?
        weak var face: URLSessionTask?
        /// The face that the user held before the data task became a download.
        var formerFace: URLSessionTask?
        var loader: Loader?
        /// Not weak: counting the references to an object with weak references is slower.
        var operation: SessionOperation?
        var interests: ClientInterests = []
        /// The session holds the face.
        var isKept = false
        /// Nil: as `originalRequest`.
        var currentRequest: URLRequest?
        /// Of a loader that is no operation.
        var response: URLResponse?
        var error: (any Error)?
        /// The client is reporting the end, or has reported it.
        var isTold = false
        var counts = SessionTaskCounts()
        var progress: Progress?
        /// The client wants to hear when `counts` change.
        var reportsAdvance = false
        var priority = URLSessionTask.defaultPriority
        var description: String?
        var delegate: (any URLSessionTaskDelegate)?
        /// Content that the client reads, or a download that was a data task.
        var pump: SessionContentPump?
        /// Content of a loader that is no operation, where it is collected.
        var collected = Data()
        /// The file that the content of a download goes to.
        var downloadFile: FileHandle?
        /// The task itself has made the file at its location, for a loader that is no operation.
        var hasMadeFile = false
        var isDownload = false
        /// The end of the download is being worked on: a cancellation comes too late.
        var isFinishing = false
        /// The content of an upload, to be opened when the request is about to be sent.
        var uploadFile: URL?
        /// The location of a download's content.
        var location: URL?
        var exchanges: [TransferExchange] = []
        var beginning: SessionTaskClock?
        /// A thread gets ready for the operation's first start.
        var isGettingReady = false
        /// The handlers that wait for what a cancelled download leaves behind.
        var resumeDataHandlers: [@Sendable (Data?) -> Void] = []
        /// The partial file that a cancelled download leaves is wanted.
        var keepsPartialFile = false
        /// The client has refused what is no part of the file, and has resume data for what is.
        var hasLeftResumeData = false
        /// The client hands the file over with the end.
        var keepsDownload = false
        var clientExpectation = SessionTaskExpectation()
        var received = MergedReport()
        var sent = MergedReport()
        /// The bytes of the file that the resume data of the download vouch for.
        var resumeOffset: Int64?
        /// The download was made from resume data, and has not gone on yet.
        var goesOnFromResumeData = false
        /// The location is that of resume data, which other tasks may have, too.
        var hasSharedLocation = false
        /// The location of the complete file in that case.
        var ownPlace: URL?
        /// Requests that have gone out.
        var requestCount = 0
        /// The client is asked what the request depends on, or has answered, and nothing has gone out since then.
        var isAsked = false
        /// The question whether the client wants the content of the response.
        var question = ResponseQuestion()
        /// The operation was handed out, and may be started without the task.
        var isOperationKnown = false

        /// The session, until the client has received everything.
        var session: OperationURLSession? {
            get { keptSession ?? knownSession }
            set {
                keptSession = newValue
                if newValue == nil { knownSession = nil }
            }
        }

        /// The session is not kept by the task.
        var leavesSession: Bool { keptSession == nil && knownSession != nil }

        /// Stops keeping the session, because only the session has the task. Once begun, the task keeps it again.
        ///
        /// - Returns: what is to be released after the unlock.
        mutating func leaveSession() -> OperationURLSession? {
            guard !machine.hasBegun, beginning == nil, !isOperationKnown else { return nil }
            knownSession = keptSession
            return keptSession.take()
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
        var state = State()
        state.session = session
        state.isDownload = kind == .download
        self.state = Locked(state)
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
    var leavesSession: Bool { withState { $0.leavesSession } }

    /// The face that the user holds, or another one if that was released.
    var face: URLSessionTask {
        if let known = knownFace { return known }
        let face = makeFace(withState { $0.isDownload } ? .download : kind)
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

/// Byte counts that wait to be reported: what comes while the client is busy is reported together.
struct MergedReport: Sendable {
    private var pending: Int64 = 0
    private var isScheduled = false

    /// True: the report is to be scheduled.
    mutating func add(_ count: Int64) -> Bool {
        pending &+= count
        defer { isScheduled = true }
        return !isScheduled
    }

    /// Takes the count that is to be reported.
    mutating func take() -> Int64 {
        isScheduled = false
        defer { pending = 0 }
        return pending
    }
}

/// The values that `countOfBytesClientExpects…` shows.
struct SessionTaskExpectation {
    var toSend = NSURLSessionTransferSizeUnknown
    var toReceive = NSURLSessionTransferSizeUnknown
}

/// The values that `countOfBytes…` shows.
struct SessionTaskCounts: Sendable {
    var sent: Int64 = 0
    var expectedToSend: Int64 = 0
    var received: Int64 = 0
    var expectedToReceive: Int64 = 0
}

/// A loader of a task that no operation loads.
protocol SessionTaskLoader: AnyObject, Sendable {
    func begin(_ task: SessionTask)
    func pause()
    func proceed()
    /// The task ends by `SessionTask.end` all the same.
    func stop()
}
