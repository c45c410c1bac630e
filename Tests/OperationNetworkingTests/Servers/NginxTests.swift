// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

@Suite("Against nginx", .timeLimit(.minutes(2))) struct NginxTests {
    private static let large = ScriptedResponse.longPattern(count: 24 << 20)

    private func trusting(_ authority: TestCertificateAuthority) -> SecurityPolicy {
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = [authority.certificate.der]
        return policy
    }

    @Test("Ranges: part of a file, its end, and one that does not exist")
    func ranges() async throws {
        let nginx = try NginxServer.serving(["file": Data("0123456789".utf8)])
        let cases = [("bytes=2-4", 206, "234"), ("bytes=-3", 206, "789"), ("bytes=7-", 206, "789")]
        for (range, status, text) in cases {
            let outcome = await HTTPRequestOperation(nginx.url("/file"), headers: ["Range": range]).outcome()
            #expect(outcome.error == nil && outcome.status == status && outcome.text == text)
        }
        let outside = await HTTPRequestOperation(nginx.url("/file"), headers: ["Range": "bytes=20-"]).outcome()
        #expect(outside.status == 416 && outside.code == -1011)
    }

    @Test("Validators: 304 for a file that did not change")
    func validators() async throws {
        let nginx = try NginxServer.serving(["file": Data("0123456789".utf8)])
        let first = await HTTPRequestOperation(nginx.url("/file")).outcome()
        let tag = try #require(first.operation?.response?.value(forHTTPHeaderField: "ETag"))
        let second = await HTTPRequestOperation(nginx.url("/file"), headers: ["If-None-Match": tag]).outcome()
        #expect(second.status == 304 && second.data == Data())
    }

    @Test("HTTP/2 over TLS with a private authority, many requests over one connection or a few")
    func http2() async throws {
        let authority = try TestCertificateAuthority()
        let nginx = try NginxServer.serving(
            ["file": Data("secure".utf8)], identity: authority.makeIntermediate().issueForLocalhost())
        let manager = HTTPRequestOperationManager.offMain(nginx.url("/", port: 1))
        manager.responseSerializer = HTTPResponseSerializer()
        let refused = await manager.getting("file")
        #expect((-1204 ... -1200).contains(refused.code ?? 0), "not trusted without the anchor")
        manager.securityPolicy = trusting(authority)
        let first = await manager.getting("file")
        #expect(first.text == "secure")
        #expect(first.operation?.metrics?.httpVersion == "2")
        #expect((first.operation?.metrics?.secureConnectTime ?? 0) > 0)
        #expect(first.operation?.response?.value(forHTTPHeaderField: "Content-Type") == "application/octet-stream")
        await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    let outcome = await manager.getting("file")
                    return outcome.text == "secure" && outcome.operation?.metrics?.httpVersion == "2"
                }
            }
            for await isFine in group { #expect(isFine) }
        }
        #expect(nginx.accessLog.contains("\"GET /file HTTP/2.0\" 200"))
    }

    @Test("HTTP/2: content is sent, and a missing file is a 404")
    func http2Content() async throws {
        let authority = try TestCertificateAuthority()
        let identity = try authority.issueForLocalhost()
        let nginx = try NginxServer.start(portCount: 1, identity: identity) { layout in
            """
            server {
                listen 127.0.0.1:\(layout.ports[0]) ssl http2; root \(layout.root);
                ssl_certificate \(layout.certificate); ssl_certificate_key \(layout.key);
                location /echo {
                    proxy_pass https://127.0.0.1:\(layout.ports[0])/inner;
                    proxy_set_header X-Length $content_length;
                }
                location /inner { return 200 "$request_method $http_x_length"; }
            }
            """
        }
        let policy = trusting(authority)
        for size in [0, 10, 100_000, 3 << 20] {
            let operation = HTTPRequestOperation(
                nginx.url("/echo", scheme: "https"), method: "POST", body: Data(count: size))
            operation.securityPolicy = policy
            let outcome = await operation.outcome()
            #expect(outcome.text == "POST \(size)")
            #expect(operation.metrics?.httpVersion == "2")
        }
        let missing = HTTPRequestOperation(nginx.url("/missing", scheme: "https"))
        missing.securityPolicy = policy
        #expect(await missing.outcome().status == 404)
    }

    @Test("Keep-alive: one connection after the other request, and a new one after Connection: close")
    func keepAlive() async throws {
        let nginx = try NginxServer.serving(["file": Data("x".utf8)])
        let policy = try SecurityPolicy.ownPool()
        var reused: [Bool?] = []
        for headers in [[:], [:], ["Connection": "close"], [:]] {
            let operation = HTTPRequestOperation(nginx.url("/file"), headers: headers)
            operation.securityPolicy = policy
            #expect(await operation.outcome().text == "x")
            reused.append(operation.metrics?.reusedConnection)
        }
        #expect(reused == [false, true, true, false])
    }

    @Test("A large file arrives whole, in memory and in a file")
    func largeFile() async throws {
        let nginx = try NginxServer.serving(["large": Self.large])
        let inMemory = await HTTPRequestOperation(nginx.url("/large")).outcome()
        #expect(inMemory.data == Self.large)
        let directory = try TemporaryDirectory()
        let operation = HTTPRequestOperation(nginx.url("/large"))
        operation.outputStream = OutputStream(url: directory.file("large"), append: false)
        #expect(await operation.outcome().error == nil)
        #expect(try Data(contentsOf: directory.file("large")) == Self.large)
    }

    @Test("gzip from nginx is decoded, and its length is not taken for the content's")
    func gzip() async throws {
        let text = Data(String(repeating: "compressible ", count: 10_000).utf8)
        let nginx = try NginxServer.start(portCount: 1, files: ["page.txt": text]) { layout in
            """
            server {
                listen 127.0.0.1:\(layout.ports[0]); root \(layout.root);
                types { text/plain txt; } gzip on; gzip_types text/plain; gzip_proxied any;
            }
            """
        }
        let operation = HTTPRequestOperation(nginx.url("/page.txt"))
        let expected = Journal<Int64>()
        operation.setDownloadProgressBlock { expected.append($2) }
        let outcome = await operation.outcome()
        #expect(outcome.data == text)
        #expect(Set(expected.all) == [-1])
        #expect((operation.metrics?.bytesReceived ?? .max) < Int64(text.count / 10))
        let plain = HTTPRequestOperation(nginx.url("/page.txt"), headers: ["Accept-Encoding": "identity"])
        #expect(await plain.outcome().data == text)
        #expect(plain.response?.expectedContentLength == Int64(text.count))
    }

    @Test("A server that goes away within a response, and a refused connection afterwards")
    func goingAway() async throws {
        let nginx = try NginxServer.start(portCount: 1, files: ["large": Self.large]) { layout in
            "server { listen 127.0.0.1:\(layout.ports[0]); root \(layout.root); limit_rate 100k; }"
        }
        let operation = HTTPRequestOperation(nginx.url("/large"))
        operation.setDownloadProgressBlock { _, _, _ in nginx.stop() }
        #expect(await operation.outcome().urlError?.code == .networkConnectionLost)
        let after = await HTTPRequestOperation(nginx.url("/large")).outcome()
        #expect(after.urlError?.code == .cannotConnectToHost)
    }
}
