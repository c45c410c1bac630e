// SPDX-License-Identifier: MIT
import AFNetworking
import TestServer
import Testing

@testable import LegacySwift5

@MainActor
@Suite("Legacy serializers", .timeLimit(.minutes(1)))
struct SerializerTests {
    let httpbin: HTTPBinServer

    init() throws {
        httpbin = try HTTPBinServer.shared()
    }

    @Test("A response serializer of the app's own takes the answer out of its envelope, or makes it an error")
    func envelope() async throws {
        let server = try TestServer()
        server.respond(to: "/good", .json(#"{"status": 0, "data": {"a": 1, "b": null}}"#))
        server.respond(to: "/bad", .json(#"{"status": 7, "message": "no such user"}"#, status: 400))
        server.respond(to: "/worse", .json(#"{"status": 7}"#, status: 500))
        let manager = AFHTTPRequestOperationManager(baseURL: server.url())
        manager.responseSerializer = EnvelopeResponseSerializer()
        let object = await Legacy.result { done in
            manager.get(
                "good",
                success: { _, object in
                    let object = object as? [String: Int]
                    done(object)
                }, failure: nil)
        }
        #expect(object == ["a": 1])
        var error = await Self.error(manager, "bad")
        #expect(error?.domain == envelopeErrorDomain && error?.code == 7)
        #expect(error?.localizedDescription == "no such user")
        #expect((error?.userInfo[envelopeResponseObjectKey] as? [String: Any])?["status"] as? Int == 7)
        error = await Self.error(manager, "worse")
        #expect(error?.domain == AFURLResponseSerializationErrorDomain)
    }

    private static func error(_ manager: AFHTTPRequestOperationManager, _ path: String) async -> NSError? {
        await Legacy.result { done in
            manager.get(path, success: nil) { _, error in
                done(error as NSError)
            }
        }
    }

    @Test("A request serializer of the app's own signs what is sent", arguments: ["GET", "POST"])
    func signed(method: String) async throws {
        let serializer = SignedRequestSerializer()
        serializer.key = "secret"
        serializer.sharedParameters = ["client": "app"]
        let manager = AFHTTPRequestOperationManager(baseURL: httpbin.url())
        manager.requestSerializer = serializer
        let (values, signature) = await Legacy.result { done in
            let success: @Sendable (AFHTTPRequestOperation, Any?) -> Void = { operation, object in
                let answer = object as? [String: Any]
                let values = answer?[method == "GET" ? "args" : "form"] as? [String: String]
                let signature = (answer?["headers"] as? [String: String])?["X-Signature"]
                done((values, signature))
            }
            if method == "GET" {
                manager.get("anything", parameters: ["name": "Ada"], success: success, failure: nil)
            } else {
                manager.post("anything", parameters: ["name": "Ada"], success: success, failure: nil)
            }
        }
        #expect(values == ["client": "app", "name": "Ada"])
        #expect(signature == serializer.signature(of: "client=app&name=Ada"))
    }

    @Test("A query string in the service's own notation, and its errors")
    func queryString() async throws {
        let client = SearchClient(baseURL: httpbin.url())
        let (query, _) = await Legacy.result { done in
            client.search(["author": "Melville", "year": 1851]) { done(($0, $1)) }
        }
        #expect(query == "author:Melville AND year:1851")
        let (_, error) = await Legacy.result { done in client.search(["no", "dictionary"]) { done(($0, $1)) } }
        #expect(error?.domain == "com.example.search" && error?.code == 3)
    }

    @Test("XML through a delegate, and as a document")
    func xml() async throws {
        let reader = FeedReader()
        let (titles, error) = await Legacy.result { done in reader.read(httpbin.url("/xml")) { done(($0, $1)) } }
        #expect(error == nil && titles.first == "Wake up to WonderWidgets!" && titles.count == 2)
        let name = await Legacy.result { done in reader.readDocument(httpbin.url("/xml")) { done($0) } }
        #expect(name == "slideshow")
        let (_, refused) = await Legacy.result { done in reader.read(httpbin.url("/json")) { done(($0, $1)) } }
        #expect((refused as NSError?)?.code == NSURLErrorCannotDecodeContentData)
    }

    @Test("A property list, or JSON, whichever comes")
    func propertyList() async throws {
        let server = try TestServer()
        let plist = try PropertyListSerialization.data(
            fromPropertyList: ["name": "Ada", "year": 1815] as [String: Any], format: .xml, options: 0)
        server.respond(
            to: "/plist",
            ScriptedResponse(headers: [("Content-Type", "application/x-plist")], body: .data(plist)))
        server.respond(to: "/json", .json(#"{"name": "Ada", "year": 1815}"#))
        let reader = FeedReader()
        for path in ["/plist", "/json"] {
            let (name, year) = await Legacy.result { done in
                reader.readPropertyList(server.url(path)) { done(($0?["name"] as? String, $0?["year"] as? Int)) }
            }
            #expect(name == "Ada" && year == 1815)
        }
    }
}
