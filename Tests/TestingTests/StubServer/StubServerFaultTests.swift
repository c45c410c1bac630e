// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworkingTesting
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization
@testable import OperationNetworkingTestServer

/// What goes wrong on purpose, and what clients make of it.
@Suite("Stub server's faults", .timeLimit(.minutes(2)))
struct StubServerFaultTests {
    let stubs = HTTPStubs()

    private func code(_ operation: HTTPRequestOperation) async -> URLError.Code? {
        (await operation.failure() as? URLError)?.code
    }

    @Test("A failure makes a client fail so", arguments: StubServerWay.allCases)
    func failures(_ way: StubServerWay) async throws {
        stubs.on("POST", "/lost", respond: .failure(.networkConnectionLost))
        stubs.on("POST", "/malformed", respond: .failure(.cannotParseResponse))
        stubs.on("GET", "/silent", respond: .failure(.timedOut))
        let server = try way.makeServer(stubs)
        let manager = way.makeManager(server)
        // A POST is not sent again.
        let lost = manager.httpRequestOperation(with: try makeRequest("\(server.baseURL)lost", method: "POST"))
        #expect(await code(lost) == .networkConnectionLost)
        let malformed = manager.httpRequestOperation(
            with: try makeRequest("\(server.baseURL)malformed", method: "POST"))
        let found = await code(malformed)
        #expect(found == .cannotParseResponse || found == .badServerResponse || found == .networkConnectionLost)
        var request = try makeRequest("\(server.baseURL)silent")
        request.timeoutInterval = 0.3
        #expect(await code(manager.httpRequestOperation(with: request)) == .timedOut)
        // The server goes on.
        stubs.on("GET", "/", respond: .text("still here"))
        #expect(try await manager.request("").data().0 == Data("still here".utf8))
    }

    @Test("A response that breaks off has what came before", arguments: StubServerWay.allCases)
    func cut(_ way: StubServerWay) async throws {
        stubs.on("POST", "/cut", respond: StubResponse(body: Data(count: 100_000)).failing(after: 70_000))
        let server = try way.makeServer(stubs)
        let manager = way.makeManager(server)
        let operation = manager.httpRequestOperation(with: try makeRequest("\(server.baseURL)cut", method: "POST"))
        #expect(await code(operation) == .networkConnectionLost)
        #expect(operation.response?.statusCode == 200)
        let count = operation.metrics?.bytesReceived
        // Over HTTP/2 libcurl drops with the connection what it had not handed on.
        if way.isHTTP2 { #expect(count.map { $0 <= 70_000 } == true) } else { #expect(count == 70_000) }
    }

    @Test("A request that is refused over HTTP/2 can be sent again")
    func refused() async throws {
        stubs.on("GET", "/", respond: .sequence([.failure(.cannotConnectToHost), .text("then")]))
        let server = try HTTPStubServer(stubs)
        #expect(try await StubServerWay.http2.makeManager(server).request("").data().0 == Data("then".utf8))
        #expect(stubs.requests.count == 2)
    }

    @Test("A length that is not the content's ends the connection")
    func wrongLength() async throws {
        stubs.on("POST", "/", respond: StubResponse(headers: ["Content-Length": "9"], body: Data("four".utf8)))
        stubs.on("GET", "/", respond: .text("next"))
        let server = try HTTPStubServer(stubs)
        let manager = StubServerWay.http1.makeManager(server)
        let operation = manager.httpRequestOperation(with: try makeRequest("\(server.baseURL)", method: "POST"))
        #expect(await code(operation) == .networkConnectionLost)
        #expect(try await manager.request("").data().0 == Data("next".utf8))
    }

    @Test("A server that nobody vouches for, or whose certificate is old, is refused")
    func untrusted() async throws {
        stubs.on(nil, "*", respond: .text("never"))
        for (identity, isTrusted, expected) in [
            (try HTTPStubServer.Identity(), false, URLError.Code.serverCertificateHasUnknownRoot),
            (try HTTPStubServer.Identity(validity: .expired), true, .serverCertificateHasBadDate),
            (try HTTPStubServer.Identity(validity: .notYetValid), true, .serverCertificateNotYetValid),
            (try HTTPStubServer.Identity(hostNames: ["other.example"]), true, .serverCertificateUntrusted),
        ] {
            let server = try HTTPStubServer(stubs, identity: identity)
            let manager = StubServerWay.tls2.makeManager(server)
            if !isTrusted { manager.securityPolicy = .default() }
            #expect(await code(manager.request("")) == expected)
        }
        #expect(stubs.requests.isEmpty)
        let server = try HTTPStubServer(stubs, identity: HTTPStubServer.Identity(hostNames: ["api.example"]))
        let manager = StubServerWay.tls2.makeManager(server)
        manager.hostOverrides = ["api.example": "127.0.0.1"]
        let url = "https://api.example:\(server.port)/"
        #expect(try await manager.httpRequestOperation(with: makeRequest(url)).data().0 == Data("never".utf8))
        #expect(stubs.requests.map(\.description) == ["GET \(url)"])
    }

    @Test("Connections that are broken off, and a server that comes back", arguments: StubServerWay.allCases)
    func restart(_ way: StubServerWay) async throws {
        stubs.on("POST", "/silent", respond: .failure(.timedOut))
        stubs.on("GET", "/", respond: .text("here"))
        let server = try way.makeServer(stubs)
        let manager = way.makeManager(server)
        let operation = manager.httpRequestOperation(with: try makeRequest("\(server.baseURL)silent", method: "POST"))
        manager.operationQueue.addOperation(operation)
        try await stubs.waitForRequests(1)
        server.closeConnections()
        #expect(server.openConnectionCount == 0)
        #expect(await code(operation) == .networkConnectionLost)
        #expect(try await manager.request("").data().0 == Data("here".utf8))
        server.stop()
        server.stop()
        server.closeConnections()
        #expect(await code(manager.request("")) == .cannotConnectToHost)
        let next = try HTTPStubServer(stubs, identity: server.identity, port: server.port)
        #expect(try await manager.request("").data().0 == Data("here".utf8))
        #expect(next.acceptedConnectionCount > 0)
    }

    @Test("What cannot be is an error")
    func mistakes() throws {
        let server = try HTTPStubServer(stubs)
        #expect(throws: HTTPStubServerError.self) { try HTTPStubServer(stubs, port: server.port) }
        #expect(throws: HTTPStubServerError(reason: "70000 is no port")) { try HTTPStubServer(stubs, port: 70_000) }
        #expect(throws: HTTPStubServerError(reason: "“example.org” is no IP address")) {
            try HTTPStubServer(stubs, address: "example.org")
        }
        #expect(throws: HTTPStubServerError.self) { try HTTPStubServer(stubs, protocols: []) }
        #expect(try HTTPStubServer(stubs, address: "::1").baseURL.host == "::1")
        let error = HTTPStubServerError(call: "bind", code: EADDRINUSE)
        #expect(error.description == "the stub server cannot be started: bind: Address already in use")
        #expect(error.localizedDescription == error.description)
    }

    @Test("A client that goes while a rule thinks takes its answer along", arguments: StubServerWay.allCases)
    func cancelled(_ way: StubServerWay) async throws {
        let wasCancelled = Gate()
        stubs.on("GET", "/slow") { _ in
            do {
                try await Task.sleep(for: .seconds(60))
            } catch {
                wasCancelled.open()
                throw error
            }
            return .text("late")
        }
        let server = try way.makeServer(stubs)
        let manager = way.makeManager(server)
        let operation = manager.request("slow")
        manager.operationQueue.addOperation(operation)
        try await stubs.waitForRequests(1)
        operation.cancel()
        _ = await operation.failure()
        try await eventually("the end") { wasCancelled.isOpen }
    }

    @Test("One request of several over a connection is cancelled, the others stay", arguments: [true, false])
    func cancelledAlone(usesTLS: Bool) async throws {
        let way = usesTLS ? StubServerWay.tls2 : .http2
        let goes = Gate()
        stubs.on("GET", "/{number}") { request in
            await goes.wait()
            return .text(request.url?.lastPathComponent ?? "")
        }
        let server = try way.makeServer(stubs)
        let manager = way.makeManager(server)
        let operations = (0..<5).map { manager.request("\($0)") }
        for operation in operations { manager.operationQueue.addOperation(operation) }
        try await stubs.waitForRequests(5)
        operations[2].cancel()
        #expect(await code(operations[2]) == .cancelled)
        goes.open()
        for (number, operation) in operations.enumerated() where number != 2 {
            #expect(try await operation.data().0 == Data("\(number)".utf8))
        }
        #expect(server.acceptedConnectionCount == 1)
    }
}
