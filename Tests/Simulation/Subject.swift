// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import NetworkingTransport

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// An operation of a subclass, which a queue starts by way of another thread.
///
/// Some keep their connection during a pause, as a session's tasks.
// Sendable because the field is set before anybody else knows of the operation.
final class SubclassedOperation: HTTPRequestOperation, @unchecked Sendable {
    var holds = false
    override func _holdsConnection(whilePausedAfter head: ResponseHead?) -> Bool { holds }
    override func start() { super.start() }
}

/// An interceptor that takes some steps to decide.
struct HesitantInterceptor: RequestInterceptor {
    let retries: Int
    let delay: TimeInterval

    func adapt(_ request: URLRequest, for operation: HTTPRequestOperation) async throws -> URLRequest {
        await Task.yield()
        return request
    }

    func retry(_ operation: HTTPRequestOperation, dueTo error: any Error) async -> RetryDecision {
        await Task.yield()
        // A POST is to be sent once.
        guard operation.request.httpMethod != "POST", operation.retryCount < retries else { return .doNotRetry }
        return .retryAfter(delay)
    }
}

/// What a block of an operation may hold of its subject, which holds the operation.
// Sendable because the simulation has one thread.
private final class WeakSubject: @unchecked Sendable {
    weak var subject: Subject?
    init(_ subject: Subject) { self.subject = subject }
}

/// An operation under test, and what was seen of it.
final class Subject {
    /// The field of requests that names the operation.
    static let nameField = "X-Operation"

    let index: Int
    let path: String
    let method: String
    let operation: HTTPRequestOperation
    /// What it asks a cache for; nil: it has none.
    let caching: CachedSubject?
    /// Upstreams whose edge was in place before the operation began.
    var upstreams: [Subject] = []
    /// Upstreams whose edges are being taken back at this moment, by how many threads.
    var removing: [Int: Int] = [:]
    /// A block that prepares the request was added before the operation began.
    var mustBePrepared = false
    var begins = 0
    var finishes = 0
    var completions = 0
    /// What holds the operation's stream; nil: there is none, or it was let go of.
    private var access: ResponseStreamAccess?
    /// The response goes to a stream.
    private(set) var isStreamed = false
    private var isReading = false
    private var isInRead = false
    private var received = Data()
    /// The first thing that was wrong.
    var problem: String?
    private var observation: OperationStateObservation?

    init(
        index: Int, path: String, host: String, method: String, isSubclass: Bool, caching: CachedSubject?,
        queue: DispatchQueue
    ) {
        self.index = index
        self.path = path
        self.method = method
        self.caching = caching
        var request = URLRequest(url: URL(string: "http://\(host)/\(path)")!)
        request.httpMethod = method
        request.httpShouldHandleCookies = false
        if method == "POST" { request.httpBody = Data([1, 2, 3]) }
        request.setValue("op\(index)", forHTTPHeaderField: Self.nameField)
        caching?.apply(to: &request)
        operation = isSubclass ? SubclassedOperation(request: request) : HTTPRequestOperation(request: request)
        operation.shouldUseCredentialStorage = false
        // Not the real disk.
        let cache = caching.map { CacheSetting.cache($0.cache) } ?? .none
        operation.lock.withLock { operation._mutableConfiguration.storages.cache = cache }
        operation.completionQueue = queue
        operation.name = "op\(index)"
    }

    /// Begins to watch, with the handler that counts.
    func watch() {
        let subject = WeakSubject(self)
        observation = operation.observeState { old, new in subject.subject?.note(old, new) }
        operation.setCompletionBlockWithSuccess(
            { _, _ in subject.subject?.completions += 1 }, failure: { _, _ in subject.subject?.completions += 1 })
    }

    /// Notes whether the operation has begun: others may hear of that later, and it may have asked by then.
    func look() {
        guard let caching, !caching.hasBegun, operation.hasBegun else { return }
        caching.didBegin()
    }

    // MARK: Its file

    /// The file that the response goes to.
    private var file: URL?

    func makeFile(in directory: URL) {
        let file = directory.appendingPathComponent("\(index)")
        self.file = file
        operation.downloadDestination = DownloadDestination(fileURL: file)
    }

    /// What is wrong with what an operation has left on the disk, when nobody writes any more.
    func problemOnDisk() -> String? {
        guard let file else { return nil }
        let written = FileManager.default.contents(atPath: file.path)
        guard operation.error == nil else {
            // Who cancels, or whose time is up, while the file is moved into place finds it there, and whole.
            let mayBeThere = operation.isCancelled || operation.totalTimeout != nil
            if let written, !mayBeThere || written != Data(expected) {
                return "op\(index) failed, and its file is there with \(written.count) bytes of \(expected.count)"
            }
            operation.discardPartialDownload()
            return rests(of: file).isEmpty ? nil : "op\(index) leaves \(rests(of: file)) after discarding them"
        }
        if written != Data(expected) {
            return "op\(index)'s file has \(written?.count ?? -1) bytes instead of \(expected.count), or others"
        }
        return rests(of: file).isEmpty ? nil : "op\(index) has its file, and \(rests(of: file))"
    }

    private func rests(of file: URL) -> [String] {
        [".part", ".part.json"].filter { FileManager.default.fileExists(atPath: file.path + $0) }
    }

    // MARK: The reader of its stream

    func makeStream() {
        isStreamed = true
        access = ResponseStreamAccess(operation)
    }

    /// Reads what is there, once. False: there is nothing.
    func read() -> Bool {
        // One task reads, on one thread at a time.
        guard let access, !isInRead else { return false }
        isInRead = true
        defer { isInRead = false }
        if !isReading {
            isReading = true
            guard access.stream.claim() else {
                problem = problem ?? "op\(index)'s stream was claimed by nobody, and cannot be"
                return false
            }
        }
        guard case .content(let data) = access.stream.read() else { return false }
        received += data
        return true
    }

    /// Nobody will read any more: cancels, as a loop that is left, or lets go of what was never read.
    func dropStream() {
        guard let dropped = access, !isInRead else { return }
        access = nil
        if isReading { operation.cancel() }
        withExtendedLifetime(dropped) {}
    }

    /// What is wrong with what was read of the content that should have come.
    private func problem(ofStream expected: [UInt8]) -> String? {
        if operation.error == nil, access != nil, !isReading || received != Data(expected) {
            return "op\(index)'s stream gave \(received.count) bytes instead of \(expected.count), or others"
        }
        return expected.starts(with: received) ? nil : "op\(index)'s stream gave other bytes"
    }

    /// Where redirects lead.
    private var last: String { path.split(separator: "/").drop { $0 == "redirect" }.joined(separator: "/") }

    /// The content that should come.
    private var expected: [UInt8] { last.hasPrefix("status") ? [5, 0] : ScriptedEngine.content(of: "/\(last)") }

    private func note(_ old: OperationState, _ new: OperationState) {
        if new == .executing {
            begins += 1
            caching?.didBegin()
            if begins == 1, !operation.isCancelled,
                let early = upstreams.first(where: {
                    // Unless the edge was, or is just being, taken back.
                    removing[$0.index, default: 0] == 0 && !$0.operation.isFinished
                        && operation.dependencies.contains($0.operation)
                })
            {
                problem = problem ?? "op\(index) began before its upstream op\(early.index) had ended"
            }
        }
        if new == .finished {
            finishes += 1
            caching?.didFinish(error: operation.error)
            if finishes > 1 { problem = problem ?? "op\(index) ended twice" }
        }
    }

    /// What is wrong with an operation that has ended and been told of.
    func problemAfterEnd(posts: Int, wasSentUnprepared: Bool) -> String? {
        if let problem { return problem }
        if mustBePrepared, wasSentUnprepared { return "op\(index) was sent before its preparation" }
        if finishes != 1 { return "op\(index) ended \(finishes) times" }
        if completions != 1 { return "op\(index)'s completion block ran \(completions) times" }
        if method == "POST", posts > 1 { return "op\(index)'s POST was sent \(posts) times" }
        let hasRests = operation.lock.withLock {
            operation._attempt != nil || operation._content != nil || operation._scheduler != nil
                || operation._retry?.hold != nil || operation._retry?.task != nil
        }
        if hasRests { return "op\(index) keeps its attempt, content or queue after the end" }
        let isIntercepted = operation.lock.withLock { operation._isIntercepted }
        if !isIntercepted, operation.retryCount > max(0, (operation.retryPolicy?.maximumAttempts ?? 1) - 1) {
            return "op\(index) was retried \(operation.retryCount) times"
        }
        if let caching {
            if isStreamed, operation.error == nil, access == nil { return nil }
            return caching.problem(with: operation, content: isStreamed ? received : operation.responseData ?? Data())
        }
        if isStreamed, last.hasPrefix("ok") || last.hasPrefix("flaky") {
            return problem(ofStream: expected)
        } else if isStreamed, !last.hasPrefix("auth"), !received.isEmpty, !last.hasPrefix("broken") {
            return "op\(index)'s stream gave content that is none"
        }
        guard operation.error == nil, !isStreamed, file == nil else { return nil }
        if operation.responseData != Data(expected) {
            return "op\(index) has \(operation.responseData?.count ?? -1) bytes instead of \(expected.count), or others"
        }
        return nil
    }
}
