// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// Informational responses, and trailer fields.
@Suite("Before and after the response", .timeLimit(.minutes(1))) struct FieldsAroundResponseTests {
    private struct Told: Sendable, Equatable {
        let status: Int
        let link: String?
        init(_ response: HTTPURLResponse) {
            status = response.statusCode
            link = response.value(forHTTPHeaderField: "Link")
        }
    }

    private func run(_ operation: HTTPRequestOperation) async -> [Told] {
        let told = Recorder<Told>()
        operation.responseSerializer = HTTPResponseSerializer()
        operation.setInformationalResponseBlock { told.append(Told($1)) }
        await operation.run()
        return told.values
    }

    @Test("Informational responses are told in order, trailers are there at the end, and neither is in the response")
    func http1() async throws {
        let server = try TestServer()
        server.respondToOthers { request in
            switch request.path {
            case "/moved":
                .script([
                    .send(
                        Data(
                            ("HTTP/1.1 103 Early Hints\r\nLink: moved\r\n\r\n"
                                + "HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n").utf8))
                ])
            default:
                .script([
                    .send(
                        Data(
                            ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n"
                                + "HTTP/1.1 103 Early Hints\r\nLink: a\r\nlink: b\r\n\r\n"
                                + "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                                + "3\r\nabc\r\n0\r\nChecksum: 1\r\nchecksum: 2\r\nSet-Cookie: a=b\r\nX: y\r\n\r\n").utf8
                        ))
                ])
            }
        }
        let cookies = try HTTPCookieStorage.inMemory()
        let operation = HTTPRequestOperation(server.url("/moved"))
        operation.cookieStorage = cookies
        let told = await run(operation)
        #expect(told.map(\.status) == [103, 102, 103] && told.map(\.link) == ["moved", nil, "a, b"])
        #expect(operation.responseString == "abc" && operation.response?.value(forHTTPHeaderField: "Link") == nil)
        #expect(operation.responseTrailers == ["Checksum": "1, 2", "Set-Cookie": "a=b", "X": "y"])
        #expect(operation.response?.value(forHTTPHeaderField: "Checksum") == nil)
        // RFC 9110, section 6.5.1: what controls anything is no trailer.
        #expect(cookies.cookies?.isEmpty != false)
        let without = HTTPRequestOperation(server.url("/moved"))
        without.setRedirectResponseBlock { _, request, response in response == nil ? request : nil }
        #expect(await run(without).count == 1 && without.responseTrailers.isEmpty)
    }

    @Test("The same over HTTP/2")
    func http2() async throws {
        let server = try HTTP2Server.start()
        defer { server.stop() }
        let operation = HTTPRequestOperation(server.url("/hints"))
        operation.httpVersionPreference = .http2PriorKnowledge
        let told = await run(operation)
        #expect(told.map(\.status) == [103] && told.first?.link == "</a.css>; rel=preload")
        #expect(operation.responseString == "content" && operation.metrics?.httpVersion == "2")
        #expect(operation.responseTrailers == ["checksum": "1, 2"])
    }
}
