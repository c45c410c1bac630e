// SPDX-License-Identifier: MIT
import Dispatch
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworking
import TestServer

/// How a request ended, as its blocks told.
// Sendable because nobody touches the object any more: the operation is finished.
struct HTTPOutcome: @unchecked Sendable {
    let operation: HTTPRequestOperation?
    let object: Any?
    let error: (any Error)?

    var status: Int? { operation?.response?.statusCode }
    var data: Data? { operation?.responseData }
    var text: String? { operation?.responseString }
    var json: [String: Any] { object as? [String: Any] ?? [:] }
    var urlError: URLError? { error as? URLError }
    var code: Int? { error.map { ($0 as NSError).code } }

    /// A dictionary within the JSON object.
    func field(_ name: String) -> [String: Any] { json[name] as? [String: Any] ?? [:] }
}

extension HTTPRequestOperation {
    convenience init(
        _ url: URL, method: String = "GET", body: Data? = nil, headers: [String: String] = [:],
        timeout: TimeInterval = 60
    ) {
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.httpBody = body
        request.timeoutInterval = timeout
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        self.init(request: request)
    }

    /// Hands the operation to `launch`, which starts it by default, and waits for its one completion. A second one would
    /// stop the test process.
    func outcome(_ launch: (HTTPRequestOperation) -> Void = { $0.start() }) async -> HTTPOutcome {
        if completionQueue == nil { completionQueue = DispatchQueue(label: "test.completion") }
        return await withCheckedContinuation { continuation in
            setCompletionBlockWithSuccess(
                { continuation.resume(returning: HTTPOutcome(operation: $0, object: $1, error: nil)) },
                failure: { operation, error in
                    continuation.resume(
                        returning: HTTPOutcome(operation: operation, object: operation.responseObject, error: error))
                })
            launch(self)
        }
    }
}

/// Sends requests and waits for them.
extension HTTPRequestOperationManager {
    typealias Sending = (@escaping Success, @escaping Failure) -> HTTPRequestOperation?

    /// A manager whose blocks do not go over the main queue.
    static func offMain(_ baseURL: URL?) -> HTTPRequestOperationManager {
        let manager = HTTPRequestOperationManager(baseURL: baseURL)
        manager.completionQueue = DispatchQueue(label: "test.completion")
        return manager
    }

    func outcome(_ send: Sending) async -> HTTPOutcome {
        await withCheckedContinuation { continuation in
            _ = send(
                { continuation.resume(returning: HTTPOutcome(operation: $0, object: $1, error: nil)) },
                { operation, error in
                    continuation.resume(
                        returning: HTTPOutcome(operation: operation, object: operation?.responseObject, error: error))
                })
        }
    }

    func getting(_ string: String, parameters: [String: String]? = nil) async -> HTTPOutcome {
        await outcome { get(string, parameters: parameters, success: $0, failure: $1) }
    }
}

/// A list that closures on any thread append to.
final class Journal<Element: Sendable>: Sendable {
    private let entries = Locked<[Element]>([])

    func append(_ element: Element) { entries.withLock { $0.append(element) } }
    var all: [Element] { entries.withLock { $0 } }
    var count: Int { entries.withLock { $0.count } }
}

/// One call of a progress block.
struct ProgressCall: Sendable, Equatable {
    let bytes: Int
    let total: Int64
    let expected: Int64
}

extension ScriptedResponse {
    /// `pattern(count:)` for millions of bytes.
    static func longPattern(count: Int) -> Data {
        let block = pattern(count: 251 * 256)
        var data = Data(capacity: count + block.count)
        while data.count < count { data.append(block) }
        return data.prefix(count)
    }
}

extension SecurityPolicy {
    /// A policy that no other test has, and with it a pool of connections that no other test uses.
    static func ownPool() throws -> SecurityPolicy {
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = [try TestCertificateAuthority().certificate.der]
        return policy
    }
}

/// Runs blocking work away from the threads that tests share.
func blocking<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: work()) }
    }
}
