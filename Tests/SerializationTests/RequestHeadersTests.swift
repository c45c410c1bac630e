// SPDX-License-Identifier: MIT
internal import Foundation
@testable internal import OperationNetworkingCore
@testable internal import OperationNetworkingSerialization
internal import Testing

@Suite("Default header fields", .timeLimit(.minutes(1)))
struct RequestHeadersTests {
    @Test("Names are compared without case and keep the case given last")
    func headerTable() {
        let serializer = HTTPRequestSerializer()
        serializer.setValue("1", forHTTPHeaderField: "X-Thing")
        #expect(serializer.value(forHTTPHeaderField: "x-THING") == "1")
        serializer.setValue("2", forHTTPHeaderField: "x-thing")
        #expect(serializer.httpRequestHeaders["x-thing"] == "2")
        #expect(serializer.httpRequestHeaders["X-Thing"] == nil)
        #expect(serializer.httpRequestHeaders.count == 3)
        serializer.setValue(nil, forHTTPHeaderField: "X-THING")
        #expect(serializer.value(forHTTPHeaderField: "X-Thing") == nil)
        serializer.setValue(nil, forHTTPHeaderField: "X-Absent")
        #expect(serializer.httpRequestHeaders.count == 2)
    }

    @Test(
        "Accept-Language follows the locale environment",
        arguments: [
            ([:], "en;q=1"),
            (["LANG": "C"], "en;q=1"),
            (["LANG": "POSIX"], "en;q=1"),
            (["LANG": "C.UTF-8"], "en;q=1"),
            (["LANG": "de_DE.UTF-8"], "de-DE;q=1"),
            (["LANG": "de_DE@euro"], "de-DE;q=1"),
            (["LANG": "sr_RS.UTF-8@latin"], "sr-Latn-RS;q=1"),
            (["LANG": "ca_ES@valencia"], "ca-ES-valencia;q=1"),
            (["LANG": "pt"], "pt;q=1"),
            (["LANG": "de_DE", "LC_MESSAGES": "fr_FR"], "fr-FR;q=1"),
            (["LANG": "de_DE", "LC_MESSAGES": "fr_FR", "LC_ALL": "it_IT"], "it-IT;q=1"),
            (["LANG": "de_DE", "LC_ALL": ""], "de-DE;q=1"),
            (["LANG": "de_DE", "LC_ALL": "C"], "en;q=1"),
            (["LANG": "de_DE", "LANGUAGE": "fr:en_GB:de_DE"], "fr;q=1, en-GB;q=0.9, de-DE;q=0.8"),
            (["LANG": "C", "LANGUAGE": "fr"], "en;q=1"),
            (
                ["LANG": "aa", "LANGUAGE": "bb:cc:dd:ee:ff:gg:hh"],
                "bb;q=1, cc;q=0.9, dd;q=0.8, ee;q=0.7, ff;q=0.6, gg;q=0.5"
            ),
            (["LANG": "de_DE\r\nX: y"], "en;q=1"),
            (["LANG": "../x"], "en;q=1"),
            (["LANG": "é_É"], "en;q=1"),
        ] as [([String: String], String)])
    func acceptLanguage(_ environment: [String: String], _ expected: String) {
        #expect(DefaultHeaders.acceptLanguage { environment[$0] } == expected)
    }

    @Test("Accept-Language and User-Agent are set by default")
    func defaults() throws {
        let headers = HTTPRequestSerializer().httpRequestHeaders
        #expect(headers["Accept-Language"]?.contains(";q=1") == true)
        let agent = try #require(headers["User-Agent"])
        #expect(agent.wholeMatch(of: /[!-~]+\/[!-~]+ \(Linux [ -~]+\)/) != nil)
        let request = try HTTPRequestSerializer().request(withMethod: "GET", urlString: "http://h/", parameters: nil)
        #expect(request.value(forHTTPHeaderField: "User-Agent") == agent)
    }

    @Test(
        "The User-Agent is ASCII and keeps to RFC 9110's grammar",
        arguments: [
            ("app", "1.2", "6.1.0-13-amd64", "app/1.2 (Linux 6.1.0-13-amd64)"),
            ("Café Über", "1", "6", "CafeUber/1 (Linux 6)"),
            ("漢字", "", "6", "swift/0 (Linux 6)"),
            ("a/b(c)", "1\r\n2", "6)\r\n(\\x", "abc/12 (Linux 6x)"),
        ])
    func userAgent(_ process: String, _ version: String, _ kernel: String, _ expected: String) {
        #expect(DefaultHeaders.userAgent(process: process, version: version, kernelRelease: kernel) == expected)
    }

    @Test(
        "Basic credentials are base64 of UTF-8 without line breaks",
        arguments: [
            ("Aladdin", "open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            ("user", "pässword", "Basic dXNlcjpww6Rzc3dvcmQ="),
            ("", "", "Basic Og=="),
        ])
    func authorization(_ user: String, _ password: String, _ expected: String) {
        let serializer = HTTPRequestSerializer()
        serializer.setAuthorizationHeaderFieldWithUsername(user, password: password)
        #expect(serializer.value(forHTTPHeaderField: "authorization") == expected)
        serializer.clearAuthorizationHeader()
        #expect(serializer.value(forHTTPHeaderField: "Authorization") == nil)
    }

    @Test("Long credentials stay on one line")
    func longCredentials() {
        let serializer = HTTPRequestSerializer()
        let password = String(repeating: "p", count: 300)
        serializer.setAuthorizationHeaderFieldWithUsername("u", password: password)
        let value = serializer.value(forHTTPHeaderField: "Authorization")
        #expect(value == "Basic " + Data("u:\(password)".utf8).base64EncodedString())
        #expect(value?.contains("\n") == false)
    }

    @Test("Descriptions do not show header values")
    func description() {
        let serializer = JSONRequestSerializer()
        serializer.setAuthorizationHeaderFieldWithUsername("user", password: "secret")
        let secret = serializer.value(forHTTPHeaderField: "Authorization") ?? ""
        for text in [
            serializer.description, serializer.debugDescription, "\(serializer)", String(reflecting: serializer),
        ] {
            #expect(!text.contains(secret.dropFirst(6)))
            #expect(text.contains("Authorization"))
        }
    }
}
