// SPDX-License-Identifier: MIT
import Dispatch
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworking
import TestServer

/// How a verb of a session manager ended.
// Sendable because nobody touches the object any more: the task is over.
struct VerbOutcome: @unchecked Sendable {
    let task: URLSessionDataTask?
    let object: Any?
    let error: (any Error)?

    var status: Int? { (task?.response as? HTTPURLResponse)?.statusCode }
    var json: [String: String] { object as? [String: String] ?? [:] }
    var code: Int? { error.map { ($0 as NSError).code } }
}

/// How a download ended.
struct FileOutcome: Sendable {
    let response: URLResponse
    let url: URL?
    let error: (any Error)?

    var code: Int? { error.map { ($0 as NSError).code } }
}

extension URLSessionManager {
    /// Handlers do not go over the main queue.
    func offMain() -> Self {
        completionQueue = DispatchQueue(label: "test.completion")
        return self
    }

    /// A download's end. `change` sees the task before it is resumed.
    func downloading(
        _ request: URLRequest, to destination: (@Sendable (URL, URLResponse) -> URL)? = nil,
        progress: (@Sendable (Progress) -> Void)? = nil, resumeData: Data? = nil,
        beforeResuming change: (URLSessionDownloadTask) -> Void = { _ in }
    ) async -> FileOutcome {
        await withCheckedContinuation { continuation in
            let handler: @Sendable (URLResponse, URL?, (any Error)?) -> Void = {
                continuation.resume(returning: FileOutcome(response: $0, url: $1, error: $2))
            }
            let task =
                if let resumeData {
                    downloadTask(
                        withResumeData: resumeData, progress: progress, destination: destination,
                        completionHandler: handler)
                } else {
                    downloadTask(
                        with: request, progress: progress, destination: destination, completionHandler: handler)
                }
            change(task)
            task.resume()
        }
    }

    /// A data task's end. `change` sees the task before it is resumed.
    func loading(
        _ request: URLRequest, _ change: (URLSessionDataTask) -> Void = { _ in }
    ) async -> VerbOutcome {
        let box = TaskBox()
        return await withCheckedContinuation { continuation in
            let task = dataTask(with: request) { _, object, error in
                continuation.resume(returning: VerbOutcome(task: box.task, object: object, error: error))
            }
            box.task = task
            change(task)
            task.resume()
        }
    }
}

/// A task that its own handler looks at.
final class TaskBox: Sendable {
    private let state = Locked<URLSessionDataTask?>(nil)

    var task: URLSessionDataTask? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

extension HTTPSessionManager {
    typealias Sending = (@escaping Success, @escaping Failure) -> URLSessionDataTask?

    /// The one outcome of a verb. A second one would stop the test process.
    func outcome(_ send: Sending) async -> VerbOutcome {
        await withCheckedContinuation { continuation in
            _ = send(
                { continuation.resume(returning: VerbOutcome(task: $0, object: $1, error: nil)) },
                { continuation.resume(returning: VerbOutcome(task: $0, object: nil, error: $1)) })
        }
    }

    func getting(_ string: String) async -> VerbOutcome {
        await outcome { get(string, success: $0, failure: $1) }
    }
}

/// What blocks on any thread write down.
final class Notes<Element: Sendable>: Sendable {
    private let entries = Locked<[Element]>([])

    func add(_ element: Element) { entries.withLock { $0.append(element) } }
    var all: [Element] { entries.withLock { $0 } }
}
