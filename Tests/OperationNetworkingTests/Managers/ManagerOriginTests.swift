// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

@Suite("What identifies a manager's user stays within the base URL's origin", .timeLimit(.minutes(1)))
struct ManagerOriginTests {
    let server: TestServer
    let other: TestServer
    let manager: HTTPRequestOperationManager

    init() throws {
        (server, other) = (try TestServer(), try TestServer())
        for each in [server, other] {
            each.respondToOthers { request in
                request["Authorization"] != nil || request.path != "/private"
                    ? .ok("fine")
                    : ScriptedResponse(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"x\"")])
            }
        }
        manager = .offMain(server.url("/v1"))
        manager.responseSerializer = HTTPResponseSerializer()
        manager.requestSerializer.httpShouldHandleCookies = false
        manager.requestSerializer.setAuthorizationHeaderFieldWithUsername("me", password: "secret")
        manager.requestSerializer.setValue("session=1", forHTTPHeaderField: "COOKIE")
        manager.requestSerializer.setValue("yes", forHTTPHeaderField: "X-Kept")
    }

    @Test("A URL elsewhere gets neither Authorization nor Cookie", arguments: ["GET", "POST", "form"])
    func elsewhere(verb: String) async throws {
        for string in ["//127.0.0.1:\(other.port)/x", other.url("/x").absoluteString] {
            let outcome = await manager.outcome { success, failure in
                switch verb {
                case "GET": manager.get(string, success: success, failure: failure)
                case "POST": manager.post(string, parameters: ["a": 1], success: success, failure: failure)
                default:
                    manager.post(
                        string, parameters: ["a": 1], constructingBodyWith: { _ in }, success: success, failure: failure
                    )
                }
            }
            #expect(outcome.status == 200)
            let request = try #require(other.requests.last)
            #expect(request["Authorization"] == nil && request["Cookie"] == nil && request["X-Kept"] == "yes")
        }
    }

    /// Has a request serializer of its own in the place of the stored one.
    private final class OwnSerializerManager: HTTPRequestOperationManager, @unchecked Sendable {
        private let own = HTTPRequestSerializer()

        override var requestSerializer: HTTPRequestSerializer {
            get { own }
            set {}
        }
    }

    @Test(
        "Nor does it get them from a serializer that a subclass has in the place of the stored one",
        arguments: ["GET", "body", "form"])
    func overridden(verb: String) async throws {
        let manager = OwnSerializerManager(baseURL: server.url("/v1"))
        manager.completionQueue = DispatchQueue(label: "test.completion")
        manager.responseSerializer = HTTPResponseSerializer()
        manager.requestSerializer.httpShouldHandleCookies = false
        manager.requestSerializer.setValue("Bearer 1", forHTTPHeaderField: "Authorization")
        manager.requestSerializer.setValue("session=1", forHTTPHeaderField: "Cookie")
        let string = other.url("/x").absoluteString
        let outcome = await manager.outcome { success, failure in
            switch verb {
            case "GET": manager.get(string, success: success, failure: failure)
            case "body": manager.post(string, body: .json(["a": 1]), success: success, failure: failure)
            default:
                manager.post(
                    string, parameters: ["a": 1], constructingBodyWith: { _ in }, success: success, failure: failure)
            }
        }
        #expect(outcome.status == 200)
        let request = try #require(other.requests.last)
        #expect(request["Authorization"] == nil && request["Cookie"] == nil)
        #expect(await manager.getting("x").status == 200)
        #expect(server.requests.last?["Authorization"] == "Bearer 1" && server.requests.last?["Cookie"] == "session=1")
    }

    @Test("Within the origin they go along, however it is written")
    func within() async throws {
        let strings = ["x", "/x", "//127.0.0.1:\(server.port)/x", "HTTP://127.0.0.1:\(server.port)/x", ""]
        for string in strings {
            #expect(await manager.getting(string).status == 200)
            #expect(server.requests.last?["Authorization"] != nil && server.requests.last?["Cookie"] == "session=1")
        }
        let free = HTTPRequestOperationManager.offMain(nil)
        free.responseSerializer = HTTPResponseSerializer()
        free.requestSerializer.setValue("Bearer 1", forHTTPHeaderField: "Authorization")
        #expect(await free.getting(other.url("/x").absoluteString).status == 200)
        #expect(other.requests.last?["Authorization"] == "Bearer 1", "without a base URL there is no elsewhere")
    }

    @Test("What is given with a request goes along with it")
    func own() async throws {
        let outcome = await manager.outcome {
            manager.get(
                other.url("/x").absoluteString, headers: ["Authorization": "Bearer own"], success: $0, failure: $1)
        }
        #expect(outcome.status == 200)
        #expect(other.requests.last?["Authorization"] == "Bearer own")
    }

    @Test("The credential does not answer another origin's challenge")
    func credential() async throws {
        manager.requestSerializer.clearAuthorizationHeader()
        manager.credential = URLCredential(user: "me", password: "secret", persistence: .none)
        #expect(await manager.getting("/private").status == 200)
        #expect(await manager.getting(other.url("/private").absoluteString).status == 401)
        #expect(other.requests.allSatisfy { $0["Authorization"] == nil })
    }

    @Test("A default Authorization goes elsewhere when a manager is told so")
    func authorization() async throws {
        let other = try TestServer()
        other.respondToOthers { _ in .ok("fine") }
        let manager = HTTPRequestOperationManager.offMain(server.url("/"))
        manager.responseSerializer = HTTPResponseSerializer()
        manager.requestSerializer.setValue("Bearer 1", forHTTPHeaderField: "Authorization")
        manager.sendsAuthorizationToOtherOrigins = true
        #expect(await manager.getting(other.url("/").absoluteString).status == 200)
        #expect(other.requests.last?["Authorization"] == "Bearer 1")
        let copy = try #require(manager.copy() as? HTTPRequestOperationManager)
        #expect(copy.sendsAuthorizationToOtherOrigins)
    }
}
