// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

@Suite("Credentials from the shared storage", .timeLimit(.minutes(1))) struct CredentialStorageTests {
    private let server: TestServer

    init() throws {
        server = try TestServer()
        server.respondToOthers { request in
            request["Authorization"].map { .ok($0) }
                ?? ScriptedResponse(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"stored\"")])
        }
    }

    private func space(realm: String? = "stored", port: Int? = nil) -> URLProtectionSpace {
        URLProtectionSpace(
            host: "127.0.0.1", port: port ?? server.port, protocol: "http", realm: realm,
            authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    }

    private func basic(_ user: String) -> String { "Basic " + Data("\(user):stored".utf8).base64EncodedString() }

    /// Runs `body` while `user` is in the storage.
    private func storing(_ user: String, for space: URLProtectionSpace, _ body: () async throws -> Void) async rethrows
    {
        let credential = URLCredential(user: user, password: "stored", persistence: .forSession)
        URLCredentialStorage.shared.setDefaultCredential(credential, for: space)
        // Found by the object: an equal space would remove nothing.
        defer { URLCredentialStorage.shared.remove(credential, for: space) }
        try await body()
    }

    @Test("The space's credential answers when neither the URL nor the operation has one")
    func stored() async throws {
        try await storing("ada", for: space()) {
            #expect(await HTTPRequestOperation(server.url("/")).outcome().text == basic("ada"))
            let own = HTTPRequestOperation(server.url("/"))
            own.credential = URLCredential(user: "own", password: "stored", persistence: .none)
            #expect(await own.outcome().text == basic("own"))
            let url = try #require(URL(string: "http://url:stored@127.0.0.1:\(server.port)/"))
            #expect(await HTTPRequestOperation(url).outcome().text == basic("url"))
        }
        #expect(await HTTPRequestOperation(server.url("/")).outcome().status == 401)
    }

    @Test("A challenge without a realm is answered from everywhere, also in a session")
    func noRealm() async throws {
        server.respond(to: "/plain") { request in
            request["Authorization"].map { .ok($0) }
                ?? ScriptedResponse(status: 401, headers: [("WWW-Authenticate", "Basic")])
        }
        let url = try #require(URL(string: "http://url:stored@127.0.0.1:\(server.port)/plain"))
        #expect(await HTTPRequestOperation(url).outcome().text == basic("url"))
        try await storing("ada", for: space(realm: nil)) {
            #expect(await HTTPRequestOperation(server.url("/plain")).outcome().text == basic("ada"))
            let configuration = URLSessionConfiguration.ephemeral
            configuration.urlCredentialStorage = .shared
            let session = OperationURLSession(configuration: configuration)
            defer { session.invalidateAndCancel() }
            let (data, _) = try await session.data(from: server.url("/plain"))
            #expect(String(decoding: data, as: UTF8.self) == basic("ada"))
            let (other, _) = try await session.data(from: url)
            #expect(String(decoding: other, as: UTF8.self) == basic("url"))
        }
    }

    @Test("It is not asked when the operation says so, nor for another realm or port")
    func notAsked() async throws {
        await storing("ada", for: space()) {
            let operation = HTTPRequestOperation(server.url("/"))
            operation.shouldUseCredentialStorage = false
            #expect(await operation.outcome().status == 401)
            let manager = HTTPRequestOperationManager.offMain(server.url("/"))
            manager.shouldUseCredentialStorage = false
            #expect(await manager.getting("x").status == 401)
        }
        await storing("ada", for: space(realm: "other")) {
            #expect(await HTTPRequestOperation(server.url("/")).outcome().status == 401)
        }
        await storing("ada", for: space(port: server.port + 1)) {
            #expect(await HTTPRequestOperation(server.url("/")).outcome().status == 401)
        }
        #expect(server.requests.allSatisfy { $0["Authorization"] == nil })
    }

    /// Answers when a gate opens.
    private final class PatientStorage: URLCredentialStorage, @unchecked Sendable {
        // Sendable because nothing of it changes.
        let gate = Gate()
        let asked = Tally()

        override func defaultCredential(for space: URLProtectionSpace) -> URLCredential? {
            asked.increment()
            guard gate.wait(timeout: 20), space.realm == "stored" else { return nil }
            return URLCredential(user: "own", password: "stored", persistence: .none)
        }
    }

    private final class Delegate: NSObject, URLSessionTaskDelegate {
        let proposed = Recorder<String?>()

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            proposed.append(challenge.proposedCredential?.user)
            completionHandler(.performDefaultHandling, nil)
        }
    }

    @Test(
        "A storage of the user's own may take its time: it is asked beside the network thread",
        arguments: [false, true])
    func patient(hasDelegate: Bool) async throws {
        server.respond(to: "/free") { _ in .ok("free") }
        let (storage, delegate) = (PatientStorage(), Delegate())
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCredentialStorage = storage
        let session = OperationURLSession(
            configuration: configuration, delegate: hasDelegate ? delegate : nil, delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        async let answer = session.data(from: server.url("/"))
        try await eventually { storage.asked.value == 1 }
        let (free, _) = try await session.data(from: server.url("/free"))
        #expect(String(decoding: free, as: UTF8.self) == "free")
        storage.gate.open()
        #expect(String(decoding: try await answer.0, as: UTF8.self) == basic("own"))
        #expect(delegate.proposed.values == (hasDelegate ? ["own"] : []))
        #expect(storage.asked.value == 1)
    }

    @Test("64 at a time are each answered by a storage of the user's own")
    func patientWithMany() async throws {
        let storage = PatientStorage()
        storage.gate.open()
        let configuration = URLSessionConfiguration.default
        configuration.urlCredentialStorage = storage
        let session = OperationURLSession(configuration: configuration)
        defer { session.invalidateAndCancel() }
        let answers = try await withThrowingTaskGroup(of: Data.self) { group in
            for number in 0..<640 {
                if number >= 64 { _ = try await group.next() }
                group.addTask { try await session.data(from: server.url("/\(number)")).0 }
            }
            var last: [Data] = []
            for try await answer in group { last.append(answer) }
            return last
        }
        #expect(answers.count == 64 && answers.allSatisfy { $0 == Data(basic("own").utf8) })
        #expect(storage.asked.value == 640)
    }

    @Test("A stored credential that is wrong is offered once")
    func wrong() async throws {
        let refusing = try TestServer()
        refusing.respondToOthers { _ in
            ScriptedResponse(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"stored\"")])
        }
        await storing("ada", for: space(port: refusing.port)) {
            #expect(await HTTPRequestOperation(refusing.url("/")).outcome().status == 401)
        }
        #expect(refusing.requests.map { $0["Authorization"] } == [nil, basic("ada")])
    }
}
