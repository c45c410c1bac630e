// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer
import Testing

@Suite("Proxy settings") struct ProxyConfigurationTests {
    private let proxy = Result { try ProxyServer(scheme: .http, host: "proxy.test", port: 3128) }

    @Test(
        "A proxy is read from what it is usually written as",
        arguments: [
            ("http://proxy.test:3128", "http://proxy.test:3128", nil, nil),
            ("proxy.test:3128", "http://proxy.test:3128", nil, nil),
            ("proxy.test", "http://proxy.test:1080", nil, nil),
            ("HTTPS://proxy.test/", "https://proxy.test:443", nil, nil),
            ("socks5://127.0.0.1", "socks5://127.0.0.1:1080", nil, nil),
            ("socks5h://[::1]:9050", "socks5h://[::1]:9050", nil, nil),
            ("http://us%40er:p%3Aw@proxy.test:1", "http://proxy.test:1", "us@er", "p:w"),
            ("http://user@proxy.test:1", "http://proxy.test:1", "user", ""),
            ("http://b\u{FC}cher.example:1", "http://xn--bcher-kva.example:1", nil, nil),
            ("http://u:p@[::1]/", "http://[::1]:1080", "u", "p"),
        ] as [(String, String, String?, String?)])
    func parsing(text: String, description: String, user: String?, password: String?) throws {
        let proxy = try ProxyServer(text)
        #expect(proxy.description == description)
        #expect(proxy.credential?.user == user && proxy.credential?.password == password)
    }

    @Test(
        "What is no proxy is refused with a reason that does not contain the password",
        arguments: [
            ("ftp://me:hunter2@proxy", .unsupportedScheme), ("http://me:hunter2@proxy:0", .invalidPort),
            ("http://me:hunter2@proxy:70000", .invalidPort), ("http://proxy:", .invalidPort),
            ("http://proxy:99999999999999999999", .invalidPort), ("http://[::1]:99999999999999999999", .invalidPort),
            ("http://me:hunter2@", .invalidHost),
            ("http://me:hunter2@proxy/path", .invalidURL), ("http://me:hunter2@proxy?a", .invalidURL),
            ("http://me:hunter2@pro xy", .invalidURL), ("", .invalidHost), ("http://me:hunter2@pr%00xy", .invalidHost),
        ] as [(String, ProxyConfigurationError.Code)])
    func defects(text: String, code: ProxyConfigurationError.Code) throws {
        let error = try #require(throws: ProxyConfigurationError.self) { try ProxyServer(text) }
        #expect(error.code == code || error.code == .invalidURL)
        #expect(!error.description.isEmpty && !"\(error)".contains("hunter2"))
    }

    @Test(
        "A credential with control characters, or in something else than UTF-8, is refused",
        arguments: [
            "http://me%0d%0aX:hunter2@proxy", "http://me:hunter2%00@proxy", "http://me:hunter2%7F@proxy",
            "http://%09me@proxy", "socks5://me:hunter2%0a@proxy", "socks5h://me%01:hunter2@proxy",
            "https://me:hunter2%1f@proxy", "http://me:hunter2%ff@proxy", "http://m%C3e:hunter2@proxy",
        ])
    func badCredentials(text: String) throws {
        for read in [{ try ProxyServer(text) }, { try ProxyConfiguration.environment(["all_proxy": text]).http }] {
            let error = try #require(throws: ProxyConfigurationError.self) { _ = try read() }
            #expect(error.code == .invalidCredential)
            #expect(error.reason.contains("user name") || error.reason.contains("password"))
            #expect(!"\(error)".contains("hunter2") && !"\(error)".contains("X"))
        }
    }

    @Test("The same of a credential of the program's", arguments: ["\r\nX: 1", "\u{0}", "\u{7F}", "\n", "\t"])
    func badParts(text: String) throws {
        for (user, password) in [("me" + text, "hunter2"), ("me", "hunter2" + text)] {
            let error = try #require(throws: ProxyConfigurationError.self) {
                try ProxyServer(
                    scheme: .http, host: "proxy", port: 1,
                    credential: URLCredential(user: user, password: password, persistence: .none))
            }
            #expect(error.code == .invalidCredential && !"\(error)".contains("hunter2"))
        }
    }

    @Test(
        "Hosts with what no host has, and ports that are none, are refused",
        arguments: ["a b", "a@b", "a/b", "a\r\nb", ""])
    func badHosts(host: String) {
        #expect(throws: ProxyConfigurationError.self) { try ProxyServer(scheme: .http, host: host, port: 1) }
        #expect(throws: ProxyConfigurationError.self) { try ProxyServer(scheme: .http, host: "a", port: 65_536) }
    }

    @Test(
        "Exceptions",
        arguments: [
            ("example.com", "http://example.com/", true), ("example.com", "http://www.example.com/", true),
            (".example.com", "http://EXAMPLE.com./", true), ("*.example.com", "http://a.b.example.com/", true),
            ("example.com", "http://notexample.com/", false), ("example.com", "http://example.com.evil/", false),
            ("com", "http://example.com/", true), ("*", "https://anything/", true),
            ("example.com:8080", "http://example.com:8080/", true), ("example.com:8080", "http://example.com/", false),
            ("example.com:443", "https://example.com/", true), ("example.com:80", "http://example.com/", true),
            ("192.0.2.7", "http://192.0.2.7/", true), ("192.0.2.7", "http://192.0.2.70/", false),
            ("2.7", "http://192.0.2.7/", false), ("192.0.2.0/24", "http://192.0.2.255/", true),
            ("192.0.2.0/25", "http://192.0.2.128/", false), ("0.0.0.0/0", "http://203.0.113.9/", true),
            ("0.0.0.0/0", "http://[::1]/", false), ("::1", "http://[::1]/", true), ("[::1]", "http://[::1]:81/", true),
            ("[::1]:81", "http://[::1]:81/", true), ("[::1]:81", "http://[::1]:82/", false),
            ("2001:db8::/32", "http://[2001:db8:1::5]/", true), ("2001:db8::/33", "http://[2001:db8:8000::]/", false),
            ("[2001:db8::/32]:80", "http://[2001:db8:1::5]/", true),
            ("[2001:db8::]/32:81", "http://[2001:db8:1::5]/", false),
            ("[2001:db8::]/32:81", "http://[2001:db8:1::5]:81/", true), ("127.0.0.1", "http://127.1/", true),
            ("b\u{FC}cher.example", "http://xn--bcher-kva.example/", true),
            ("xn--bcher-kva.example", "http://a.xn--bcher-kva.example./", true),
            ("192.0.2.0/99", "http://192.0.2.1/", false), ("", "http://example.com/", false),
            (".", "http://example.com/", false), ("localhost", "http://localhost/", true),
        ])
    func exclusions(entry: String, url: String, isExcluded: Bool) throws {
        let configuration = ProxyConfiguration(try proxy.get(), excludedHosts: ["other.test", entry])
        #expect(configuration.excludedHosts == ["other.test", entry])
        #expect((configuration.proxy(for: try #require(URL(string: url))) == nil) == isExcluded)
    }

    @Test("A host of combining marks, as a redirect may have it, is compared in no time")
    func marks() throws {
        let host = String(repeating: "%CC%81%CC%96", count: 10_000)
        let url = try #require(URL(string: "http://\(host)/"))
        try #require(url.host?.utf8.count == 40_000)
        let configuration = ProxyConfiguration(try proxy.get(), excludedHosts: (0..<20).map { "h\($0).test" })
        let seconds = processorSeconds { #expect(configuration.proxy(for: url) != nil) }
        #expect(seconds < 0.5 * Patience.factor)
    }

    @Test("Each scheme has its proxy")
    func schemes() throws {
        let configuration = ProxyConfiguration(http: try proxy.get(), https: nil)
        #expect(configuration.proxy(for: try #require(URL(string: "HTTP://a/"))) != nil)
        #expect(configuration.proxy(for: try #require(URL(string: "https://a/"))) == nil)
    }

    @Test("The environment's variables, which are read when asked for")
    func environment() throws {
        let none = try ProxyConfiguration.environment(["HTTP_PROXY": "http://evil:1", "https_proxy": " "])
        #expect(none.http == nil && none.https == nil && none.excludedHosts.isEmpty)
        let some = try ProxyConfiguration.environment([
            "http_proxy": "a:1", "HTTPS_PROXY": "socks5h://b:2", "all_proxy": "c:3",
            "no_proxy": "x.test, y.test z.test",
            "NO_PROXY": "ignored.test",
        ])
        #expect(some.http?.description == "http://a:1" && some.https?.description == "socks5h://b:2")
        #expect(some.excludedHosts == ["x.test", "y.test", "z.test"])
        let all = try ProxyConfiguration.environment(["ALL_PROXY": "c:3"])
        #expect(all.http?.description == "http://c:3" && all.https?.description == "http://c:3")
        let error = try #require(throws: ProxyConfigurationError.self) {
            try ProxyConfiguration.environment(["https_proxy": "ftp://me:hunter2@a"])
        }
        #expect(error.description.contains("https_proxy") && !error.description.contains("hunter2"))
    }

    @Test("Descriptions and dumps show no password")
    func secrets() throws {
        let configuration = ProxyConfiguration(try ProxyServer("http://someone:hunter2@proxy:1"))
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in ["\(configuration)", String(reflecting: configuration), dumped, "\(configuration.http as Any)"] {
            #expect(text.contains("proxy:1") && !text.contains("hunter2") && !text.contains("someone"))
        }
    }

    @Test("Copies keep the setting; a manager's operations have it")
    func carried() throws {
        let manager = HTTPRequestOperationManager(baseURL: nil)
        #expect(manager.proxyConfiguration == nil)
        manager.proxyConfiguration = ProxyConfiguration(try proxy.get(), excludedHosts: ["a.test"])
        let url = try #require(URL(string: "http://example.com/"))
        let operation = manager.httpRequestOperation(with: URLRequest(url: url))
        #expect(operation.proxyConfiguration?.http?.host == "proxy.test")
        let copy = try #require(operation.copy() as? HTTPRequestOperation)
        #expect(copy.proxyConfiguration?.excludedHosts == ["a.test"])
        let other = try #require(manager.copy() as? HTTPRequestOperationManager)
        #expect(other.proxyConfiguration?.http?.port == 3128)
        operation.proxyConfiguration = nil
        #expect(operation.proxyConfiguration == nil && manager.proxyConfiguration != nil)
    }
}
