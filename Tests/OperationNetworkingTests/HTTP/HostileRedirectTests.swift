// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

@Suite("Where a hostile server redirects to", .timeLimit(.minutes(2))) struct HostileRedirectTests {
    let server: TestServer
    let other: TestServer

    init() throws {
        (server, other) = (try TestServer(), try TestServer())
        for each in [server, other] { each.respond(to: "/target", .ok("arrived")) }
    }

    @Test(
        "User name and password in a Location are not taken",
        arguments: [
            "me:hunter2@", "u%0d%0aContent-Length%3a%200%0d%0a%0d%0aGET%20%2Fsmuggled%20HTTP%2F1.1:pw@", "me@", ":@",
            "a:b%00@",
        ],
        [
            "Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"n\", qop=\"auth\"", "NTLM",
        ])
    func userInfo(info: String, challenge: String) async throws {
        other.respond(
            to: "/challenge",
            ScriptedResponse(status: 401, headers: [("WWW-Authenticate", challenge)], body: .text("denied")))
        server.respond(to: "/", .redirect(to: "http://\(info)127.0.0.1:\(other.port)/challenge"))
        let operation = HTTPRequestOperation(server.url("/"), timeout: 10)
        operation.shouldUseCredentialStorage = false
        #expect(await operation.outcome().status == 401)
        #expect(other.requests.map(\.target) == ["/challenge"])
        #expect(other.requests.allSatisfy { $0["Authorization"] == nil })
        #expect(operation.response?.url?.absoluteString == other.url("/challenge").absoluteString)
    }

    @Test("The caller's own stay within the origin, and only there")
    func ownUserInfo() async throws {
        let right = "Basic " + Data("me:hunter2".utf8).base64EncodedString()
        for each in [server, other] {
            each.respond(to: "/private") { request in
                request["Authorization"] == right
                    ? .ok("welcome")
                    : ScriptedResponse(status: 401, headers: [("WWW-Authenticate", "Basic realm=\"x\"")])
            }
        }
        server.respond(to: "/relative", .redirect(to: "/private"))
        server.respond(to: "/absolute", .redirect(to: server.url("/private").absoluteString))
        server.respond(to: "/other", .redirect(to: other.url("/private").absoluteString))
        for (path, status) in [("/relative", 200), ("/absolute", 200), ("/other", 401)] {
            let url = try #require(URL(string: "http://me:hunter2@127.0.0.1:\(server.port)\(path)"))
            let operation = HTTPRequestOperation(url, timeout: 10)
            operation.shouldUseCredentialStorage = false
            #expect(await operation.outcome().status == status, "\(path)")
        }
        #expect(other.requests.allSatisfy { $0["Authorization"] == nil })
    }

    @Test("Control characters in a credential are an error, wherever it comes from, and nothing of them is sent")
    func controlCharacters() async throws {
        for challenge in ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"n\", qop=\"auth\"", "NTLM"] {
            server.respond(to: "/private", ScriptedResponse(status: 401, headers: [("WWW-Authenticate", challenge)]))
            for user in ["u\r\nX-Evil: 1", "u\u{0}", "u\u{7F}", "u\n"] {
                let own = HTTPRequestOperation(server.url("/private"), timeout: 10)
                own.credential = URLCredential(user: user, password: "p", persistence: .none)
                var components = try #require(URLComponents(url: server.url("/private"), resolvingAgainstBaseURL: true))
                components.user = user
                components.password = "p"
                let inURL = HTTPRequestOperation(try #require(components.url), timeout: 10)
                let asked = HTTPRequestOperation(server.url("/private"), timeout: 10)
                asked.setWillSendRequestForAuthenticationChallengeBlock { _, _ in
                    .useCredential(URLCredential(user: "u", password: user, persistence: .none))
                }
                for operation in [own, inURL, asked] {
                    let error = await operation.outcome().urlError
                    #expect(error?.code == .userAuthenticationRequired, "\(error as Any)")
                    #expect(error?.localizedDescription.contains("control character") == true)
                }
            }
        }
        #expect(server.requests.allSatisfy { $0["Authorization"] == nil && $0["X-Evil"] == nil })
        #expect(server.connections.allSatisfy { $0.errors.isEmpty })
    }

    @Test("Authorization in any number of spellings stays at home")
    func spellings() async throws {
        server.respond(to: "/", .redirect(to: other.url("/target").absoluteString))
        var request = URLRequest(url: server.url("/"))
        request.allHTTPHeaderFields = [
            "Authorization": "Bearer hunter2", "AUTHORIZATION": "Bearer hunter2", "aUTHorization": "Bearer hunter2",
            "COOKIE": "a=hunter2", "cookie": "a=hunter2", "pRoXy-Authorization": "Basic hunter2",
            "Proxy-authorization": "Basic hunter2", "X-Kept": "yes", "HOST": "example.com", "host": "example.com",
        ]
        let operation = HTTPRequestOperation(request: request)
        #expect(await operation.outcome().text == "arrived")
        let arrived = try #require(other.requests.last)
        #expect(arrived.headers.allSatisfy { !$0.value.contains("hunter2") })
        #expect(arrived["X-Kept"] == "yes" && arrived["Host"] == "127.0.0.1:\(other.port)")
    }

    @Test(
        "A Location of combining marks takes nobody's time",
        arguments: ["/%s", "//%s/", "http://h%s@x/", "?%s", "%s:x"])
    func combiningMarks(form: String) async throws {
        let location = form.replacingOccurrences(of: "%s", with: CombiningMarks.text(bytes: 90_000))
        server.respond(to: "/", .redirect(to: location))
        let (isFinished, wait) = try await Bystander().longestWait {
            let operation = HTTPRequestOperation(server.url("/"), timeout: 10)
            _ = await operation.outcome()
            return operation.isFinished
        }
        #expect(isFinished && wait < .seconds(Patience.factor))
    }

    // MARK: From https to http

    private func secureStart() throws -> (TestServer, TestCertificateAuthority) {
        let authority = try TestCertificateAuthority()
        let secure = try TestServer(tls: TLSSettings(authority.issueForLocalhost()))
        secure.respond(to: "/", .redirect(307, to: server.url("/target").absoluteString))
        return (secure, authority)
    }

    @Test("Only what says nothing of the user goes along from https to http")
    func downgrade() async throws {
        let (secure, authority) = try secureStart()
        let policy = SecurityPolicy.default()
        policy.anchorCertificates = [authority.certificate.der]
        let operation = HTTPRequestOperation(
            secure.url("/"), method: "POST", body: Data("content".utf8),
            headers: [
                "X-Api-Key": "hunter2", "Referer": "https://hunter2/", "Authorization": "hunter2",
                "Content-Type": "text/x",
                "Accept-Language": "de", "User-Agent": "me",
            ])
        operation.securityPolicy = policy
        #expect(await operation.outcome().text == "arrived")
        let request = try #require(server.requests.last)
        #expect(request.headers.allSatisfy { !$0.value.contains("hunter2") })
        #expect(request["Content-Type"] == "text/x" && request.text == "content")
        #expect(request["Accept-Language"] == "de" && request["User-Agent"] == "me")
    }

    @Test("With pins a redirect to http is refused, whatever a block says", arguments: [false, true])
    func pinned(hasBlock: Bool) async throws {
        let (secure, authority) = try secureStart()
        let policy = SecurityPolicy(pinningMode: .publicKey, pinnedCertificates: [authority.certificate.der])
        policy.anchorCertificates = [authority.certificate.der]
        let operation = HTTPRequestOperation(secure.url("/"))
        operation.securityPolicy = policy
        if hasBlock { operation.setRedirectResponseBlock { _, request, _ in request } }
        let error = try #require(await operation.outcome().urlError)
        #expect(error.errorCode == -1022 && error.localizedDescription.contains("pins"))
        #expect(server.requests.isEmpty)
        // Within https it is followed.
        secure.respond(to: "/", .redirect(to: "/target"))
        secure.respond(to: "/target", .ok("secure"))
        let within = HTTPRequestOperation(secure.url("/"))
        within.securityPolicy = policy
        #expect(await within.outcome().text == "secure")
    }
}
