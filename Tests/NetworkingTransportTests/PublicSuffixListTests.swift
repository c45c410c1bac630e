// SPDX-License-Identifier: MIT
import Testing

@testable import NetworkingTransport

@Suite("Public suffixes") struct PublicSuffixListTests {
    @Test("The system's list is there: libcurl brings it")
    func available() {
        #expect(PublicSuffixList.shared.isComplete)
        #expect(!PublicSuffixList(usesLibrary: false).isComplete)
    }

    @Test(
        "Names under which anybody may register, of registries and of private owners",
        arguments: [
            ("com", true), ("example.com", false), ("co.uk", true), ("uk", true), ("example.co.uk", false),
            ("github.io", true), ("x.github.io", false), ("foo.ck", true), ("www.ck", false), ("localhost", true),
            ("nosuchtld", true), ("x.nosuchtld", false), ("xn--p1ai", true), ("xn--55qx5d.cn", true),
        ])
    func suffixes(name: String, isSuffix: Bool) {
        #expect(PublicSuffixList.shared.isPublicSuffix(name) == isSuffix)
    }

    @Test(
        "Without a list, single labels are suffixes, and short labels under a country",
        arguments: [
            ("com", true), ("uk", true), ("co.uk", true), ("com.au", true), ("ne.jp", true), ("t.co", true),
            ("example.com", false), ("example.de", false), ("example.co.uk", false), ("localhost", true),
        ])
    func fallback(name: String, isSuffix: Bool) {
        #expect(PublicSuffixList(usesLibrary: false).isPublicSuffix(name) == isSuffix)
    }

    @Test(
        "The registrable domain has one label more than the suffix",
        arguments: [
            ("www.example.com", "example.com"), ("example.com", "example.com"), ("com", nil),
            ("a.b.example.co.uk", "example.co.uk"), ("co.uk", nil), ("a.b.github.io", "b.github.io"),
            ("x.y.foo.ck", "y.foo.ck"), ("localhost", nil), ("a.localhost", "a.localhost"),
        ])
    func registrable(name: String, domain: String?) {
        #expect(PublicSuffixList.shared.registrableDomain(of: name) == domain)
    }
}
