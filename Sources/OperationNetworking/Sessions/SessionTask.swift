// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

/// What is behind a session's task: its life, what Foundation's task types show of it, and who is told.
///
/// The task that the user holds (`OperationDataTask`, `OperationUploadTask`, `OperationDownloadTask`) is a face with nothing
/// of its own, and holds this and the operation. This and the operation hold each other until the client has been told
/// everything, or the user lets go of a task that nobody resumed. The session holds the face from the making to the end, and
/// is held by the task; not by one that was not resumed, while nobody else has that: see `SessionRegistry`.
final class SessionTask: Sendable {
    enum Kind: Sendable { case data, upload, download }

    /// What loads.
    enum Loader: Sendable {
        case operation
        /// A task that cannot be: it fails when it is resumed.
        case failure(URLError)
        /// What is not asked of a server of ours.
        case foreign(any SessionTaskLoader)
    }

    struct State: Sendable {
        var machine = SessionTaskMachine()
        /// Until the client has been told everything; nil also while `knownSession` alone has it.
        private var keptSession: OperationURLSession?
        private weak var knownSession: OperationURLSession?
        weak var face: URLSessionTask?
        /// What the user held before the data task became a download.
        var formerFace: URLSessionTask?
        var loader: Loader?
        /// Not weak: every count of references to what is referred to weakly takes a detour.
        var operation: SessionOperation?
        var interests: SessionTaskInterests = []
        /// The session holds the face.
        var isKept = false
        /// Nil: as `originalRequest`.
        var currentRequest: URLRequest?
        /// Of a loader that is no operation.
        var response: URLResponse?
        var error: (any Error)?
        /// The client is telling the end, or has told it.
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
        /// Where that of a download goes.
        var downloadFile: FileHandle?
        /// The task itself has made the file at its location, for a loader that is no operation.
        var hasMadeFile = false
        var isDownload = false
        /// The end of the download is being worked on: a cancellation comes too late.
        var isFinishing = false
        /// The content of an upload, to be opened when the request is about to be sent.
        var uploadFile: URL?
        /// Where a download's content goes.
        var location: URL?
        var exchanges: [TransferExchange] = []
        var beginning: SessionTaskClock?
        /// Somebody gets ready for the operation's first start.
        var isGettingReady = false
        /// Wait for what a cancelled download leaves behind.
        var resumeDataHandlers: [@Sendable (Data?) -> Void] = []
        /// What a cancelled download leaves is wanted.
        var keepsPartialFile = false
        /// The client has refused what is no part of the file, and has resume data for what is.
        var hasLeftResumeData = false
        /// The client hands the file over with the end.
        var keepsDownload = false
        var clientExpectation = SessionTaskExpectation()
        var received = MergedReport()
        var sent = MergedReport()
        /// How much of its file the resume data of the download vouch for.
        var resumeOffset: Int64?
        /// The download was made from resume data, and has not gone on yet.
        var goesOnFromResumeData = false
        /// The location is that of resume data, which other tasks may have, too.
        var hasSharedLocation = false
        /// Where the complete file is instead, then.
        var ownPlace: URL?
        /// Requests that have gone out.
        var requestCount = 0
        /// The client is asked what the request depends on, or has answered, and nothing has gone out since then.
        var isAsked = false
        /// Whether the client wants the content of its response.
        var question = ResponseQuestion()
        /// Somebody has asked for the operation, and may start it without the task.
        var isOperationKnown = false

        /// Until the client has been told everything.
        var session: OperationURLSession? {
            get { keptSession ?? knownSession }
            set {
                keptSession = newValue
                if newValue == nil { knownSession = nil }
            }
        }

        /// The session is not kept by the task.
        var leavesSession: Bool { keptSession == nil && knownSession != nil }

        /// Nobody but the session has the task: it does not keep the session. Begun, it does again.
        ///
        /// - Returns: what is to be let go of after the unlock.
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

    /// What loads is settled: once, before the task is anybody else's.
    func set(_ loader: Loader) {
        withState { $0.loader = loader }
    }

    var operation: SessionOperation? { withState { $0.operation } }

    /// The session; nil once the task is over and everything was told.
    var session: OperationURLSession? { withState { $0.session } }

    /// Whether the task does not keep its session, for the time being.
    var leavesSession: Bool { withState { $0.leavesSession } }

    /// What the user holds, or another face where he let go of it.
    var face: URLSessionTask {
        if let known = knownFace { return known }
        let face = makeFace(withState { $0.isDownload } ? .download : kind)
        return withState { state in
            if let known = state.face { return known }
            state.face = face
            return face
        }
    }

    /// What the user holds; nil where he let go of it.
    var knownFace: URLSessionTask? { withState { $0.face } }

    private func makeFace(_ kind: Kind) -> URLSessionTask {
        switch kind {
        case .data: OperationDataTask(self, operation)
        case .upload: OperationUploadTask(self, operation)
        case .download: OperationDownloadTask(self, operation)
        }
    }

    /// Whether the task ends, or has ended, without telling more than that.
    var isCanceling: Bool { withState { $0.machine.state == .canceling || $0.machine.endsCancelled } }
}

/// Byte counts that wait to be told: what comes while the client is busy is told together.
struct MergedReport: Sendable {
    private var pending: Int64 = 0
    private var isScheduled = false

    /// True: the report is to be scheduled.
    mutating func add(_ count: Int64) -> Bool {
        pending &+= count
        defer { isScheduled = true }
        return !isScheduled
    }

    /// What is to be told.
    mutating func take() -> Int64 {
        isScheduled = false
        defer { pending = 0 }
        return pending
    }
}

/// What `countOfBytesClientExpects…` shows.
struct SessionTaskExpectation {
    var toSend = NSURLSessionTransferSizeUnknown
    var toReceive = NSURLSessionTransferSizeUnknown
}

/// What `countOfBytes…` shows.
struct SessionTaskCounts: Sendable {
    var sent: Int64 = 0
    var expectedToSend: Int64 = 0
    var received: Int64 = 0
    var expectedToReceive: Int64 = 0
}

/// What loads a task that is no request of an operation's.
protocol SessionTaskLoader: AnyObject, Sendable {
    func begin(_ task: SessionTask)
    func pause()
    func proceed()
    /// The task ends by `SessionTask.end` all the same.
    func stop()
}
