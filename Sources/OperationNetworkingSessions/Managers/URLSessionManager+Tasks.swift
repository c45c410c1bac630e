// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
public import OperationNetworkingCore

// How tasks are made, for the methods that may be overridden.

extension URLSessionManager {
    /// Makes a task, once more where its session was replaced before.
    private func onPresentSession<Made: URLSessionTask>(_ make: (OperationURLSession, Present) -> Made) -> Made {
        while true {
            let session = ownSession
            let task = make(session, sharedSettings.present(over: session.settings.operations))
            // A task that the session had when it was invalidated is the session's, and its end may have been reported.
            guard let refused = task.ownFace?.task, refused.isRefused, session !== ownSession,
                refused.managed?.withdraw() ?? true
            else { return task }
        }
    }

    func makeDataTask(
        with request: URLRequest, progress block: (@Sendable (Progress) -> Void)?,
        _ handler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)?
    ) -> URLSessionDataTask {
        let link = TaskProgress.makeLink()
        let task: URLSessionDataTask = onPresentSession { session, present in
            let managed = ManagedTask(settings: present.tasks, handler: handler.map { .object($0) } ?? .none)
            return session.makeDataTask(request, for: present.recipient(managed, of: client, parses: true))
        }
        if block != nil || link != nil { track(.download, of: task, link: link, block: block) }
        return task
    }

    /// - Parameter content: nil: what the request has.
    func makeUploadTask(
        with request: URLRequest, from content: SessionUploadBody?, progress block: (@Sendable (Progress) -> Void)?,
        _ handler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)?
    ) -> URLSessionUploadTask {
        let link = TaskProgress.makeLink()
        let task: URLSessionUploadTask = onPresentSession { session, present in
            let managed = ManagedTask(settings: present.tasks, handler: handler.map { .object($0) } ?? .none)
            return session.makeUploadTask(
                request, content, for: present.recipient(managed, of: client, parses: true))
        }
        if block != nil || link != nil { track(.upload, of: task, link: link, block: block) }
        return task
    }

    /// The source of a download task.
    enum DownloadSource {
        case request(URLRequest)
        case resumeData(Data)
    }

    func makeDownloadTask(
        _ source: DownloadSource, progress block: (@Sendable (Progress) -> Void)?,
        _ destination: (@Sendable (URL, URLResponse) -> URL)?,
        _ handler: (@Sendable (URLResponse, URL?, (any Error)?) -> Void)?
    ) -> URLSessionDownloadTask {
        let link = TaskProgress.makeLink()
        let task: URLSessionDownloadTask = onPresentSession { session, present in
            let managed = ManagedTask(
                settings: present.tasks, handler: handler.map { .file($0) } ?? .none, destination: destination)
            let recipient = present.recipient(managed, of: client, parses: false)
            return switch source {
            case .request(let request): session.makeDownloadTask(request, for: recipient)
            case .resumeData(let data): session.makeDownloadTask(resumeData: data, for: recipient)
            }
        }
        if block != nil || link != nil { track(.download, of: task, link: link, block: block) }
        return task
    }

    // MARK: Progress

    /// The progress of the content that a task sends. `nil` for a task that neither this manager made nor, without a
    /// completion handler, its session. Cancelling it cancels the task, pausing and resuming it suspends and resumes
    /// the task. Its total is −1 while that is unknown. It is changed on `operationQueue`. AF:
    /// `uploadProgressForTask:`.
    public func uploadProgress(for task: URLSessionTask) -> Progress? {
        track(.upload, of: task)
    }

    /// The progress of the content that a task receives. As `uploadProgress(for:)` else. AF:
    /// `downloadProgressForTask:`.
    public func downloadProgress(for task: URLSessionTask) -> Progress? {
        track(.download, of: task)
    }

    @discardableResult
    func track(
        _ direction: TaskProgress.Direction, of task: URLSessionTask, link: ProgressLink? = nil,
        block: (@Sendable (Progress) -> Void)? = nil
    ) -> Progress? {
        guard let core = task.ownFace?.task, core.client === client, let managed = core.managed else {
            return nil
        }
        let progress = managed.makeProgress(direction, of: task, link: link, block: block).progress
        core.withState { $0.reportsAdvance = true }
        // What has happened by now.
        client.taskDidAdvance(core)
        return progress
    }
}

extension URLSessionManager.Present {
    /// Returns the client of a manager's task, and the settings that the task is made of.
    func recipient(
        _ managed: ManagedTask, of client: SessionManagerClient, parses: Bool
    ) -> OperationURLSession.Recipient {
        OperationURLSession.Recipient(
            client: client, context: managed, configuration: configuration,
            serializer: parses ? tasks.operationSerializer : .anyStatus, archives: archives, sendsContentOfGET: true)
    }
}
