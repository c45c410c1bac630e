// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking

// How tasks are made, for the methods that may be overridden.

extension URLSessionManager {
    func makeDataTask(
        with request: URLRequest, progress block: (@Sendable (Progress) -> Void)?,
        _ handler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)?
    ) -> URLSessionDataTask {
        let present = present
        let link = TaskProgress.makeLink()
        let managed = ManagedTask(settings: present.settings.tasks, handler: handler.map { .object($0) } ?? .none)
        let task = present.session.makeDataTask(request, client: client, context: managed)
        prepare(task, present, parses: true)
        if block != nil || link != nil { track(.download, of: task, link: link, block: block) }
        return task
    }

    /// - Parameter content: nil: what the request has.
    func makeUploadTask(
        with request: URLRequest, from content: SessionUploadBody?, progress block: (@Sendable (Progress) -> Void)?,
        _ handler: (@Sendable (URLResponse, Any?, (any Error)?) -> Void)?
    ) -> URLSessionUploadTask {
        let present = present
        let link = TaskProgress.makeLink()
        let managed = ManagedTask(settings: present.settings.tasks, handler: handler.map { .object($0) } ?? .none)
        let task = present.session.makeUploadTask(request, content, client: client, context: managed)
        prepare(task, present, parses: true)
        if block != nil || link != nil { track(.upload, of: task, link: link, block: block) }
        return task
    }

    /// What a download task is made of.
    enum DownloadSource {
        case request(URLRequest)
        case resumeData(Data)
    }

    func makeDownloadTask(
        _ source: DownloadSource, progress block: (@Sendable (Progress) -> Void)?,
        _ destination: (@Sendable (URL, URLResponse) -> URL)?,
        _ handler: (@Sendable (URLResponse, URL?, (any Error)?) -> Void)?
    ) -> URLSessionDownloadTask {
        let present = present
        let link = TaskProgress.makeLink()
        let managed = ManagedTask(
            settings: present.settings.tasks, handler: handler.map { .file($0) } ?? .none, destination: destination)
        let task =
            switch source {
            case .request(let request): present.session.makeDownloadTask(request, client: client, context: managed)
            case .resumeData(let data):
                present.session.makeDownloadTask(resumeData: data, client: client, context: managed)
            }
        prepare(task, present, parses: false)
        if block != nil || link != nil { track(.download, of: task, link: link, block: block) }
        return task
    }

    /// Gives the task's operation what the session does not.
    private func prepare(_ task: URLSessionTask, _ present: Present, parses: Bool) {
        guard let operation = operation(for: task) else { return }
        let settings = present.settings
        if parses { operation.responseSerializer = settings.tasks.operationSerializer }
        guard present.differsFromSession else { return }
        operation.securityPolicy = settings.securityPolicy
        operation.clientIdentity = settings.clientIdentity
        if let proxies = settings.proxyConfiguration { operation.proxyConfiguration = proxies }
    }

    // MARK: Progress

    /// The progress of the content that a task sends. `nil` for a task that this manager did not make. Cancelling it
    /// cancels the task, pausing and resuming it suspends and resumes the task. Its total is −1 while that is unknown.
    /// It is changed on `operationQueue`. AF: `uploadProgressForTask:`.
    public func uploadProgress(for task: URLSessionTask) -> Progress? {
        track(.upload, of: task)
    }

    /// The progress of the content that a task receives. `nil` for a task that this manager did not make. As
    /// `uploadProgress(for:)` else. AF: `downloadProgressForTask:`.
    public func downloadProgress(for task: URLSessionTask) -> Progress? {
        track(.download, of: task)
    }

    @discardableResult
    func track(
        _ direction: TaskProgress.Direction, of task: URLSessionTask, link: Progress? = nil,
        block: (@Sendable (Progress) -> Void)? = nil
    ) -> Progress? {
        guard let core = (task as? any SessionTaskFace)?.task, core.client === client, let managed = core.managed else {
            return nil
        }
        let progress = managed.makeProgress(direction, of: task, link: link, block: block).progress
        // What has happened by now.
        client.taskDidAdvance(core)
        return progress
    }
}
