// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
@testable import OperationNetworkingSessions

/// Pauses of what a session of Foundation's loads, which counts them.
@Suite("Pauses of Foundation's loading", .timeLimit(.minutes(1))) struct ForeignPauseTests {
    @Test("A loader that is told twice to pause goes on when it is told to once")
    func balance() async throws {
        _ = URLProtocol.registerClass(Patient.self)
        defer { URLProtocol.unregisterClass(Patient.self) }
        let session = OperationURLSession(configuration: .ephemeral)
        let url = try #require(URL(string: "patient://host/"))
        let texts = Notes<String>()
        let task = session.dataTask(with: url) { data, _, _ in
            texts.add(data.map { String(decoding: $0, as: UTF8.self) } ?? "none")
        }
        let inner = try #require((task as? any SessionTaskFace)?.task)
        guard case .foreign(let loader) = inner.withState({ $0.loader }) else {
            Issue.record("an operation loads")
            return
        }
        task.resume()
        await Patient.isStarted.wait()
        // As when one thread suspends the task while another resumes it: see `SuspensionTests.atOnce()`.
        loader.pause()
        loader.pause()
        Patient.answers.withLock { $0 = true }
        loader.proceed()
        try await eventually("the end") { texts.all == ["patient"] }
    }
}

/// Answers when it is started again.
private final class Patient: URLProtocol {
    static let isStarted = Gate()
    static let answers = Locked(false)

    override class func canInit(with request: URLRequest) -> Bool { request.url?.scheme == "patient" }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func stopLoading() {}

    override func startLoading() {
        guard Self.answers.withLock({ $0 }) else { return Self.isStarted.open() }
        guard let url = request.url else { return }
        let response = URLResponse(url: url, mimeType: nil, expectedContentLength: 7, textEncodingName: nil)
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocol(self, didLoad: Data("patient".utf8))
        client?.urlProtocolDidFinishLoading(self)
    }
}
