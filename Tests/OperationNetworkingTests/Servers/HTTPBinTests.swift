// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

@Suite("Against httpbin", .timeLimit(.minutes(3))) struct HTTPBinTests {
    let httpbin: HTTPBinServer
    let manager: HTTPRequestOperationManager

    init() throws {
        httpbin = try HTTPBinServer.shared()
        manager = .offMain(httpbin.url("/"))
    }

    /// Sends a request with any of the verbs that take parameters and give an object.
    private func send(
        _ method: String, _ path: String, parameters: Any? = nil, headers: [String: String]? = nil
    ) async -> HTTPOutcome {
        await manager.outcome { success, failure in
            switch method {
            case "POST":
                manager.post(path, parameters: parameters, headers: headers, success: success, failure: failure)
            case "PUT": manager.put(path, parameters: parameters, headers: headers, success: success, failure: failure)
            case "PATCH":
                manager.patch(path, parameters: parameters, headers: headers, success: success, failure: failure)
            case "DELETE":
                manager.delete(path, parameters: parameters, headers: headers, success: success, failure: failure)
            default: manager.get(path, parameters: parameters, headers: headers, success: success, failure: failure)
            }
        }
    }

    @Test(
        "Each verb arrives with its method, its parameters in the right place, and its header fields",
        arguments: ["GET", "POST", "PUT", "PATCH", "DELETE"])
    func verbs(method: String) async {
        let parameters: [String: Any] = ["name": "Ünï & cö=+ /?#", "list": ["1", "2"], "nested": ["a": "b"]]
        for path in ["anything/x", method.lowercased()] {
            let outcome = await send(method, path, parameters: parameters, headers: ["X-Test": "yes"])
            #expect(outcome.error == nil && outcome.status == 200)
            if path == "anything/x" { #expect(outcome.json["method"] as? String == method) }
            let inQuery = method == "GET" || method == "DELETE"
            let place = outcome.field(inQuery ? "args" : "form")
            #expect(place["name"] as? String == "Ünï & cö=+ /?#")
            #expect(place["list[]"] as? [String] == ["1", "2"])
            #expect(place["nested[a]"] as? String == "b")
            if !inQuery { #expect(outcome.field("args").isEmpty) }
            let headers = outcome.field("headers")
            #expect(headers["X-Test"] as? String == "yes")
            #expect((headers["User-Agent"] as? String)?.isEmpty == false)
            let type = headers["Content-Type"] as? String
            #expect(inQuery ? type == nil : type?.hasPrefix("application/x-www-form-urlencoded") == true)
        }
    }

    @Test("JSON goes into the content with its type", arguments: ["POST", "PUT", "PATCH"])
    func json(method: String) async {
        manager.requestSerializer = JSONRequestSerializer()
        let outcome = await send(method, "anything", parameters: ["a": [1, true, "ü"] as [Any]])
        #expect(outcome.error == nil)
        let echoed = outcome.field("json")["a"] as? [Any]
        #expect(echoed?[0] as? Int == 1 && echoed?[1] as? Bool == true && echoed?[2] as? String == "ü")
        #expect((outcome.field("headers")["Content-Type"] as? String)?.hasPrefix("application/json") == true)
    }

    @Test(
        "HEAD succeeds whatever the content type, with the JSON serializer", arguments: ["html", "json", "image/png"])
    func head(path: String) async {
        let outcome = await manager.outcome { success, failure in
            manager.head(path, success: { success($0, nil) }, failure: failure)
        }
        #expect(outcome.error == nil && outcome.status == 200 && outcome.data == Data())
        #expect((outcome.operation?.response?.expectedContentLength ?? 0) > 0)
    }

    @Test("A multipart form arrives with its fields and files")
    func multipart() async {
        let outcome = await manager.outcome {
            manager.post(
                "post", parameters: ["field": "välue"],
                constructingBodyWith: {
                    $0.appendPart(
                        withFileData: Data("content of the file".utf8), name: "upload", fileName: "a b.txt",
                        mimeType: "text/plain")
                    $0.appendPart(withForm: Data("raw".utf8), name: "part")
                }, success: $0, failure: $1)
        }
        #expect(outcome.error == nil)
        #expect(outcome.field("files")["upload"] as? String == "content of the file")
        #expect(outcome.field("form")["field"] as? String == "välue")
        #expect(outcome.field("form")["part"] as? String == "raw")
    }

    @Test(
        "Coded content is decoded", arguments: [("gzip", "gzipped"), ("deflate", "deflated"), ("brotli", "brotli")])
    func codings(path: String, key: String) async {
        let outcome = await manager.getting(path)
        #expect(outcome.error == nil)
        #expect(outcome.json[key] as? Bool == true)
    }

    @Test("Redirects are followed", arguments: ["redirect/3", "relative-redirect/3", "absolute-redirect/3"])
    func redirects(path: String) async {
        let outcome = await manager.getting(path)
        #expect(outcome.error == nil)
        #expect(outcome.json["url"] as? String == httpbin.url("/get").absoluteString)
        #expect(outcome.operation?.response?.url == httpbin.url("/get"))
        #expect(outcome.operation?.metrics?.redirectCount == 3)
    }

    @Test("Twenty redirects are followed, one more is not")
    func manyRedirects() async {
        #expect(await manager.getting("redirect/20").error == nil)
        #expect(await manager.getting("redirect/21").urlError?.code == .httpTooManyRedirects)
    }

    @Test("redirect-to with each status", arguments: [301, 302, 303, 307, 308])
    func redirectTo(status: Int) async {
        let outcome = await send(
            "POST", "redirect-to?url=/anything&status_code=\(status)", parameters: ["a": "b"])
        #expect(outcome.error == nil)
        #expect(outcome.json["method"] as? String == (status >= 307 ? "POST" : "GET"))
        #expect(outcome.field("form")["a"] as? String == (status >= 307 ? "b" : nil))
    }

    @Test("A status is a success or -1011", arguments: [200, 201, 204, 304, 400, 404, 418, 500, 503])
    func status(status: Int) async {
        manager.responseSerializer = HTTPResponseSerializer()
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            let outcome = await send(method, "status/\(status)")
            #expect(outcome.status == status)
            #expect(outcome.code == ((200..<300).contains(status) ? nil : -1011))
        }
    }

    @Test("What comes late or drop by drop comes whole, as long as something comes within the timeout")
    func slow() async {
        manager.responseSerializer = HTTPResponseSerializer()
        manager.requestSerializer.timeoutInterval = 0.9
        let drip = await manager.getting("drip?numbytes=5&duration=2&delay=0")
        #expect(drip.text == "*****")
        #expect(await manager.getting("delay/3").urlError?.code == .timedOut)
        manager.requestSerializer.timeoutInterval = 30
        #expect(await manager.getting("delay/1").error == nil)
    }

    @Test("Bytes with a length, chunked, and in ranges")
    func bytes() async {
        manager.responseSerializer = HTTPResponseSerializer()
        let plain = await manager.getting("bytes/70000?seed=7")
        let streamed = await manager.getting("stream-bytes/70000?seed=7&chunk_size=999")
        #expect(plain.data?.count == 70_000 && streamed.data?.count == 70_000)
        #expect(plain.operation?.response?.expectedContentLength == 70_000)
        #expect(streamed.operation?.response?.expectedContentLength == -1)
        let range = await send("GET", "range/26", headers: ["Range": "bytes=2-4"])
        #expect(range.status == 206 && range.text == "cde")
        #expect(await manager.getting("bytes/0").data == Data())
        let lines = await manager.getting("stream/3")
        #expect(lines.text?.split(separator: "\n").count == 3)
    }

    @Test("A UTF-8 page is read as UTF-8")
    func text() async {
        manager.responseSerializer = HTTPResponseSerializer()
        let outcome = await manager.getting("encoding/utf8")
        #expect(outcome.operation?.responseStringEncoding == .utf8)
        #expect(outcome.text?.contains("∮ E⋅da = Q") == true)
    }

    @Test("A page that is not JSON is a failure of the JSON serializer")
    func contentType() async {
        #expect(await manager.getting("html").code == -1016)
        #expect(await manager.getting("image/png").code == -1016)
        #expect(await manager.getting("json").error == nil)
    }

    @Test("Cookies are kept and sent, unless the request says otherwise")
    func cookies() async {
        let name = "test\(UInt32.random(in: 0..<UInt32.max))"
        defer {
            for cookie in HTTPCookieStorage.shared.cookies ?? [] where cookie.name == name {
                HTTPCookieStorage.shared.deleteCookie(cookie)
            }
        }
        let set = await manager.getting("cookies/set?\(name)=value")
        #expect(set.field("cookies")[name] as? String == "value", "sent with the redirect that set it")
        #expect(await manager.getting("cookies").field("cookies")[name] as? String == "value")
        manager.requestSerializer.httpShouldHandleCookies = false
        #expect(await manager.getting("cookies").field("cookies")[name] == nil)
    }

    @Test("Basic authentication with the right password, a wrong one, and none")
    func basic() async {
        let path = "basic-auth/user/passwd"
        #expect(await manager.getting(path).status == 401)
        manager.credential = URLCredential(user: "user", password: "wrong", persistence: .none)
        #expect(await manager.getting(path).status == 401)
        manager.credential = URLCredential(user: "user", password: "passwd", persistence: .none)
        let outcome = await manager.getting(path)
        #expect(outcome.error == nil && outcome.json["authenticated"] as? Bool == true)
        manager.credential = nil
        manager.requestSerializer.setAuthorizationHeaderFieldWithUsername("user", password: "passwd")
        #expect(await manager.getting("hidden-basic-auth/user/passwd").error == nil)
    }

    @Test(
        "Digest authentication",
        arguments: [
            "auth/user/passwd", "auth/user/passwd/MD5", "auth/user/passwd/SHA-256", "auth/user/passwd/MD5/1",
            "auth,auth-int/user/passwd/SHA-256",
        ])
    func digest(path: String) async {
        #expect(await manager.getting("digest-auth/\(path)").status == 401)
        manager.credential = URLCredential(user: "user", password: "wrong", persistence: .none)
        #expect(await manager.getting("digest-auth/\(path)").status == 401)
        manager.credential = URLCredential(user: "user", password: "passwd", persistence: .none)
        let outcome = await manager.getting("digest-auth/\(path)")
        #expect(outcome.error == nil && outcome.json["authenticated"] as? Bool == true)
    }

    @Test("Any method that httpbin knows")
    func trace() async throws {
        let operation = try manager.makeOperation(method: "TRACE", "anything")
        let outcome = await operation.outcome()
        #expect(outcome.json["method"] as? String == "TRACE")
        let purge = try manager.makeOperation(method: "PURGE", "anything")
        #expect(await purge.outcome().status == 405)
    }

    @Test("A hundred requests at once")
    func many() async {
        await withTaskGroup(of: String?.self) { group in
            for number in 0..<100 {
                group.addTask { await manager.getting("get?n=\(number)").field("args")["n"] as? String }
            }
            var seen: Set<String> = []
            for await number in group { seen.insert(number ?? "") }
            #expect(seen.count == 100)
        }
    }
}
