// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworkingCore

// From the end of a transfer to the task's handler and the notification.

extension SessionManagerClient {
    func task(
        _ task: SessionTask, didFinishDownloadingTo location: URL, reply: @escaping @Sendable () -> Void
    ) {
        perform(for: task) { [self] in
            if let own = task.ownDownloadDelegate, let session = task.session,
                let face = task.face as? URLSessionDownloadTask
            {
                own.urlSession(session, downloadTask: face, didFinishDownloadingTo: location)
            }
            guard let serializer = task.managed?.settings.serializer, let response = task.managedResponse else {
                placeDownload(location, of: task, refusal: nil)
                return reply()
            }
            let judge: @Sendable () -> (any Error)? = {
                DownloadVerdict.refusal(of: response, at: location, by: serializer)
            }
            if (serializer as? HTTPResponseSerializer)?.waitsForNobody == true {
                placeDownload(location, of: task, refusal: judge())
                return reply()
            }
            // A user's may take its time, and other tasks have their turn on the manager's queue.
            Runtime.current.onBlockThread { [self] in
                let refusal = judge()
                perform(for: task) { [self] in
                    placeDownload(location, of: task, refusal: refusal)
                    reply()
                }
            }
        }
    }

    /// Moves a download to where the blocks want it. Called on the manager's queue.
    private func placeDownload(_ location: URL, of task: SessionTask, refusal: (any Error)?) {
        guard let session = task.session, let face = task.face as? URLSessionDownloadTask,
            let response = task.managedResponse
        else { return }
        let managed = task.managed
        if let refusal {
            let failure = Self.leavingResumeData(refusal, of: response, to: task)
            managed?.withState { $0.failure = failure }
            return
        }
        let isOwnDelegates = task.ownDownloadDelegate != nil
        // What the task's delegate has taken away belongs nowhere else.
        guard !isOwnDelegates || FileManager.default.fileExists(atPath: location.path) else { return }
        let block = isOwnDelegates ? nil : blocks.current.table.downloadTaskDidFinishDownloading
        guard
            let destination = block?(session, face, location) ?? managed?.destination?(location, response)
        else { return }
        let file = DownloadedFile(location: location)
        do {
            try file.move(to: destination)
            managed?.withState { $0.fileURL = destination }
            NotificationMailbox.shared.post(
                .urlSessionDownloadTaskDidMoveFileSuccessfully, object: face, on: .sharedMain)
        } catch {
            let error = file.keeping(error)
            managed?.withState { $0.failure = error }
            NotificationMailbox.shared.post(
                .urlSessionDownloadTaskDidFailToMoveFile, object: face, on: .sharedMain
            ) { _ in (error as NSError).userInfo }
        }
    }

    /// Adds resume data to the error where the status is temporary: what had come of the file stays valid.
    private static func leavingResumeData(
        _ refusal: any Error, of response: URLResponse, to task: SessionTask
    ) -> any Error {
        guard let refusal = refusal as? ResponseSerializationError,
            let status = (response as? HTTPURLResponse)?.statusCode,
            [408, 425, 429].contains(status) || status >= 500, let data = task.leaveResumeData()
        else { return refusal }
        return refusal.leaving(data)
    }

    func task(_ task: SessionTask, didFinish result: SessionTaskResult) {
        let table = blocks.current.table
        let managed = task.managed
        let (upload, download, mailbox) =
            managed?.withState { ($0.upload, $0.download, $0.mailbox) } ?? (nil, nil, nil)
        // What comes before the handler on the manager's queue makes it wait for its turn there.
        guard
            table.taskDidComplete != nil || table.taskDidFinishCollectingMetrics != nil || upload != nil
                || download != nil || mailbox != nil || task.ownDelegate != nil
        else { return deliver(result, of: task, face: task.face, session: task.session) }
        let face = task.face
        let session = task.session
        taskDidAdvance(task)
        perform(for: task) { [self] in
            let isComplete = result.error == nil
            upload?.finish(isComplete: isComplete && result.response != nil)
            download?.finish(isComplete: isComplete)
            let table = blocks.current.table
            task.willTellEnd()
            if let session {
                let own = task.ownDelegate
                if let metrics = result.metrics, own != nil || table.taskDidFinishCollectingMetrics != nil {
                    let metrics = metrics.urlSessionTaskMetrics
                    own?.urlSession(session, task: face, didFinishCollecting: metrics)
                    if own == nil { table.taskDidFinishCollectingMetrics?(session, face, metrics) }
                }
                own?.urlSession(session, task: face, didCompleteWithError: result.error)
                if own == nil { table.taskDidComplete?(session, face, result.error) }
            }
            deliver(result, of: task, face: face, session: session)
        }
    }

    private func deliver(
        _ result: SessionTaskResult, of task: SessionTask, face: URLSessionTask, session: URLSession?
    ) {
        guard let managed = task.managed else { return task.close() }
        managed.withState { $0.metrics = result.metrics }
        managed.complete(result, of: task, face: face)
    }
}

extension SessionTask {
    /// The response of a download, for a manager's serializer and blocks; nil: the task is closed, or is no download.
    fileprivate var managedResponse: URLResponse? {
        guard session != nil, let face = face as? URLSessionDownloadTask else { return nil }
        return face.response ?? .missing(for: originalRequest?.url)
    }
}

extension SessionTaskResult {
    /// The response, where a handler takes one that is not optional.
    func responseOrNone(of task: SessionTask) -> URLResponse {
        response ?? .missing(for: task.originalRequest?.url)
    }
}

extension URLResponse {
    /// For a handler that does not look at it.
    static let unasked = missing(for: nil)

    /// Returns a placeholder for a response that never came, where handlers take one that is not optional.
    static func missing(for url: URL?) -> URLResponse {
        URLResponse(
            url: url ?? URL(fileURLWithPath: "/"), mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
    }
}
