// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

@Suite("Answers to 401", .timeLimit(.minutes(2))) struct AuthenticationTests {
    let server: TestServer
    static let right = "Basic " + Data("user:secret".utf8).base64EncodedString()

    init() throws {
        server = try TestServer()
        server.respond(to: "/private") { request in
            request["Authorization"] == Self.right ? .ok("welcome") : Self.denial()
        }
    }

    private static func denial(_ challenge: String = "Basic realm=\"here\"") -> ScriptedResponse {
        ScriptedResponse(
            status: 401, headers: [("WWW-Authenticate", challenge), ("Content-Type", "text/plain")],
            body: .text("denied"))
    }

    private func operation(_ password: String?, path: String = "/private") -> HTTPRequestOperation {
        let operation = HTTPRequestOperation(server.url(path))
        if let password {
            operation.credential = URLCredential(user: "user", password: password, persistence: .none)
        }
        return operation
    }

    @Test("Without a credential the 401 is the result")
    func none() async {
        let outcome = await operation(nil).outcome()
        #expect(outcome.status == 401 && outcome.text == "denied")
        #expect((outcome.error as? ResponseSerializationError)?.code == .badServerResponse)
        #expect(server.requests.count == 1)
    }

    @Test("The credential is sent after the challenge, and the challenge's content is not in the answer's")
    func right() async {
        let outcome = await operation("secret").outcome()
        #expect(outcome.error == nil && outcome.text == "welcome")
        #expect(server.requests.map { $0["Authorization"] } == [nil, Self.right])
    }

    @Test("The content of a challenge is waited for a second at most")
    func slowChallenge() async {
        server.respond(to: "/slow") { request in
            guard request["Authorization"] == nil else { return .ok("welcome") }
            return Self.denial().with { $0.body = .pattern(count: 10_000) }.dripping(1, every: 0.2)
        }
        let begin = ContinuousClock.now
        #expect(await operation("secret", path: "/slow").outcome().text == "welcome")
        #expect(ContinuousClock.now - begin < .seconds(10 * Patience.factor))
    }

    @Test("A wrong password is offered once; then the 401 is the result")
    func wrong() async {
        let outcome = await operation("wrong").outcome()
        #expect(outcome.status == 401 && outcome.text == "denied")
        #expect(server.requests.count == 2)
    }

    @Test(
        "A 401 without a challenge, or with one that nobody knows, is the result", arguments: [nil, "Custom a=b", ""])
    func unknownScheme(challenge: String?) async {
        server.respond(
            to: "/custom",
            ScriptedResponse(status: 401, headers: challenge.map { [("WWW-Authenticate", $0)] } ?? []))
        #expect(await operation("secret", path: "/custom").outcome().status == 401)
        #expect(server.requests.count == 1)
    }

    @Test(
        "Among several schemes one is chosen that a password can answer",
        arguments: [
            ["Negotiate", "Basic realm=\"x\""], ["Negotiate, Basic realm=\"x\""], ["Bearer", "basic realm=x"],
            ["Custom realm=\"Digest, Basic\"", "BASIC realm=\"x\", charset=\"UTF-8\""],
            // Off the grammar.
            ["Basic"], ["\tBasic ,, "], ["Basic realm='Sandstorm API'"], ["Basic realm=a b"], ["Basic realm="],
            ["Basic realm=, charset=\"UTF-8\""], ["Basic realm=\"x"], ["Basic realm=\"x\"y, z"], ["Basic charset=,"],
            ["Bearer realm=\"x\" Basic realm=\"y\""],
        ])
    func severalSchemes(fields: [String]) async {
        server.respond(to: "/several") { request in
            if request["Authorization"] == Self.right { return .ok("welcome") }
            return ScriptedResponse(status: 401, headers: fields.map { ("WWW-Authenticate", $0) })
        }
        #expect(await operation("secret", path: "/several").outcome().text == "welcome")
    }

    @Test("The credential replaces an Authorization field that the server refused")
    func replacesField() async {
        let operation = HTTPRequestOperation(server.url("/private"), headers: ["Authorization": "Bearer expired"])
        operation.credential = URLCredential(user: "user", password: "secret", persistence: .none)
        #expect(await operation.outcome().text == "welcome")
        #expect(server.requests.map { $0["Authorization"] } == ["Bearer expired", Self.right])
    }

    @Test("A server that goes away when it gets the credential is a lost connection, and is told it once")
    func lostAfterChallenge() async {
        server.respond(to: "/dropped") { request in
            request["Authorization"] == nil ? Self.denial() : .script([.close])
        }
        let outcome = await operation("secret", path: "/dropped").outcome()
        #expect(outcome.urlError?.code == .networkConnectionLost)
        #expect(server.requests.count(where: { $0["Authorization"] != nil }) <= 2)
    }

    @Test("After a redirect within the origin the credential answers again")
    func afterRedirect() async {
        server.respond(to: "/start") { request in
            request["Authorization"] == Self.right ? .redirect(to: "/private") : Self.denial()
        }
        #expect(await operation("secret", path: "/start").outcome().text == "welcome")
    }

    @Test("After a redirect to another origin the credential is not offered")
    func otherOrigin() async throws {
        let other = try TestServer()
        other.respondToOthers { _ in Self.denial() }
        server.respond(to: "/start", .redirect(to: other.url("/steal").absoluteString))
        #expect(await operation("secret", path: "/start").outcome().status == 401)
        #expect(other.requests.map { $0["Authorization"] } == [nil])
        let proposals = Journal<String?>()
        let asking = operation("secret", path: "/start")
        asking.setWillSendRequestForAuthenticationChallengeBlock { _, challenge in
            proposals.append(challenge.proposedCredential?.user)
            return .performDefaultHandling
        }
        #expect(await asking.outcome().status == 401)
        #expect(proposals.all == [nil])
        #expect(other.requests.allSatisfy { $0["Authorization"] == nil })
    }

    @Test("Data is sent again with the credential; a stream that can be read once is a clear error")
    func content() async throws {
        let post = HTTPRequestOperation(server.url("/private"), method: "POST", body: Data("body".utf8))
        post.credential = URLCredential(user: "user", password: "secret", persistence: .none)
        #expect(await post.outcome().text == "welcome")
        #expect(server.requests.map(\.text) == ["body", "body"])
        let stream = operation("secret")
        stream.inputStream = InputStream(data: Data("once".utf8))
        #expect(await stream.outcome().urlError?.code == .requestBodyStreamExhausted)
    }

    // MARK: User info in the URL

    @Test("User name and password in the URL answer the challenge, and are not sent before or shown")
    func userInfo() async throws {
        let url = try #require(URL(string: "http://user:secret@127.0.0.1:\(server.port)/private"))
        let operation = HTTPRequestOperation(url)
        let outcome = await operation.outcome()
        #expect(outcome.text == "welcome")
        #expect(server.requests.map(\.target) == ["/private", "/private"])
        #expect(server.requests.map { $0["Authorization"] } == [nil, Self.right])
        #expect(operation.response?.url == server.url("/private"))
        #expect(!operation.description.contains("secret"))
    }

    @Test("User name and password in the URL are decoded once", arguments: ["p%40s%3As", "p%2541", "%C3%BC", ""])
    func encodedUserInfo(encoded: String) async throws {
        server.respond(to: "/echo") { request in
            request["Authorization"].map { .ok($0) } ?? Self.denial()
        }
        let url = try #require(URL(string: "http://us%65r%2541:\(encoded)@127.0.0.1:\(server.port)/echo"))
        let password = encoded.removingPercentEncoding ?? ""
        let expected = "Basic " + Data("user%41:\(password)".utf8).base64EncodedString()
        #expect(await HTTPRequestOperation(url).outcome().text == expected)
    }

    // MARK: The challenge block

    @Test("The block is asked with space, proposal and failures, and its credential is sent")
    func block() async {
        let seen = Journal<String>()
        let operation = operation("proposed")
        operation.setWillSendRequestForAuthenticationChallengeBlock { _, challenge in
            let space = challenge.protectionSpace
            seen.append(
                "\(space.realm ?? "") \(space.authenticationMethod == NSURLAuthenticationMethodHTTPBasic) "
                    + "\(challenge.proposedCredential?.password ?? "none") \(challenge.previousFailureCount) "
                    + "\((challenge.failureResponse as? HTTPURLResponse)?.statusCode ?? 0)")
            let password = challenge.previousFailureCount == 0 ? "wrong" : "secret"
            return .useCredential(URLCredential(user: "user", password: password, persistence: .none))
        }
        #expect(await operation.outcome().text == "welcome")
        #expect(seen.all == ["here true proposed 0 401", "here true none 1 401"])
        #expect(server.requests.count == 3)
    }

    @Test("performDefaultHandling offers the operation's credential")
    func defaultHandling() async {
        let operation = operation("secret")
        operation.setWillSendRequestForAuthenticationChallengeBlock { _, _ in .performDefaultHandling }
        #expect(await operation.outcome().text == "welcome")
    }

    @Test("cancel ends the operation with -1012")
    func cancelling() async throws {
        let operation = operation("secret")
        operation.setWillSendRequestForAuthenticationChallengeBlock { _, _ in .cancel }
        let error = try #require(await operation.outcome().urlError)
        #expect(error.code == .userCancelledAuthentication && error.errorCode == -1012)
        #expect(error.userInfo[NSURLErrorFailingURLErrorKey] as? URL == server.url("/private"))
        #expect(!operation.isCancelled)
    }

    @Test("rejectProtectionSpace makes the 401 with its content the result")
    func rejecting() async {
        let operation = operation("secret")
        operation.setWillSendRequestForAuthenticationChallengeBlock { _, _ in .rejectProtectionSpace }
        let outcome = await operation.outcome()
        #expect(outcome.status == 401 && outcome.text == "denied")
        #expect(server.requests.count == 1)
    }

    @Test("A block is asked about a 401 whose content is cut off, which is the error where nothing answers it")
    func cutContent() async {
        server.respond(to: "/cut") { request in
            guard request["Authorization"] == nil else { return .ok("welcome") }
            return Self.denial().ending(.closeUnannounced, afterBodyBytes: 3)
        }
        let dispositions: [AuthenticationDisposition] = [
            .performDefaultHandling,
            .useCredential(URLCredential(user: "user", password: "secret", persistence: .none)),
        ]
        for disposition in dispositions {
            let operation = operation("secret", path: "/cut")
            operation.setWillSendRequestForAuthenticationChallengeBlock { _, _ in disposition }
            #expect(await operation.outcome().text == "welcome")
        }
        #expect(server.requests.map { $0["Authorization"] } == [nil, Self.right, nil, Self.right])
        let rejecting = operation("secret", path: "/cut")
        rejecting.setWillSendRequestForAuthenticationChallengeBlock { _, _ in .rejectProtectionSpace }
        #expect(await rejecting.outcome().urlError?.code == .networkConnectionLost)
        #expect(server.requests.count == 5)
    }

    @Test("A block that never gives up does not make an endless loop")
    func stubbornBlock() async {
        let operation = operation(nil)
        operation.setWillSendRequestForAuthenticationChallengeBlock { _, _ in
            .useCredential(URLCredential(user: "user", password: "wrong", persistence: .none))
        }
        #expect(await operation.outcome().status == 401)
        #expect(server.requests.count < 50)
    }

    @Test("A block's credential with an outputStream: only the answer is written")
    func outputStream() async throws {
        let operation = operation("secret")
        operation.outputStream = .toMemory()
        operation.setWillSendRequestForAuthenticationChallengeBlock { _, _ in .performDefaultHandling }
        #expect(await operation.outcome().error == nil)
        let written = operation.outputStream?.property(forKey: .dataWrittenToMemoryStreamKey) as? Data
        #expect(written == Data("welcome".utf8))
    }
}
