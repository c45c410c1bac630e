// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

/// What a program may say about how connections are made.
@Suite("Settings of connections", .timeLimit(.minutes(1))) struct ConnectionSettingsTests {
    private func manager(_ baseURL: URL? = nil) -> HTTPRequestOperationManager {
        let manager = HTTPRequestOperationManager.offMain(baseURL)
        manager.responseSerializer = HTTPResponseSerializer()
        return manager
    }

    @Test("Operations have their manager's settings, copies theirs; none has any at first")
    func defaults() {
        let plain = HTTPRequestOperation(URL(fileURLWithPath: "/"))
        #expect(plain.httpVersionPreference == .automatic)
        #expect(plain.unixSocketPath == nil && plain.networkInterface == nil)
        let manager = manager()
        #expect(manager.httpVersionPreference == .automatic && manager.hostOverrides.isEmpty)
        #expect(manager.unixSocketPath == nil && manager.networkInterface == nil)
        manager.httpVersionPreference = .http1
        manager.hostOverrides = ["a.test": "192.0.2.1"]
        manager.unixSocketPath = "/s"
        manager.networkInterface = "lo"
        for each in [manager, manager.copy() as? HTTPRequestOperationManager] {
            let operation = each?.httpRequestOperation(
                with: URLRequest(url: URL(fileURLWithPath: "/")), success: nil, failure: nil)
            for operation in [operation, operation?.copy() as? HTTPRequestOperation] {
                #expect(operation?.httpVersionPreference == .http1)
                #expect(operation?.unixSocketPath == "/s" && operation?.networkInterface == "lo")
            }
            #expect(each?.hostOverrides == ["a.test": "192.0.2.1"])
        }
    }

    @Test("A host is asked at the address that stands for it, however its name is written")
    func hostOverrides() async throws {
        let server = try TestServer()
        server.respondToOthers { .ok($0["Host"] ?? "none") }
        let manager = manager()
        manager.hostOverrides = ["API.test.": "127.0.0.1", "bad.test": "elsewhere", "b\u{fc}cher.test": "127.0.0.1"]
        #expect(
            await manager.getting("http://api.TEST:\(server.port)/").text?.lowercased() == "api.test:\(server.port)")
        #expect(await manager.getting("http://xn--bcher-kva.test:\(server.port)/").status == 200)
        let bad = await manager.getting("http://bad.test:\(server.port)/")
        #expect(bad.urlError?.code == .cannotFindHost && bad.error?.localizedDescription.contains("elsewhere") == true)
        #expect(await manager.getting("http://none.invalid:\(server.port)/").urlError?.code == .cannotFindHost)
    }

    @Test("The names in a certificate have to be the URL's, whatever address stands for the host")
    func overriddenNames() async throws {
        let root = try TestCertificateAuthority(name: "Override Root")
        let server = try TestServer(tls: TLSSettings(root.issue(dnsNames: ["api.test"])))
        server.respondToOthers { _ in .ok("fine") }
        let manager = manager()
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = [root.certificate.der]
        manager.securityPolicy = policy
        manager.hostOverrides = ["api.test": "127.0.0.1", "other.test": "127.0.0.1"]
        #expect(await manager.getting("https://api.test:\(server.port)/").text == "fine")
        let other = await manager.getting("https://other.test:\(server.port)/")
        #expect(other.urlError?.code == .serverCertificateUntrusted)
    }

    @Test("Settings that cannot be end an operation with an error that says which")
    func badSettings() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("fine") }
        for path in ["", String(repeating: "p", count: 108), "a\0b"] {
            let operation = HTTPRequestOperation(server.url("/"))
            operation.unixSocketPath = path
            let outcome = await operation.outcome()
            #expect(outcome.urlError?.code == .cannotConnectToHost)
            #expect(outcome.error?.localizedDescription.contains("unixSocketPath") == true)
        }
        for name in ["", "a b", "if\0", "nosuch0"] {
            let operation = HTTPRequestOperation(server.url("/"))
            operation.networkInterface = name
            #expect(await operation.outcome().urlError?.code == .cannotConnectToHost)
        }
        #expect(server.requests.isEmpty)
    }

    @Test("A manager's requests go through its Unix-domain socket")
    func unixSocket() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("s").path
        let nginx = try NginxServer.start(portCount: 1) { layout in
            """
            server { listen 127.0.0.1:\(layout.ports[0]); return 200 tcp; }
            server { listen unix:\(path); location / { return 200 unix; } location /to { return 302 /x; } }
            """
        }
        defer { nginx.stop() }
        let manager = manager(URL(string: "http://docker.test/"))
        manager.unixSocketPath = path
        #expect(await manager.getting("x").text == "unix")
        #expect(await manager.getting("to").text == "unix")
        manager.unixSocketPath = nil
        #expect(await manager.getting(nginx.url("/").absoluteString).text == "tcp")
    }

    @Test("HTTP/2 with prior knowledge, many at once through one queue")
    func priorKnowledge() async throws {
        let server = try HTTP2Server.start()
        defer { server.stop() }
        let manager = manager()
        manager.httpVersionPreference = .http2PriorKnowledge
        let batch = OperationBatch(
            (0..<60).map { _ in
                manager.httpRequestOperation(with: URLRequest(url: server.url("/")), success: nil, failure: nil)
            })
        batch.completionQueue = DispatchQueue(label: "batch")
        var connections: Set<String?> = []
        for operation in await batch.value() {
            #expect(operation.metrics?.httpVersion == "2", "\(String(describing: operation.error))")
            connections.insert(operation.responseString)
        }
        #expect(connections.count == 1)
    }

    @Test("What the libraries below can is told, and limits are kept in bounds")
    func engine() {
        let capabilities = NetworkEngine.capabilities
        #expect(capabilities.supportsHTTP2 && capabilities.supportsUnixSockets)
        #expect(capabilities.libcurlVersion.first?.isNumber == true && capabilities.tlsVersion.contains("OpenSSL"))
        #expect(capabilities.contentCodings.contains("gzip"))
        #expect(NetworkEngine.maximumConnections == .max)
        #expect(NetworkEngine.idleConnectionTimeout == 60)
    }
}
