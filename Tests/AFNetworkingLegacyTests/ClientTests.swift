// SPDX-License-Identifier: MIT
import AFNetworking
import TestServer
import Testing

@preconcurrency @testable import LegacySwift5

@MainActor
@Suite("Legacy clients", .timeLimit(.minutes(1)))
struct ClientTests {
    let httpbin: HTTPBinServer

    init() throws {
        httpbin = try HTTPBinServer.shared()
    }

    @Test("A subclassed manager in a static sends JSON, and gives what came back")
    func books() async throws {
        BooksClient.serverURL = httpbin.url()
        let client = BooksClient.shared
        #expect(client === BooksClient.shared && client.baseURL == httpbin.url())
        let (title, pages) = await Legacy.result { done in
            client.add(title: "Moby-Dick", pages: 635) { book, _ in done((book?.title, book?.pages)) }
        }
        #expect(title == "Moby-Dick" && pages == 635)
        let arguments = await Legacy.result { done in
            client.search("white whale & co", page: 2) { arguments, _ in done(arguments as? [String: String]) }
        }
        #expect(arguments == ["q": "white whale & co", "page": "2"])
        #expect(await Legacy.result { done in client.remove(id: 7) { done($0) } })
    }

    @Test("A token is sent until it is cleared")
    func token() async throws {
        let client = BooksClient(baseURL: httpbin.url())
        client.setToken("abc")
        var headers = await Legacy.result { done in client.headers { done($0) } }
        #expect(headers?["Authorization"] == "Bearer abc" && headers?["X-Client"] == "books/2.1")
        client.setToken(nil)
        headers = await Legacy.result { done in client.headers { done($0) } }
        #expect(headers?["X-Client"] == "books/2.1" && headers?.keys.contains("Authorization") == false)
    }

    @Test("A manager's subclass is archived and restored with its settings")
    func archivedManager() async throws {
        let client = BooksClient(baseURL: httpbin.url())
        let data = try NSKeyedArchiver.archivedData(withRootObject: client, requiringSecureCoding: true)
        let restored = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: BooksClient.self, from: data))
        #expect(restored.baseURL == httpbin.url() && restored.requestSerializer is AFJSONRequestSerializer)
        let headers = await Legacy.result { done in restored.headers { done($0) } }
        #expect(headers?["X-Client"] == "books/2.1")
    }

    /// A list with an entity tag, which is said to be stale at once.
    private func listServer() throws -> TestServer {
        let server = try TestServer()
        server.respond(
            to: "/list",
            ScriptedResponse(
                headers: [("Content-Type", "application/json"), ("Cache-Control", "no-cache")],
                body: .resource(Data("[1, 2]".utf8), etag: "\"v1\"", lastModified: nil)))
        return server
    }

    @Test("A client that keeps the entity tag sends it, and is told that nothing has changed")
    func ownCondition() async throws {
        let server = try listServer()
        let client = ConditionalClient(baseURL: server.url())
        var statuses: [Int] = []
        for _ in 0..<3 {
            let (status, count) = await Legacy.result { done in
                client.reload("list") { status, list in done((status, list?.count)) }
            }
            statuses.append(status)
            #expect(count == 2)
        }
        #expect(statuses == [200, 304, 304] && client.tags == ["list": "\"v1\""])
        #expect(server.requests.map { $0["If-None-Match"] } == [nil, "\"v1\"", "\"v1\""])
        for tag in ["\"v1\"", "\"v0\""] {
            let (status, length, error) = await Legacy.result { done in
                client.check(server.url("/list"), tag: tag) { done(($0, $1, $2)) }
            }
            #expect(error == nil && server.requests.last?["If-None-Match"] == tag)
            #expect(status == (tag == "\"v1\"" ? 304 : 200) && length == (status == 304 ? 0 : 6))
        }
    }

    @Test("A client that leaves conditions to the URL cache gets the list, and the server sends it once")
    func cacheCondition() async throws {
        let server = try listServer()
        let client = ConditionalClient(baseURL: server.url())
        client.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil)
        for _ in 0..<3 {
            let (status, count) = await Legacy.result { done in
                client.cached("list") { status, list in done((status, list?.count)) }
            }
            #expect(status == 200 && count == 2)
        }
        #expect(server.requests.map { $0["If-None-Match"] } == [nil, "\"v1\"", "\"v1\""])
    }

    @Test("A failing request of a subclassed manager gives an NSError")
    func refused() async throws {
        let client = BooksClient(baseURL: httpbin.url("/status/"))
        let error = await Legacy.result { done in client.search("x", page: 1) { _, error in done(error) } }
        #expect(error?.domain == AFURLResponseSerializationErrorDomain && error?.code == NSURLErrorBadServerResponse)
    }

    @Test("A manager makes operations of a subclass, and the subclass's overrides run")
    func timedOperation() async throws {
        let client = TimedClient(baseURL: httpbin.url())
        let (isTimed, hasStarted, status) = await Legacy.result { done in
            client.get(
                "get", parameters: ["a": 1],
                success: { operation, _ in
                    let timed = operation as? TimedRequestOperation
                    let values = (timed != nil, timed?.startDate != nil, operation.response?.statusCode)
                    done(values)
                }, failure: nil)
        }
        #expect(isTimed && hasStarted && status == 200)
        #expect(client.requestedURLs == [httpbin.url("/get?a=1")])
    }

    @Test("A subclassed operation is cancelled once, and copied with its own fields")
    func timedOperationCancelled() async throws {
        let operation = TimedRequestOperation(request: URLRequest(url: httpbin.url("/delay/5")))
        operation.tag = 42
        let code = await Legacy.result { done in
            operation.setCompletionBlockWithSuccess(nil) { _, error in
                let code = (error as NSError).code
                done(code)
            }
            operation.start()
            operation.cancel()
        }
        #expect(code == NSURLErrorCancelled && operation.isCancelled && operation.isFinished)
        #expect(operation.cancelCount == 1)
        let copy = try #require(operation.copy() as? TimedRequestOperation)
        #expect(copy.tag == 42 && !copy.isFinished && copy.request == operation.request)
    }

    @Test("The spelling of Swift 1 and 2", arguments: ["POST", "PUT", "PATCH", "DELETE", "HEAD"])
    func upperCase(method: String) async throws {
        UpperCaseClient.baseURLString = httpbin.url().absoluteString
        let client = UpperCaseClient()
        #expect(await Legacy.result { done in client.send(method, ["a": 1]) { done($0) } } == method)
    }

    @Test("GET in the spelling of Swift 1 and 2")
    func upperCaseGet() async throws {
        UpperCaseClient.baseURLString = httpbin.url().absoluteString
        let client = UpperCaseClient()
        let (style, header) = await Legacy.result { done in
            client.get { answer, _ in
                let style = (answer?["args"] as? NSDictionary)?["style"] as? String
                done((style, (answer?["headers"] as? NSDictionary)?["X-Style"] as? String))
            }
        }
        #expect(style == "old" && header == "old")
    }

    @Test("A form, and a request of one's own, in the spelling of Swift 1 and 2")
    func upperCaseUpload() async throws {
        UpperCaseClient.baseURLString = httpbin.url().absoluteString
        let client = UpperCaseClient()
        let (file, form) = await Legacy.result { done in
            client.upload(NSData(data: Data("content".utf8))) { answer in
                let file = ((answer as? NSDictionary)?["files"] as? NSDictionary)?["file"] as? String
                done((file, (answer as? NSDictionary)?["form"] as? [String: String]))
            }
        }
        #expect(file?.hasSuffix("Y29udGVudA==") == true || file == "content")
        #expect(form == ["kind": "old", "one": "1"])
        let (status, text) = await Legacy.result { done in client.run("headers") { done(($0, $1)) } }
        #expect(status == 200 && text?.contains("X-Mutable") == true && text?.contains("X-Style") == true)
        let (code, _) = await Legacy.result { done in client.run("status/404") { done(($0, $1)) } }
        #expect(code == NSURLErrorBadServerResponse)
    }
}
