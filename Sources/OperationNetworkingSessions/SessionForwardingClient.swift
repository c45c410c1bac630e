// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworkingCore

/// A client that passes the events of a task to delegates of Foundation's types, and asks them.
protocol SessionForwardingClient: SessionTaskClient {
    /// Returns the delegate of a protocol; nil: there is none.
    func delegate<Delegate>(_ type: Delegate.Type, of task: SessionTask) -> Delegate?
    /// Returns the session that delegates know; nil: there is none any more.
    func session(of task: SessionTask) -> URLSession?
    /// Returns the task that delegates know.
    func face(of task: SessionTask) -> URLSessionTask
}

extension SessionForwardingClient {
    func session(of task: SessionTask) -> URLSession? { task.session }
    func face(of task: SessionTask) -> URLSessionTask { task.face }

    func taskDelegate(of task: SessionTask) -> (any URLSessionTaskDelegate)? {
        delegate((any URLSessionTaskDelegate).self, of: task)
    }

    /// Calls a delegate, where there is one, in order with the other events.
    func tell<Delegate>(
        _ type: Delegate.Type, of task: SessionTask, otherwise: @escaping @Sendable () -> Void = {},
        _ call: @escaping @Sendable (Delegate, URLSession) -> Void
    ) {
        perform(for: task) { [self] in
            guard task.session != nil, let session = session(of: task), let delegate = delegate(type, of: task) else {
                return otherwise()
            }
            call(delegate, session)
        }
    }

    // MARK: Questions

    func task(
        _ task: SessionTask, willFollow redirected: URLRequest, after response: HTTPURLResponse,
        reply: @escaping @Sendable (URLRequest?) -> Void
    ) {
        tell((any URLSessionTaskDelegate).self, of: task, otherwise: { reply(redirected) }) { [self] in
            $0.urlSession(
                $1, task: face(of: task), willPerformHTTPRedirection: response, newRequest: redirected,
                completionHandler: reply)
        }
    }

    func task(_ task: SessionTask, needsBodyStream reply: @escaping @Sendable (InputStream?) -> Void) {
        tell((any URLSessionTaskDelegate).self, of: task, otherwise: { reply(nil) }) { [self] in
            $0.urlSession($1, task: face(of: task), needNewBodyStream: reply)
        }
    }

    func task(
        _ task: SessionTask, didReceive response: URLResponse,
        reply: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        tell((any URLSessionDataDelegate).self, of: task, otherwise: { reply(.allow) }) { [self] in
            // A program that has cancelled the task may have released what the response is for.
            guard !task.isCanceling, let face = face(of: task) as? URLSessionDataTask else { return reply(.allow) }
            $0.urlSession($1, dataTask: face, didReceive: response, completionHandler: reply)
        }
    }

    func task(
        _ task: SessionTask, willCache response: CachedURLResponse,
        reply: @escaping @Sendable (CachedURLResponse?) -> Void
    ) {
        tell((any URLSessionDataDelegate).self, of: task, otherwise: { reply(response) }) { [self] in
            guard let face = face(of: task) as? URLSessionDataTask else { return reply(response) }
            $0.urlSession($1, dataTask: face, willCacheResponse: response, completionHandler: reply)
            // The task's end does not wait for a delegate that has not answered by now: nothing is stored.
            reply(nil)
        }
    }

    // MARK: News

    func task(_ task: SessionTask, didSend count: Int64, total: Int64, expected: Int64) {
        guard let session = session(of: task) else { return }
        taskDelegate(of: task)?.urlSession(
            session, task: face(of: task), didSendBodyData: count, totalBytesSent: total,
            totalBytesExpectedToSend: expected)
    }

    func task(_ task: SessionTask, didBecome download: URLSessionDownloadTask, reply: @escaping @Sendable () -> Void) {
        tell((any URLSessionDataDelegate).self, of: task, otherwise: reply) {
            // The face that the delegate knows: the one from before.
            if let face = task.dataFace(download) { $0.urlSession($1, dataTask: face, didBecome: download) }
            reply()
        }
    }

    func task(_ task: SessionTask, didReceive data: Data) { tellDelegate(of: task, data) }

    func tellDelegate(of task: SessionTask, _ data: Data) {
        guard let session = session(of: task), let face = face(of: task) as? URLSessionDataTask else { return }
        delegate((any URLSessionDataDelegate).self, of: task)?.urlSession(session, dataTask: face, didReceive: data)
    }

    func task(_ task: SessionTask, didResumeAt offset: Int64, expected: Int64) {
        tell((any URLSessionDownloadDelegate).self, of: task) { [self] in
            guard let face = face(of: task) as? URLSessionDownloadTask else { return }
            $0.urlSession($1, downloadTask: face, didResumeAtOffset: offset, expectedTotalBytes: expected)
        }
    }

    func task(_ task: SessionTask, didWrite count: Int64, total: Int64, expected: Int64) {
        guard let session = session(of: task), let face = face(of: task) as? URLSessionDownloadTask else { return }
        delegate((any URLSessionDownloadDelegate).self, of: task)?.urlSession(
            session, downloadTask: face, didWriteData: count, totalBytesWritten: total,
            totalBytesExpectedToWrite: expected)
    }
}

extension ClientInterests {
    /// A delegate of Foundation's that does not implement a method has a default one on Linux: it is called for
    /// everything.
    static let ofTaskDelegates: ClientInterests = [.redirects, .challenges, .sending, .metrics]
    static let ofDataDelegates: ClientInterests = [.responses, .data, .caching]
}
