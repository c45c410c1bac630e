// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

@Suite("NTLM, with pyspnego on the other side", .timeLimit(.minutes(1))) struct NTLMTests {
    private let server: NTLMServer

    init() throws {
        server = try NTLMServer.start(user: "DOMAIN:ada", password: "secret")
    }

    private func operation(_ user: String, _ password: String, body: Data? = nil) -> HTTPRequestOperation {
        let operation = HTTPRequestOperation(
            server.url("/"), method: body == nil ? "GET" : "POST", body: body, timeout: 20)
        operation.credential = URLCredential(user: user, password: password, persistence: .none)
        return operation
    }

    @Test("The right password is welcome, with and without content; the 401s' contents do not count")
    func right() async {
        #expect(await operation("DOMAIN\\ada", "secret").outcome().text == "welcome DOMAIN\\ada")
        let post = await operation("DOMAIN\\ada", "secret", body: Data(", hello".utf8)).outcome()
        #expect(post.text == "welcome DOMAIN\\ada, hello")
    }

    @Test("A connection that is one user's is not another's")
    func users() async {
        #expect(await operation("DOMAIN\\ada", "secret").outcome().status == 200)
        #expect(await operation("DOMAIN\\ada", "wrong").outcome().status == 401)
        #expect(await operation("DOMAIN\\eve", "secret").outcome().status == 401)
        #expect(await HTTPRequestOperation(server.url("/")).outcome().status == 401)
    }

    @Test("The challenge block is told that it is NTLM")
    func block() async {
        let methods = Journal<String>()
        let operation = HTTPRequestOperation(server.url("/"))
        operation.setWillSendRequestForAuthenticationChallengeBlock { _, challenge in
            methods.append(challenge.protectionSpace.authenticationMethod)
            return .useCredential(URLCredential(user: "DOMAIN\\ada", password: "secret", persistence: .none))
        }
        #expect(await operation.outcome().status == 200)
        #expect(methods.all == [NSURLAuthenticationMethodNTLM])
    }
}
