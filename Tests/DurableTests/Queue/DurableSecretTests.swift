// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworking
import OperationNetworkingDurable
import TestServer
import Testing

@Suite(.timeLimit(.minutes(2)))
struct DurableSecretTests {
    struct Provider: DurableSecretProvider {
        func secrets(for reference: String, request: URLRequest) async throws -> DurableSecrets {
            guard reference == "api" else { throw URLError(.userAuthenticationRequired) }
            return DurableSecrets(fields: ["Authorization": "Bearer s3cret-t0ken"])
        }
    }

    let setup: DurableSetup

    init() throws {
        setup = try DurableSetup()
    }

    private func refusal(_ queue: DurableRequestQueue, _ request: URLRequest) async -> DurableRequestError? {
        do {
            try await queue.add(request)
            return nil
        } catch {
            return error as? DurableRequestError
        }
    }

    @Test(arguments: ["Authorization", "proxy-AUTHORIZATION", "Cookie"])
    func aSecretFieldIsRefused(name: String) async throws {
        var request = setup.request("/a")
        request.setValue("s3cret-t0ken", forHTTPHeaderField: name)
        let error = await refusal(setup.queue(), request)
        #expect(error?.code == .secret)
        #expect(error?.description.contains("s3cret") == false)
        #expect(try await setup.store.counts(inGroup: nil).total == 0)
    }

    @Test func whatCannotBeStoredIsRefused() async throws {
        let queue = setup.queue()
        var stream = setup.request("/a", method: "POST")
        stream.httpBodyStream = InputStream(data: Data())
        let user = URLRequest(url: try #require(URL(string: "http://kim:pass@example.com/")))
        let file = URLRequest(url: URL(fileURLWithPath: "/etc/passwd"))
        // Names that would take long to compare, and are none.
        let marks = String(repeating: "\u{301}\u{316}", count: 50_000)
        var field = setup.request("/a")
        field.allHTTPHeaderFields = [marks: "1"]
        let method = setup.request("/a", method: marks)
        let host = URLRequest(
            url: try #require(URL(string: "http://" + String(repeating: "%CC%81%CC%96", count: 5_000) + "/")))
        for (request, code) in [
            (stream, DurableRequestError.Code.bodyStream), (user, .secret), (file, .unsuitableURL),
            (field, .unsuitableValue), (method, .unsuitableValue), (host, .unsuitableURL),
        ] {
            let error = await refusal(queue, request)
            #expect(error?.code == code)
        }
    }

    @Test func aReferenceIsStoredAndTheSecretIsSent() async throws {
        setup.server.respondToOthers { _ in .ok().adding(header: "Set-Cookie", "s=s3cret-t0ken") }
        let queue = setup.queue { $0.secretProvider = Provider() }
        var request = DurableRequest(setup.request("/a"))
        request.secretReference = "api"
        var unknown = DurableRequest(setup.request("/b"))
        unknown.secretReference = "other"
        try await queue.add([request, unknown])
        try await queue.run()
        #expect(setup.server.requests.map { $0["Authorization"] } == ["Bearer s3cret-t0ken"])
        #expect(try await queue.result(of: request.id)?.state == .succeeded)
        #expect(try await queue.result(of: unknown.id)?.state == .failed)
        for name in try FileManager.default.contentsOfDirectory(atPath: setup.directory.path) {
            let content = try Data(contentsOf: setup.directory.file(name))
            #expect(content.range(of: Data("s3cret".utf8)) == nil, "\(name)")
        }
    }

    @Test func aReferenceWithoutAProviderFails() async throws {
        let queue = setup.queue()
        var request = DurableRequest(setup.request("/a"))
        request.secretReference = "api"
        try await queue.add([request])
        try await queue.run()
        #expect(try await queue.result(of: request.id)?.state == .failed)
        #expect(setup.server.requests.isEmpty)
    }

    /// A provider that never answers, and does not mind that it is cancelled.
    struct SilentProvider: DurableSecretProvider {
        let calls = AsyncStream.makeStream(of: String.self)
        private let waiting = Locked<[CheckedContinuation<Void, Never>]>([])

        func secrets(for reference: String, request: URLRequest) async throws -> DurableSecrets {
            await withCheckedContinuation { continuation in
                waiting.withLock { $0.append(continuation) }
                calls.continuation.yield(reference)
            }
            return DurableSecrets(fields: ["X-Late": "1"])
        }

        func answer() {
            let waiting = waiting.withLock { waiting in
                defer { waiting = [] }
                return waiting
            }
            for one in waiting { one.resume() }
        }
    }

    enum Ending: CaseIterable { case drain, cancellation, deadline }

    @Test(arguments: Ending.allCases) func aProviderThatDoesNotAnswerHoldsUpNoEnd(_ ending: Ending) async throws {
        let provider = SilentProvider()
        let queue = setup.queue { $0.secretProvider = provider }
        var request = DurableRequest(setup.request("/a"))
        request.secretReference = "api"
        if ending == .deadline { request.timeToDeadline = 0.3 }
        try await queue.add([request])
        async let run: Void = queue.run()
        for await _ in provider.calls.stream { break }
        switch ending {
        case .drain: await queue.drain(timeout: 0)
        case .cancellation: #expect(try await queue.cancel([request.id]).running == 1)
        case .deadline: break
        }
        try await run
        provider.answer()
        let state = try await queue.result(of: request.id)?.state
        #expect(state == [.drain: .ready, .cancellation: .cancelled, .deadline: .failed][ending])
        #expect(setup.server.requests.isEmpty)
    }

    @Test func aBodyFileIsSentAgainAfterAChallenge() async throws {
        struct Credentials: DurableSecretProvider {
            func secrets(for reference: String, request: URLRequest) async throws -> DurableSecrets {
                DurableSecrets(credential: URLCredential(user: "kim", password: "pass", persistence: .none))
            }
        }
        setup.server.respondToOthers { request in
            request["Authorization"] == nil
                ? .status(401).adding(header: "WWW-Authenticate", "Basic realm=\"files\"") : .ok()
        }
        let queue = setup.queue { $0.secretProvider = Credentials() }
        var request = DurableRequest(setup.request("/a", method: "PUT"))
        request.secretReference = "api"
        request.bodyFile = try setup.directory.write("content", to: "body.txt")
        try await queue.add([request])
        try await queue.run()
        #expect(setup.server.requests.last?.body == Data("content".utf8))
        #expect(try await queue.result(of: request.id)?.state == .succeeded)
    }

    @Test func aBodyFileIsSent() async throws {
        setup.server.respondToOthers { _ in .ok() }
        let queue = setup.queue()
        var request = DurableRequest(setup.request("/a", method: "PUT"))
        request.bodyFile = try setup.directory.write("content", to: "body.txt")
        var missing = DurableRequest(setup.request("/b", method: "PUT"))
        missing.bodyFile = setup.directory.file("missing.txt")
        try await queue.add([request, missing])
        try await queue.run()
        #expect(setup.server.requests.map(\.body) == [Data("content".utf8)])
        #expect(try await queue.result(of: missing.id)?.failure?.description.contains("missing.txt") == true)
    }
}
