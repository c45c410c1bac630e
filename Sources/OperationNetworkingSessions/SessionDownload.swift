// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport

/// The files of a download task and what becomes of them, as a value.
///
/// | end                                         | the partial file         | the complete file                       |
/// |---------------------------------------------|--------------------------|-----------------------------------------|
/// | all of the content has come                 | becomes the complete one | is handed over (1)                      |
/// | a failure, or a cancellation with a handler | stays, if resume data    | –                                       |
/// | for resume data                             | can be made of it        |                                         |
/// | any other cancellation                      | goes                     | goes, if no other task has the location |
/// | the client refuses the response, and has    | stays                    | goes                                    |
/// | left resume data                            |                          |                                         |
///
/// 1. It goes after the client has had it, unless the client keeps it until the end was reported.
struct SessionDownload: Sendable {
    typealias ResumeDataHandler = @Sendable (Data?) -> Void

    /// The content goes to a file: because the task was made so, or since the client has said so.
    private(set) var isWanted: Bool
    /// The place where the content is collected.
    private(set) var location: URL?
    /// Other tasks may have the same location, because it is that of resume data.
    private(set) var isLocationShared = false
    /// The place of the complete file in that case.
    private var ownPlace: URL?
    /// The bytes of the file that resume data vouch for, until they were looked at.
    private var resumeOffset: Int64?
    /// Made from resume data, and the client has not heard yet that it goes on.
    private var isResumptionUntold = false
    /// The file that a loader other than an operation writes to.
    private(set) var file: FileHandle?
    /// That file was made by this task.
    private(set) var hasMadeFile = false
    /// The end is being worked on: a cancellation comes too late.
    private var isFinishing = false
    private var handlers: [ResumeDataHandler] = []
    /// A cancellation leaves the partial file.
    private var leavesPart = false
    /// The client has refused the response, and has resume data for what had come before it.
    private(set) var hasLeftResumeData = false
    /// The client hands the file over with the end.
    private(set) var isKept = false

    init(isWanted: Bool) { self.isWanted = isWanted }

    // MARK: Content

    /// The client wants the rest of the content in a file.
    mutating func begin() { isWanted = true }

    /// The content goes on from where resume data say that it stopped.
    mutating func goOn(at location: URL, from offset: Int64) {
        self.location = location
        isLocationShared = true
        resumeOffset = offset
        isResumptionUntold = true
    }

    /// The place where the content is collected: `new`, if it had none.
    mutating func place(or new: URL) -> URL {
        let place = location ?? new
        location = place
        return place
    }

    /// Takes the length that the partial file is to be cut to before it grows again.
    mutating func takeOffset() -> Int64? { resumeOffset.take() }

    /// The server continues the content. True if the client is to hear it: what a pause has interrupted goes on without
    /// a word.
    mutating func noteContinuation() -> Bool {
        defer { isResumptionUntold = false }
        return isResumptionUntold
    }

    mutating func hold(_ file: FileHandle) {
        self.file = file
        hasMadeFile = true
    }

    mutating func takeFile() -> FileHandle? { file.take() }

    // MARK: The end

    /// A cancellation is to leave what has come, and to tell `handler` about it.
    mutating func leavePart(for handler: @escaping ResumeDataHandler) {
        leavesPart = true
        handlers.append(handler)
    }

    /// The end begins. True once.
    mutating func finish() -> Bool {
        defer { isFinishing = true }
        return !isFinishing
    }

    /// Returns the handlers that wait for resume data, and whether the partial file stays.
    mutating func fail(isCancelled: Bool) -> (handlers: [ResumeDataHandler], leavesPart: Bool) {
        (takeHandlers(), leavesPart || !isCancelled)
    }

    mutating func takeHandlers() -> [ResumeDataHandler] {
        defer { handlers = [] }
        return handlers
    }

    /// The complete file has a place that no other task has.
    mutating func move(to own: URL) { ownPlace = own }

    /// The client keeps the file until it has reported the end.
    mutating func keep() { isKept = true }

    mutating func noteResumeData() { hasLeftResumeData = true }

    /// The file that the client keeps.
    var keptFile: URL? { isKept ? ownPlace ?? location : nil }
}
