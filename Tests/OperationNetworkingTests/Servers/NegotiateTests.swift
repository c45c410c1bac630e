// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

// One at a time: the environment names the ticket.
@Suite("Negotiate, with MIT Kerberos on the other side", .serialized, .timeLimit(.minutes(1))) struct NegotiateTests {
    private let server: KerberosServer
    private let url: URL

    init() throws {
        server = try KerberosServer.start(user: "ada")
        url = try #require(server.url())
    }

    /// Means: whoever the system's ticket is for.
    private let anybody = URLCredential(user: "", password: "", persistence: .none)

    @Test("The system's ticket is shown when the operation has a credential, with and without content")
    func ticket() async {
        for body in [nil, Data(", hello".utf8)] {
            let operation = HTTPRequestOperation(url, method: body == nil ? "GET" : "POST", body: body, timeout: 20)
            operation.credential = anybody
            let outcome = await operation.outcome()
            #expect(outcome.text == "welcome ada@TEST.REALM" + (body == nil ? "" : ", hello"))
        }
    }

    @Test("It is not shown to a server because that asks for it")
    func notUnasked() async {
        let outcome = await HTTPRequestOperation(url, timeout: 20).outcome()
        #expect(outcome.status == 401 && outcome.text == "denied")
    }

    @Test("Without a ticket the 401 is the result")
    func noTicket() async {
        setenv("KRB5CCNAME", "FILE:/nonexistent", 1)
        let operation = HTTPRequestOperation(url, timeout: 20)
        operation.credential = anybody
        #expect(await operation.outcome().status == 401)
    }
}
