// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
@testable import OperationNetworkingSessions

/// Tasks that Foundation makes on a session that is invalidated while they are being started.
@Suite("Foundation's tasks of invalidated sessions", .timeLimit(.minutes(1))) struct InvalidatedLoadingTests {
    private final class TaskDelegate: NSObject, URLSessionTaskDelegate {}

    @Test("A task that is over before its loading has begun is released, and its delegate with it")
    func overAtOnce() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("hello") }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Invalidator.self]
        weak var gone: TaskDelegate?
        do {
            let session = OperationURLSession(configuration: configuration)
            Invalidator.whenAsked.withLock { $0 = { session.invalidateAndCancel() } }
            // Its functions are Foundation's.
            let plain: URLSession = session
            let delegate = TaskDelegate()
            gone = delegate
            do {
                _ = try await plain.data(for: URLRequest(url: server.url()), delegate: delegate)
                Issue.record("the task was not cancelled")
            } catch {
                #expect((error as? URLError)?.code == .cancelled)
            }
        }
        let wasAsked = Invalidator.whenAsked.withLock { $0 == nil }
        #expect(wasAsked && server.requests.isEmpty)
        try await eventually("the delegate goes") { gone == nil }
    }
}

/// Takes no request, and does something when it is asked, which is while a task is being made.
private final class Invalidator: URLProtocol {
    static let whenAsked = Locked<(@Sendable () -> Void)?>(nil)

    override class func canInit(with request: URLRequest) -> Bool {
        let work = whenAsked.withLock { $0.take() }
        work?()
        return false
    }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func startLoading() {}
    override func stopLoading() {}
}
