// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
@testable import OperationNetworkingSessions

/// Whether the library looks at what Foundation keeps to itself: see `FoundationInternals`.
let seesPrivateState = !FoundationInternals.isOff

extension Trait where Self == ConditionTrait {
    /// Of tests of what is only there with it.
    static var privateState: Self { .enabled(if: seesPrivateState, "nothing private of Foundation's is looked at") }
}

/// Whose session a test runs on: where Foundation's is right, both are asked the same.
enum SessionKind: CaseIterable, CustomTestStringConvertible {
    case foundation, operations

    var testDescription: String { self == .foundation ? "Foundation's" : "ours" }

    func make(
        _ configuration: URLSessionConfiguration = .ephemeral, delegate: (any URLSessionDelegate)? = nil,
        queue: OperationQueue? = nil
    ) -> URLSession {
        switch self {
        case .foundation: URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
        case .operations: OperationURLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
        }
    }
}

/// How a task with a completion handler ended.
struct TaskOutcome: Sendable {
    var data: Data?
    var response: URLResponse?
    var error: (any Error)?
    /// The content of a download's file, read while the handler ran.
    var file: Data?
    var location: URL?

    var status: Int? { (response as? HTTPURLResponse)?.statusCode }
    var text: String? { data.map { String(decoding: $0, as: UTF8.self) } }
    var code: URLError.Code? { (error as? URLError)?.code }
}

extension URLSession {
    /// Makes a data task, hands it to `launch`, which resumes it by default, and waits for its one completion. A second one
    /// would stop the test process.
    func outcome(
        _ request: URLRequest, _ launch: (URLSessionTask) -> Void = { $0.resume() }
    ) async -> TaskOutcome {
        await withCheckedContinuation { continuation in
            launch(
                dataTask(with: request) {
                    continuation.resume(returning: TaskOutcome(data: $0, response: $1, error: $2))
                })
        }
    }

    func outcome(_ url: URL) async -> TaskOutcome { await outcome(URLRequest(url: url)) }

    /// The same with an upload task.
    func upload(
        _ request: URLRequest,
        _ make: (@escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void) -> URLSessionTask
    ) async -> TaskOutcome {
        await withCheckedContinuation { continuation in
            make { continuation.resume(returning: TaskOutcome(data: $0, response: $1, error: $2)) }.resume()
        }
    }

    /// The same with a download task.
    func downloading(
        _ make: (@escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void) -> URLSessionDownloadTask,
        _ launch: (URLSessionDownloadTask) -> Void = { $0.resume() }
    ) async -> TaskOutcome {
        await withCheckedContinuation { continuation in
            launch(
                make { location, response, error in
                    var outcome = TaskOutcome(response: response, error: error)
                    outcome.location = location
                    outcome.file = location.flatMap { try? Data(contentsOf: $0) }
                    continuation.resume(returning: outcome)
                })
        }
    }
}

/// A delegate of every kind that notes what it is told, and answers what the test says.
// Sendable because everything mutable is behind `state`; the answers are set before a task runs.
final class RecordingDelegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, @unchecked Sendable {
    private struct State {
        var events: [String] = []
        var data = Data()
        var file: Data?
        var bytesWritten: Int64?
        var error: (any Error)?
        var metrics: URLSessionTaskMetrics?
        var queues: Set<ObjectIdentifier> = []
    }

    private let state = Locked(State())
    let isComplete = Gate()
    let isInvalid = Gate()
    var disposition: (URLSessionTask, URLResponse) -> URLSession.ResponseDisposition = { _, _ in .allow }
    var redirect: (URLRequest) -> URLRequest? = { $0 }
    var challenge: (URLAuthenticationChallenge) -> (URLSession.AuthChallengeDisposition, URLCredential?) = { _ in
        (.performDefaultHandling, nil)
    }
    var bodyStream: () -> InputStream? = { nil }
    /// Whether responses are stored.
    var stores = true
    var whenReceiving: (URLSessionTask, Data) -> Void = { _, _ in }
    var whenWriting: (URLSessionDownloadTask) -> Void = { _ in }
    var whenFinished: (URL) -> Void = { _ in }

    /// Repeated ones once.
    var events: [String] { state.withLock { $0.events } }
    var data: Data { state.withLock { $0.data } }
    var file: Data? { state.withLock { $0.file } }
    /// What it was told last.
    var bytesWritten: Int64? { state.withLock { $0.bytesWritten } }
    var error: (any Error)? { state.withLock { $0.error } }
    var code: URLError.Code? { (error as? URLError)?.code }
    var metrics: URLSessionTaskMetrics? { state.withLock { $0.metrics } }
    /// All queues that were current while it was called.
    var queues: Set<ObjectIdentifier> { state.withLock { $0.queues } }

    /// Notes an event together with what came with it: who waits for the event looks at that next.
    private func note(_ event: String, _ change: (inout State) -> Void = { _ in }) {
        let queue = OperationQueue.current.map(ObjectIdentifier.init)
        state.withLock { state in
            change(&state)
            if state.events.last != event { state.events.append(event) }
            if let queue { state.queues.insert(queue) }
        }
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        note("invalid")
        isInvalid.open()
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @Sendable @escaping (URLRequest?) -> Void
    ) {
        note("redirect \(response.statusCode)")
        completionHandler(redirect(request))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @Sendable @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        note("challenge \(challenge.protectionSpace.realm ?? "-") \(challenge.previousFailureCount)")
        let (disposition, credential) = self.challenge(challenge)
        completionHandler(disposition, credential)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @Sendable @escaping (InputStream?) -> Void
    ) {
        note("body")
        completionHandler(bodyStream())
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        note("sent")
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        note("metrics") { $0.metrics = metrics }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        note(error == nil ? "complete" : "error") { $0.error = error }
        isComplete.open()
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @Sendable @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        note("response")
        completionHandler(disposition(dataTask, response))
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask
    ) {
        note("download")
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse,
        completionHandler: @Sendable @escaping (CachedURLResponse?) -> Void
    ) {
        note("cache \(proposedResponse.data.count)")
        completionHandler(stores ? proposedResponse : nil)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        note("data") { $0.data += data }
        whenReceiving(dataTask, data)
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        note("write") { $0.bytesWritten = totalBytesWritten }
        whenWriting(downloadTask)
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
        expectedTotalBytes: Int64
    ) {
        note("resume \(fileOffset) of \(expectedTotalBytes)")
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        let content = try? Data(contentsOf: location)
        note("file") { $0.file = content }
        whenFinished(location)
    }
}
