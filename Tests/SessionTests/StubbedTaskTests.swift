// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport
import OperationNetworking
import TestServer
import Testing

/// What classes of the user's load, and what the cache is given.
@Suite("Stubbed and stored responses", .timeLimit(.minutes(1))) struct StubbedTaskTests {
    private func session(_ delegate: RecordingDelegate? = nil) -> OperationURLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [Scripted.self]
        return OperationURLSession(configuration: configuration, delegate: delegate)
    }

    private func url(_ path: String) throws -> URL { try #require(URL(string: "http://scripted.invalid/\(path)")) }

    @Test("All pieces of a stub's content are the content")
    func pieces() async throws {
        let delegate = RecordingDelegate()
        let pieces = Notes<Data>()
        delegate.whenReceiving = { pieces.add($1) }
        let session = session(delegate)
        #expect(await session.outcome(try url("pieces")).text == "onetwo")
        #expect(try await session.data(from: url("pieces")).0 == Data("onetwo".utf8))
        session.dataTask(with: try url("pieces")).resume()
        await delegate.isComplete.wait()
        #expect(pieces.all == [Data("one".utf8), Data("two".utf8)])
    }

    @Test("A stub that ends without a response, or fails after one, gives an error and nothing else")
    func failures() async throws {
        let session = session()
        let empty = await session.outcome(try url("nothing"))
        #expect(empty.code == .badServerResponse && empty.data == nil && empty.response == nil)
        let failed = await session.outcome(try url("failure"))
        #expect(failed.code == .networkConnectionLost && failed.data == nil && failed.response == nil)
    }

    @Test("A stub's 401 that nobody answers is the result")
    func refusal() async throws {
        let outcome = await session().outcome(try url("refusal"))
        #expect(outcome.status == 401 && outcome.text == "no")
        for answer in [
            URLSession.AuthChallengeDisposition.performDefaultHandling, .rejectProtectionSpace, .useCredential,
        ] {
            let delegate = RecordingDelegate()
            delegate.challenge = { _ in (answer, nil) }
            let session = session(delegate)
            session.dataTask(with: try url("refusal")).resume()
            await delegate.isComplete.wait()
            #expect(delegate.error == nil && delegate.data == Data("no".utf8))
        }
        let delegate = RecordingDelegate()
        delegate.challenge = { _ in (.cancelAuthenticationChallenge, nil) }
        let session = session(delegate)
        session.dataTask(with: try url("refusal")).resume()
        await delegate.isComplete.wait()
        #expect(delegate.code == .cancelled)
    }

    @Test("A class that is registered for a scheme is found", arguments: SessionKind.allCases)
    func registered(_ kind: SessionKind) async throws {
        _ = URLProtocol.registerClass(Scripted.self)
        defer { URLProtocol.unregisterClass(Scripted.self) }
        let session = kind.make()
        let outcome = await session.outcome(try #require(URL(string: "scripted://host/single")))
        #expect(outcome.text == "one" && outcome.status == 200)
        let unknown = await session.outcome(try #require(URL(string: "unscripted://host/single")))
        #expect(unknown.code == .unsupportedURL && unknown.response == nil)
    }

    @Test("A file that is not there is not sent by whatever would load the request")
    func missingFile() async throws {
        let session = session()
        for text in ["http://scripted.invalid/single", "unknown://host/single"] {
            let url = try #require(URL(string: text))
            let outcome = await session.upload(URLRequest(url: url)) {
                session.uploadTask(
                    with: URLRequest(url: url), fromFile: URL(fileURLWithPath: "/nowhere/file"), completionHandler: $0)
            }
            #expect(outcome.code == .fileDoesNotExist && outcome.data == nil)
        }
    }

    // MARK: Stored responses

    @Test(
        "A delegate decides about a response that says nothing of caches, and what it keeps is there at the end",
        arguments: ["keep", "change", "drop"])
    func storing(_ answer: String) async throws {
        final class Delegate: NSObject, URLSessionDataDelegate, Sendable {
            let answer: String
            let inCache = Notes<CachedURLResponse?>()
            let isComplete = Gate()
            init(_ answer: String) { self.answer = answer }

            func urlSession(
                _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposed: CachedURLResponse,
                completionHandler: @Sendable @escaping (CachedURLResponse?) -> Void
            ) {
                switch answer {
                case "keep": completionHandler(proposed)
                case "drop": completionHandler(nil)
                default:
                    completionHandler(
                        CachedURLResponse(
                            response: proposed.response, data: proposed.data, userInfo: ["key": "value"],
                            storagePolicy: .allowed))
                }
            }

            func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
                let request = task.originalRequest
                inCache.add(request.flatMap { session.configuration.urlCache?.cachedResponse(for: $0) })
                isComplete.open()
            }
        }
        let server = try TestServer()
        server.respond(to: "/path", .ok("content"))
        let folder = try TemporaryDirectory()
        // Not in the folder of Foundation's cache, which counts what is in it.
        let own = try TemporaryDirectory()
        OperationURLCache.defaultDirectory = own.file("own")
        defer { OperationURLCache.defaultDirectory = nil }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = URLCache(memoryCapacity: 1 << 22, diskCapacity: 1 << 22, diskPath: folder.url.path)
        for _ in 0..<20 {
            let delegate = Delegate(answer)
            let session = OperationURLSession(configuration: configuration, delegate: delegate)
            session.dataTask(with: server.url("/path")).resume()
            await delegate.isComplete.wait()
            let stored = try #require(delegate.inCache.all.first)
            #expect(stored?.data == (answer == "drop" ? nil : Data("content".utf8)))
            #expect(stored?.userInfo?["key"] as? String == (answer == "change" ? "value" : nil))
            configuration.urlCache?.removeAllCachedResponses()
        }
        #expect(server.requests.count == 20)
    }

    @Test(
        "A stored response is used where the request says so, whatever it says of itself", arguments: [nil, "no-cache"])
    func storedElseLoaded(_ control: String?) async throws {
        let server = try TestServer()
        server.respondToOthers { _ in
            ScriptedResponse(headers: control.map { [("Cache-Control", $0)] } ?? [], body: .text("content"))
        }
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = URLCache(memoryCapacity: 1 << 22, diskCapacity: 0, diskPath: nil)
        let delegate = RecordingDelegate()
        let session = OperationURLSession(configuration: configuration, delegate: delegate)
        session.dataTask(with: server.url()).resume()
        await delegate.isComplete.wait()
        var request = URLRequest(url: server.url())
        request.cachePolicy = .returnCacheDataElseLoad
        #expect(await session.outcome(request).text == "content")
        request.cachePolicy = .returnCacheDataDontLoad
        #expect(await session.outcome(request).text == "content")
        #expect(server.requests.count == 1)
        #expect(await session.outcome(server.url()).text == "content")
        #expect(server.requests.count == 2)
    }

    // MARK: data URLs

    @Test(
        "A data URL without a charset names none",
        arguments: [
            ("data:,123", "text/plain", nil), ("data:;charset=utf-8;charset=utf-16,abc", "text/plain", "utf-8"),
            ("data:a/b;key=value;charset=macroman,abc", "a/b", "macroman"),
            ("data:Text/HTML;Charset=UTF-8,abc", "text/html", "utf-8"),
            ("data:text/html;charset=utf-8;BASE64,YWJj", "text/html", "utf-8"),
        ] as [(String, String, String?)])
    func dataURL(_ text: String, _ type: String, _ charset: String?) async throws {
        let response = await session().outcome(try #require(URL(string: text))).response
        #expect(response?.mimeType == type && response?.textEncodingName == charset)
        #expect(response?.expectedContentLength == 3)
    }

    @Test(
        "A data URL without a comma, or with a type that is none, is an error",
        arguments: ["data://blah", "data:%2c123", "data:application_json;key=value,123", "data:a/b/c%3bd=e;f=g,123"])
    func badDataURL(_ text: String) async throws {
        let delegate = RecordingDelegate()
        let session = OperationURLSession(configuration: .ephemeral, delegate: delegate)
        let task = session.dataTask(with: try #require(URL(string: text)))
        task.resume()
        await delegate.isComplete.wait()
        #expect(delegate.events == ["metrics", "error"] && delegate.code == .badURL && task.response == nil)
    }
}

/// Answers as the path says.
private final class Scripted: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool {
        request.url?.host == "scripted.invalid" || request.url?.scheme == "scripted"
    }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func stopLoading() {}

    override func startLoading() {
        switch request.url?.lastPathComponent {
        case "single":
            respond(200, [:], ["one"])
        case "pieces":
            respond(200, [:], ["one", "two"])
        case "refusal":
            respond(401, ["WWW-Authenticate": "Basic realm=\"r\""], ["no"])
        case "failure":
            respond(200, [:], ["partial"], error: URLError(.networkConnectionLost))
        default:
            client?.urlProtocolDidFinishLoading(self)
        }
    }

    private func respond(_ status: Int, _ fields: [String: String], _ pieces: [String], error: (any Error)? = nil) {
        guard let url = request.url,
            let response = HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: fields)
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        for piece in pieces { client?.urlProtocol(self, didLoad: Data(piece.utf8)) }
        if let error {
            client?.urlProtocol(self, didFailWithError: error)
        } else {
            client?.urlProtocolDidFinishLoading(self)
        }
    }
}
