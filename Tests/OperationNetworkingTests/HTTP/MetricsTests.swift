// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

@Suite("Metrics", .timeLimit(.minutes(1))) struct MetricsTests {
    @Test("Bytes of head and content are those that the server saw", arguments: [0, 1000, 200_000])
    func sentBytes(size: Int) async throws {
        let server = try TestServer()
        server.respondToOthers { _ in .ok("ok") }
        let operation = HTTPRequestOperation(
            server.url(), method: "PUT", body: size > 0 ? Data(count: size) : nil, headers: ["X-Field": "value"])
        operation.securityPolicy = try .ownPool()
        _ = await operation.outcome()
        let metrics = try #require(operation.metrics)
        #expect(metrics.bytesSent == Int64(size))
        #expect(metrics.headerBytesSent + metrics.bytesSent == Int64(server.connections[0].receivedBytes))
        #expect(metrics.cacheOutcome == .none)
    }

    @Test("Bytes received, before and after decoding, wherever the content goes", arguments: [0, 1, 2])
    func receivedBytes(place: Int) async throws {
        let server = try TestServer()
        let directory = try TemporaryDirectory()
        let content = Data(count: 100_000).gzipped
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(content.count)\r\n\r\n"
        server.respondToOthers { _ in .script([.send(head), .send(content)]) }
        let operation = HTTPRequestOperation(server.url())
        if place == 1 { operation.outputStream = OutputStream(url: directory.file("out"), append: false) }
        if place == 2 {
            var count = 0
            for try await chunk in operation.chunks { count += chunk.count }
            #expect(count == 100_000)
        } else {
            _ = await operation.outcome()
        }
        let metrics = try #require(operation.metrics)
        #expect(metrics.bytesReceived == Int64(content.count))
        #expect(metrics.decodedBytesReceived == 100_000)
        #expect(metrics.headerBytesReceived == Int64(head.utf8.count))
    }

    @Test("The phases have dates in their order, and those that did not happen have none")
    func dates() async throws {
        let server = try TestServer()
        server.respond(to: "/", ScriptedResponse.ok("ok").waiting(0.05, at: .beforeHead))
        let policy = try SecurityPolicy.ownPool()
        let before = Date()
        for isReused in [false, true] {
            let operation = HTTPRequestOperation(server.url())
            operation.securityPolicy = policy
            _ = await operation.outcome()
            let metrics = try #require(operation.metrics)
            #expect((metrics.connectStartDate == nil) == isReused)
            if isReused { #expect(metrics.nameLookupTime == 0 && metrics.nameLookupStartDate == nil) }
            let phases = [
                metrics.nameLookupTime, max(metrics.nameLookupTime, metrics.connectTime), metrics.requestStartTime,
                metrics.firstByteTime, metrics.totalTime,
            ]
            #expect(phases == phases.sorted() && metrics.connectTime >= metrics.nameLookupTime)
            #expect(metrics.secureConnectStartDate == nil && metrics.tlsVersion.isEmpty && metrics.cipher.isEmpty)
            let request = try #require(metrics.requestStartDate)
            let response = try #require(metrics.responseStartDate)
            let ends = (metrics.connectEndDate ?? request, try #require(metrics.requestEndDate))
            let dates = [
                metrics.startDate, metrics.connectStartDate ?? request, ends.0, request, ends.1, response,
                metrics.endDate,
            ]
            #expect(dates == dates.sorted())
            #expect((metrics.connectEndDate == nil) == isReused && metrics.secureConnectEndDate == nil)
            #expect(metrics.localAddress == metrics.remoteAddress && metrics.localPort > 0)
            #expect(metrics.localPort != metrics.remotePort)
            #expect(response.timeIntervalSince(request) >= 0.04)
            // The clocks are two.
            #expect(metrics.startDate > before - 0.1 && metrics.endDate < Date() + 0.1)
        }
    }

    @Test("The response begins after the content was sent, also where the server said first that it wants it")
    func sendingContent() async throws {
        let server = try TestServer()
        server.respondToOthers { _ in ScriptedResponse.ok("ok").waiting(0.05, at: .beforeHead) }
        for (headers, size) in [([:], 5), ([:], 2 << 20), (["Expect": "100-continue"], 2 << 20)] {
            let operation = HTTPRequestOperation(
                server.url(), method: "PUT", body: Data(count: size), headers: headers)
            #expect(await operation.outcome().text == "ok")
            let metrics = try #require(operation.metrics)
            #expect(metrics.requestStartTime <= metrics.requestEndTime)
            #expect(size == 5 || metrics.requestStartTime < metrics.requestEndTime)
            #expect(metrics.firstByteTime - metrics.requestEndTime >= 0.04)
            #expect(metrics.firstByteTime <= metrics.totalTime)
        }
        #expect(server.requests.map { $0["Expect"] } == [nil, nil, "100-continue"])
    }

    @Test("TLS version and cipher, also on a connection that was open")
    func tls() async throws {
        let root = try TestCertificateAuthority(name: "Metrics Root")
        let server = try TestServer(tls: TLSSettings(root.issueForLocalhost()))
        server.respondToOthers { _ in .ok("ok") }
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = [root.certificate.der]
        for isReused in [false, true] {
            let operation = HTTPRequestOperation(server.url())
            operation.securityPolicy = policy
            #expect(await operation.outcome().text == "ok")
            let metrics = try #require(operation.metrics)
            #expect(metrics.tlsVersion == "TLSv1.3" && metrics.cipher.hasPrefix("TLS_"))
            #expect(metrics.reusedConnection == isReused && (metrics.secureConnectStartDate == nil) == isReused)
            #expect((metrics.secureConnectEndDate == nil) == isReused)
            #expect(metrics.secureConnectEndDate == metrics.connectEndDate)
        }
    }
}
