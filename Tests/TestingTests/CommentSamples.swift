// SPDX-License-Identifier: MIT
internal import OperationNetworking
internal import OperationNetworkingTestServer
internal import OperationNetworkingTesting
internal import OperationNetworkingTestingTraits
internal import TestServer
internal import Testing

// The samples in the comments of the testing modules, compiled. `DocumentationTests` sees to it that they are the same.

// Those that are tests, run.
@Suite("Samples in comments", .timeLimit(.minutes(1)))
struct CommentSampleTests {
    private struct WrongBooks: Error {}

    /// A client that makes its own manager.
    private struct Library {
        private let manager = HTTPRequestOperationManager(baseURL: URL(string: "https://api.example.org/"))

        func books() async throws -> [String] {
            try await manager.makeOperation(method: "GET", "books").decoded([String].self)
        }
    }

    // WithSimulation.swift: func withSimulation
    @Test("A simulation")
    func simulation() async throws {
        try await withSimulation { simulation in
            let stubs = HTTPStubs()
            stubs.on(
                "GET", "/books",
                respond: .sequence([
                    StubResponse(status: 503), .json(["The Lathe of Heaven"]),
                ]))
            let manager = HTTPRequestOperationManager(
                baseURL: URL(string: "https://api.example.org/"))
            manager.retryPolicy = RetryPolicy()
            stubs.install(on: manager)
            let books = try await manager.makeOperation(method: "GET", "books")
                .decoded([String].self)
            guard books.count == 1 else { throw WrongBooks() }
        }
    }

    // HTTPStubsTrait.swift: func httpStubs
    @Test(
        .httpStubs {
            $0.on("GET", "/books", respond: .json(["The Dispossessed"]))
        })
    func books() async throws {
        #expect(try await Library().books() == ["The Dispossessed"])
        #expect(HTTPStubs.current?.requests.count == 1)
    }

    // SimulationSeedsTrait.swift: var simulationSeeds
    @Test(.simulationSeeds)
    func simulatedBooks() async throws {
        try await withSimulation { simulation in
            let stubs = HTTPStubs()
            stubs.on("GET", "/books", respond: .json(["Lavinia"]))
            let books = try await stubs.withInstalled {
                try await Library().books()
            }
            #expect(books == ["Lavinia"])
        }
    }
}

// The others are not run.

// HTTPStubs.swift: final class HTTPStubs
private func stubs(_ manager: HTTPRequestOperationManager) {
    let stubs = HTTPStubs()
    stubs.on(
        "GET", "https://api.example.org/users/{id}",
        respond: .json(["name": "Ursula"]))
    stubs.install(on: manager)
}

// HTTPStubs+Installing.swift: func installOnProcess
private final class InstallingCase: Case {
    private let stubs = HTTPStubs()

    override func setUp() {
        let installation = stubs.installOnProcess()
        addTeardownBlock { installation.remove() }
    }
}

/// What that sample has from XCTest's `XCTestCase`, which no test here is made of.
private class Case {
    func setUp() {}
    func addTeardownBlock(_ block: @escaping () -> Void) {}
}

// StubResponse.swift: static func json
private func object(_ stubs: HTTPStubs) {
    stubs.on("GET", "/users/7", respond: .json(["id": 7, "name": "Ann", "roles": ["admin"]]))
}

// Cassette.swift: final class Cassette
private func cassette(_ manager: HTTPRequestOperationManager, _ file: URL) throws {
    let cassette = try Cassette(file, mode: .replayOrRecord)
    cassette.stubs.install(on: manager)
    // … the test …
    try cassette.finish()
}

// HTTPStubServer.swift: final class HTTPStubServer
private func server() throws {
    let stubs = HTTPStubs()
    stubs.on("GET", "/users/{id}", respond: .json(["name": "Ursula"]))
    let server = try HTTPStubServer(stubs)
    let url = server.baseURL.appendingPathComponent("users/7")
    print(url)
}

// HTTPStubServer+Identity.swift: struct Identity
private func identity(_ manager: HTTPRequestOperationManager, _ stubs: HTTPStubs) throws {
    let server = try HTTPStubServer(stubs, identity: HTTPStubServer.Identity())
    manager.securityPolicy.anchorCertificates = [server.identity!.authority]
}

// TestCertificateAuthority.swift: struct TestCertificateAuthority
private func authority() throws {
    let root = try TestCertificateAuthority()
    let identity = try root.makeIntermediate().issueForLocalhost()
    let context = try TLSServerContext(TLSSettings(identity))
    _ = context
}
