// SPDX-License-Identifier: MIT
import Foundation
import OperationNetworkingTesting
import Testing

/// Which URLs templates fit.
@Suite("URL templates")
struct URLTemplateTests {
    @Test(
        "A template fits what its table says",
        arguments: [
            ("https://a.org/x", "https://a.org/x", true), ("https://A.org:443/x", "HTTPS://a.ORG/x?y=1#z", true),
            ("https://a.org/x", "http://a.org/x", false), ("https://a.org:8443/x", "https://a.org/x", false),
            ("https://a.org", "https://a.org/", true), ("https://a.org/", "https://a.org", true),
            ("https://a.org/x", "https://a.org/x/", false), ("https://a.org/{id}", "https://a.org/7", true),
            ("https://a.org/{id}", "https://a.org/", false), ("https://a.org/{id}", "https://a.org/7/8", false),
            ("https://*.a.org/x", "https://b.a.org/x", true), ("https://*.a.org/x", "https://a.org/x", false),
            ("/x/*.json", "https://a.org/x/b.json", true), ("/x/*.json", "https://a.org/x/b.xml", false),
            ("/**/c", "https://a.org/a/b/c", true), ("/**/c", "https://a.org/c", true),
            ("/**/c", "https://a.org/a/b", false), ("*", "ftp://b/c", true), ("nonsense", "https://a.org/x", false),
            ("/a b", "https://a.org/a%20b", true), ("/a%20b", "https://a.org/a%20b", true),
            ("/a", "https://a.org/%61", true), ("/a/b", "https://a.org/a%2Fb", false),
            ("/x?page=*", "https://a.org/x?size=1&page=2", true), ("/x?page=*", "https://a.org/x", false),
            ("/x?page=2", "https://a.org/x?page=3", false), ("/x?q={q}", "https://a.org/x?q=a+b", true),
            ("/x?q={q}", "https://a.org/x?q=", true), ("/x?q={q}", "https://a.org/x?r=", false),
            ("/x?q=a b", "https://a.org/x?q=a%20b", true), ("/*a*b*", "https://h/xxaxxbxx", true),
            ("/caf%E9", "https://h/caf%e9", true), ("/%41%E9", "https://h/A%E9", true),
            ("/caf%E9", "https://h/caf%C3%A9", false), ("/é", "https://h/%C3%A9", true),
            ("/é", "https://h/e%CC%81", false), ("/x?q=%E9", "https://h/x?q=%e9", true),
            ("/*a*b", "https://h/ab", true), ("/a*a", "https://h/a", false),
            ("https://münchen.example/x", "https://xn--mnchen-3ya.example/x", true),
            ("https://*.münchen.example/x", "https://a.xn--mnchen-3ya.example/x", true),
            ("https://a.org./x", "https://a.org/x", true), ("https://a.org/x", "https://a.org.:443/x", true),
            ("https://*.a.org./x", "https://b.a.org/x", true), ("https://a.org./x", "https://b.org/x", false),
            ("https://[0:0:0:0:0:0:0:1]:8443/x", "https://[::1]:8443/x", true),
            ("https://[::1]:*/x", "https://[0:0:0:0:0:0:0:1]:8443/x", true),
            ("https://[0:0:*]/x", "https://[0:0:0:0:0:0:0:1]/x", true),
            ("https://[::1]/x", "https://[::2]/x", false), ("https://[::1]/x", "https://[::1]:8443/x", false),
        ])
    func fits(template: String, url: String, isFit: Bool) throws {
        let url = try #require(URL(string: url))
        #expect((URLTemplate(template).parameters(in: url) != nil) == isFit)
    }

    @Test("Names in braces are parameters")
    func parameters() throws {
        let url = try #require(URL(string: "https://a.org/users/7/books?page=2"))
        let template = URLTemplate("https://a.org/users/{id}/{what}?page={page}")
        #expect(template.parameters(in: url) == ["id": "7", "what": "books", "page": "2"])
    }

    @Test(
        "The nearest rule is the one that fits furthest, and says where it does not",
        arguments: [
            ("https://a.org/x/z", "GET https://a.org/x/y", "its path is /x/z"),
            ("https://b.org/x/y", "GET https://a.org/x/y", "it goes to https://b.org, not to https://a.org"),
            ("https://a.org/q", "GET https://a.org/q?page=2", "its query has no item “page”"),
            ("https://a.org/q?page=1", "GET https://a.org/q?page=2", "the item “page” of its query is “1”"),
        ])
    func nearest(url: String, rule: String, reason: String) async throws {
        let stubs = HTTPStubs()
        stubs.on("GET", "https://a.org/x/y", respond: StubResponse())
        stubs.on("GET", "https://a.org/q?page=2", respond: StubResponse())
        let manager = makeManager(stubs)
        let error = await manager.httpRequestOperation(with: try makeRequest(url)).failure()
        let unmatched = try #require(error as? UnmatchedRequestError)
        #expect(unmatched.nearestRule == rule)
        #expect(unmatched.reason == reason)
    }
}
