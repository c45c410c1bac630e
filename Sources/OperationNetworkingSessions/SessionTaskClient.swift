// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworkingCore

/// The one interface through which a task reports what happens to it, and asks what it may not decide itself. There are
/// two kinds: `SessionDelegateClient` gives Foundation's semantics (delegates and completion handlers on the delegate
/// queue), and a manager may take the events directly, so that an event without a block costs no hop.
///
/// One client may serve all tasks of a session: whatever belongs to one task goes into `SessionTask.context`.
///
/// **When what is called.** `interests` is read once, when the task begins; what it does not name is neither called nor
/// paid for. For one task, in this order:
///
/// | event                                        | named by      | how often                                        |
/// |----------------------------------------------|---------------|--------------------------------------------------|
/// | `needsBodyStream` | always | for a streamed upload at the start; when a request with a stream is sent again |
/// | `didSend`                                    | `.sending`    | while the content is sent                        |
/// | `didReceive challenge`, `willFollow`         | `.challenges`, `.redirects` | each                               |
/// | `didReceive response`                        | `.responses`  | data and upload tasks: each response that counts |
/// | `didBecome`                                  | `.responses`  | after the answer `.becomeDownload`, once         |
/// | `didReceive data`                            | `.data`       | data and upload tasks, within `perform`          |
/// | `didResumeAt`                                | `.writing`    | a download that goes on                          |
/// | `didWrite`                                   | `.writing`    | downloads, within `perform`, merged              |
/// | `willCache`                                  | `.caching`    | a response that may be stored                    |
/// | `didFinishDownloadingTo`                     | always        | a download with a response, once                 |
/// | `didFinish`                                  | always        | once, last: also for a task that never ran       |
///
/// Without `.data` and without `.responses` the content is collected in memory, the fastest way, and comes as
/// `SessionTaskResult.data`. With `.responses` alone it is collected, too, after the answer.
///
/// **Threads.** Any of the library's, the network thread among them, so nothing may block, and what takes time or is
/// the user's goes somewhere else. Never with a lock held. A question is answered by calling `reply` once, at once or
/// later, on any thread; another answer has no effect.
protocol SessionTaskClient: AnyObject, Sendable {
    /// Returns the events and questions that a task's client wants.
    func interests(of task: SessionTask) -> ClientInterests
    /// Runs `work` where the client's events belong (its queue), in order with the client's other work for this task.
    /// The task calls `didReceive data` and `didWrite` in there: it does not read on before they have returned.
    func perform(for task: SessionTask, _ work: @escaping @Sendable () -> Void)

    func task(
        _ task: SessionTask, willFollow redirected: URLRequest, after response: HTTPURLResponse,
        reply: @escaping @Sendable (URLRequest?) -> Void)
    /// `.useCredential` with nil goes on without a credential.
    func task(
        _ task: SessionTask, didReceive challenge: URLAuthenticationChallenge,
        reply: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)
    func task(_ task: SessionTask, needsBodyStream reply: @escaping @Sendable (InputStream?) -> Void)
    /// - Parameter expected: −1: unknown.
    func task(_ task: SessionTask, didSend count: Int64, total: Int64, expected: Int64)
    func task(
        _ task: SessionTask, didReceive response: URLResponse,
        reply: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)
    /// `download` is the same task under its new type. It goes on after `reply`.
    func task(_ task: SessionTask, didBecome download: URLSessionDownloadTask, reply: @escaping @Sendable () -> Void)
    func task(_ task: SessionTask, didReceive data: Data)
    func task(_ task: SessionTask, didResumeAt offset: Int64, expected: Int64)
    func task(_ task: SessionTask, didWrite count: Int64, total: Int64, expected: Int64)
    func task(
        _ task: SessionTask, willCache response: CachedURLResponse,
        reply: @escaping @Sendable (CachedURLResponse?) -> Void)
    /// The file is removed after `reply`, unless it was moved away, or with `close()` after
    /// `SessionTask.keepDownload()`.
    func task(_ task: SessionTask, didFinishDownloadingTo location: URL, reply: @escaping @Sendable () -> Void)
    func task(_ task: SessionTask, didFinish result: SessionTaskResult)

    /// `SessionTask.counts` changed. Often, and not within `perform`; for tasks with
    /// `SessionTask.State.reportsAdvance`.
    func taskDidAdvance(_ task: SessionTask)
    /// A resume or suspension had an effect.
    func taskDidResume(_ task: SessionTask)
    func taskDidSuspend(_ task: SessionTask)
}

/// The defaults for methods that a client does not implement.
extension SessionTaskClient {
    func task(
        _ task: SessionTask, willFollow redirected: URLRequest, after response: HTTPURLResponse,
        reply: @escaping @Sendable (URLRequest?) -> Void
    ) { reply(redirected) }
    func task(
        _ task: SessionTask, didReceive challenge: URLAuthenticationChallenge,
        reply: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) { reply(.performDefaultHandling, nil) }
    func task(_ task: SessionTask, needsBodyStream reply: @escaping @Sendable (InputStream?) -> Void) { reply(nil) }
    func task(_ task: SessionTask, didSend count: Int64, total: Int64, expected: Int64) {}
    func task(
        _ task: SessionTask, didReceive response: URLResponse,
        reply: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) { reply(.allow) }
    func task(_ task: SessionTask, didBecome download: URLSessionDownloadTask, reply: @escaping @Sendable () -> Void) {
        reply()
    }
    func task(_ task: SessionTask, didReceive data: Data) {}
    func taskDidAdvance(_ task: SessionTask) {}
    func taskDidResume(_ task: SessionTask) {}
    func taskDidSuspend(_ task: SessionTask) {}
    func task(_ task: SessionTask, didResumeAt offset: Int64, expected: Int64) {}
    func task(_ task: SessionTask, didWrite count: Int64, total: Int64, expected: Int64) {}
    func task(
        _ task: SessionTask, willCache response: CachedURLResponse,
        reply: @escaping @Sendable (CachedURLResponse?) -> Void
    ) { reply(response) }
    func task(_ task: SessionTask, didFinishDownloadingTo location: URL, reply: @escaping @Sendable () -> Void) {
        reply()
    }
}

extension ClientInterests {
    static let sending = ClientInterests(rawValue: 1 << 5)
    static let responses = ClientInterests(rawValue: 1 << 6)
    static let data = ClientInterests(rawValue: 1 << 7)
    static let writing = ClientInterests(rawValue: 1 << 8)
}

/// The result of a task.
struct SessionTaskResult: Sendable {
    /// Of a loader that is no operation.
    var ownResponse: URLResponse?
    /// The operation that has loaded, which keeps the response.
    var operation: SessionOperation?
    /// Nil before a response. Made when it is asked for first.
    var response: URLResponse? { ownResponse ?? operation?.response }
    /// The content, where it was collected: empty data for an empty one; nil after an error, for a download, and where
    /// the content was handed over in pieces.
    var data: Data?
    /// A `URLError`, most often; nil for any response, whatever its status.
    var error: (any Error)?
    /// Nil unless the client is interested.
    var metrics: SessionTaskMetrics?
}
