// SPDX-License-Identifier: MIT
import Foundation
import Testing

@testable import OperationNetworkingCore

@Suite("Set-Cookie, case by case", .timeLimit(.minutes(1))) struct SetCookieTableTests {
    @Test("Names, values and what is around them (RFC 6265bis, 5.6)", arguments: pairs)
    func pair(_ one: CookieCase) throws { try one.check() }

    static let pairs: [CookieCase] = [
        CookieCase("plain", "a=b", sends: "a=b"),
        CookieCase("spaces and tabs around", " \t a \t = \t b \t ", sends: "a=b"),
        CookieCase("spaces within", "a b=c d", sends: "a b=c d"),
        CookieCase("tab within a value", "a=b\tc", sends: "a=b\tc"),
        CookieCase("equals signs in a value", "a=b=c==", sends: "a=b=c=="),
        CookieCase("quotes stay", "a=\"b; c\"", sends: "a=\"b"),
        CookieCase("empty value", "a=", sends: "a="),
        CookieCase("no name", "=b", sends: "b"),
        CookieCase("no equals sign", "b", sends: "b"),
        CookieCase("nothing", "", sends: nil),
        CookieCase("only white space", " \t ", sends: nil),
        CookieCase("only an equals sign", " = ", sends: nil),
        CookieCase("only attributes", "; Path=/; Secure", sends: nil),
        CookieCase("commas are nothing special", "a=b,c=d", sends: "a=b,c=d"),
        CookieCase("several attributes of no meaning", "a=b; x; y=z; ;; Version=1; Priority=High", sends: "a=b"),
        CookieCase("names differ in case", "a=1", "A=2", sends: "a=1; A=2"),
        CookieCase("a second one takes the place", "a=1", "b=2", "a=3", sends: "a=3; b=2"),
        CookieCase("a grapheme of two scalars in a name", "e\u{301}=v", sends: "e\u{301}=v"),
        CookieCase("a grapheme of two scalars in an attribute's name", "sid=abc; P\u{301}x=", sends: "sid=abc"),
        CookieCase("a combining mark after the equals sign", "a=\u{301}b", sends: "a=\u{301}b"),
        CookieCase("a combining mark after the semicolon", "a=b;\u{301}Path=/x", sends: "a=b"),
        CookieCase("a combining mark alone", "\u{301}", sends: "\u{301}"),
        CookieCase(
            "a name that Foundation's table takes for the same", "\u{E9}=1", "e\u{301}=2", sends: "\u{E9}=1; e\u{301}=2"
        ),
        CookieCase("UTF-8 in a value", "a=köln", sends: "a=köln"),
        CookieCase("flags and joiners", "a=👩‍👩‍👧🇩🇪", sends: "a=👩‍👩‍👧🇩🇪"),
        CookieCase("bytes that are no UTF-8 go back as they came", bytes: [[0x61, 0x3D, 0xE9]], sends: "a=\u{E9}"),
        CookieCase("a name that is no UTF-8", bytes: [[0xFF, 0x3D, 0x61]], sends: nil),
        CookieCase("half a scalar at the end", bytes: [[0x61, 0x3D, 0xE2, 0x82]], sends: "a=\u{E2}\u{82}"),
        CookieCase("a control character in a value", "k=\u{1}v", sends: nil),
        CookieCase("a control character in a name", "k\u{1}=v", sends: nil),
        CookieCase("a control character in an attribute", "k=v; Path=/\u{1}", sends: nil),
        CookieCase("NUL", "k=v\0w", sends: nil),
        CookieCase("DEL", "k=v\u{7F}", sends: nil),
        CookieCase("a carriage return", "k=v\rw", sends: nil),
        CookieCase("a folded line", "k=v;\r\n Path=/", sends: nil),
        CookieCase(
            "4096 bytes", "k=" + String(repeating: "v", count: 4095), sends: "k=" + String(repeating: "v", count: 4095)),
        CookieCase("4097 bytes", "k=" + String(repeating: "v", count: 4096), sends: nil),
        CookieCase(
            "a long name in ASCII", String(repeating: "n", count: 2000) + "=",
            sends: String(repeating: "n", count: 2000) + "="
        ),
        CookieCase("a name of combining marks", "a" + String(repeating: "\u{301}", count: 2000) + "=v", sends: nil),
    ]

    @Test("Domain, host-only and public suffixes (5.1.3, 5.6.3)", arguments: domains)
    func domain(_ one: CookieCase) throws { try one.check() }

    static let domains: [CookieCase] = [
        CookieCase("host-only: not below", "a=b; Path=/", to: "https://x.www.example.com/", sends: nil),
        CookieCase("host-only: not above", "a=b; Path=/", to: "https://example.com/", sends: nil),
        CookieCase("host-only: not beside", "a=b; Path=/", to: "https://api.example.com/", sends: nil),
        CookieCase("host-only: any port", "a=b; Path=/", to: "https://www.example.com:8443/", sends: "a=b"),
        CookieCase("host in other case", "a=b; Path=/", to: "https://WWW.EXAMPLE.COM/", sends: "a=b"),
        CookieCase("host with a trailing dot", "a=b; Path=/", to: "https://www.example.com./", sends: "a=b"),
        CookieCase("host with percent-encoded bytes", "a=b; Path=/", to: "https://www.ex%61mple.com/", sends: "a=b"),
        CookieCase("host name within another", "a=b; Path=/", to: "https://www.example.com.evil.example/", sends: nil),
        CookieCase("user name like the host", "a=b; Path=/", to: "https://www.example.com@evil.example/", sends: nil),
        CookieCase("parent domain", "a=b; Domain=example.com; Path=/", to: "https://api.example.com/", sends: "a=b"),
        CookieCase("parent domain itself", "a=b; Domain=example.com; Path=/", to: "https://example.com/", sends: "a=b"),
        CookieCase(
            "with a dot before it", "a=b; Domain=.example.com; Path=/", to: "https://api.example.com/", sends: "a=b"),
        CookieCase("with two dots before it", "a=b; Domain=..example.com; Path=/", sends: nil),
        CookieCase("in other case", "a=b; dOmAiN=EXAMPLE.com; Path=/", to: "https://x.example.com/", sends: "a=b"),
        CookieCase("own host", "a=b; Domain=www.example.com; Path=/", to: "https://x.www.example.com/", sends: "a=b"),
        CookieCase(
            "domain cookie, name that only ends alike", "a=b; Domain=example.com; Path=/",
            to: "https://badexample.com/", sends: nil),
        CookieCase("no value", "a=b; Domain; Path=/", to: "https://x.www.example.com/", sends: nil),
        CookieCase("empty value", "a=b; Domain=; Path=/", sends: "a=b"),
        CookieCase("only a dot", "a=b; Domain=.; Path=/", to: "https://x.www.example.com/", sends: nil),
        CookieCase("the last one counts", "a=b; Domain=evil.example; Domain=example.com; Path=/", sends: "a=b"),
        CookieCase(
            "the last one counts, empty", "a=b; Domain=example.com; Domain=; Path=/", to: "https://example.com/",
            sends: nil),
        CookieCase("another site", "a=b; Domain=victim.example; Path=/", to: "https://victim.example/", sends: nil),
        CookieCase(
            "a name below", "a=b; Domain=x.www.example.com; Path=/", to: "https://x.www.example.com/", sends: nil),
        CookieCase("a name beside", "a=b; Domain=api.example.com; Path=/", to: "https://api.example.com/", sends: nil),
        CookieCase("end of a label", "a=b; Domain=ample.com; Path=/", sends: nil),
        CookieCase("top level", "a=b; Domain=com; Path=/", sends: nil),
        CookieCase("top level with a dot", "a=b; Domain=.com; Path=/", sends: nil),
        CookieCase("top level with a dot after it", "a=b; Domain=com.; Path=/", sends: nil),
        CookieCase("public suffix", "a=b; Domain=co.uk", from: "https://www.example.co.uk/", sends: nil),
        CookieCase("public suffix in upper case", "a=b; Domain=CO.UK", from: "https://www.example.co.uk/", sends: nil),
        CookieCase("above a public suffix", "a=b; Domain=uk", from: "https://www.example.co.uk/", sends: nil),
        CookieCase(
            "below a public suffix", "a=b; Domain=example.co.uk", from: "https://www.example.co.uk/",
            to: "https://example.co.uk/", sends: "a=b"),
        CookieCase("a private suffix", "a=b; Domain=github.io", from: "https://evil.github.io/", sends: nil),
        CookieCase("a suffix by wildcard", "a=b; Domain=foo.ck", from: "https://www.foo.ck/", sends: nil),
        CookieCase(
            "an exception to a wildcard", "a=b; Domain=www.ck", from: "https://x.www.ck/", to: "https://y.www.ck/",
            sends: "a=b"),
        CookieCase("the host is a suffix", "a=b; Domain=github.io", from: "https://github.io/", sends: "a=b"),
        CookieCase(
            "the host is a suffix, so host-only", "a=b; Domain=github.io", from: "https://github.io/",
            to: "https://evil.github.io/", sends: nil),
        CookieCase("a suffix in other letters", "a=b; Domain=xn--p1ai", from: "https://x.xn--p1ai/", sends: nil),
        CookieCase(
            "an international name", "a=b; Domain=xn--bcher-kva.example", from: "https://www.bücher.example/",
            sends: "a=b"),
        CookieCase(
            "a Domain that is not ASCII", "a=b; Domain=bücher.example", from: "https://www.bücher.example/", sends: nil),
        CookieCase("a Domain with a combining mark", "a=b; Domain=e\u{301}xample.com", sends: nil),
        CookieCase("a Domain with a port", "a=b; Domain=example.com:443", sends: nil),
        CookieCase("a Domain that is a URL", "a=b; Domain=https://example.com/", sends: nil),
        CookieCase("a single label is host-only", "a=b; Path=/", from: "http://intranet/", sends: "a=b"),
        CookieCase("a single label, named", "a=b; Domain=localhost; Path=/", from: "http://localhost/", sends: "a=b"),
        CookieCase(
            "below a single label", "a=b; Domain=localhost; Path=/", from: "http://evil.localhost/",
            to: "http://localhost/", sends: nil),
        CookieCase("IPv4 is host-only", "a=b; Path=/", from: "http://127.0.0.1/", sends: "a=b"),
        CookieCase("IPv4, named", "a=b; Domain=127.0.0.1; Path=/", from: "http://127.0.0.1/", sends: "a=b"),
        CookieCase(
            "end of an IPv4 address", "a=b; Domain=0.0.1; Path=/", from: "http://127.0.0.1/", to: "http://10.0.0.1/",
            sends: nil),
        CookieCase(
            "end of an IPv4 address, own request", "a=b; Domain=.0.0.1; Path=/", from: "http://127.0.0.1/", sends: nil),
        CookieCase(
            "end of an IPv4 address in hexadecimal", "a=b; Domain=0.1; Path=/", from: "http://0x7f.0.0.1/", sends: nil),
        CookieCase("IPv6", "a=b; Path=/", from: "http://[::1]:8080/", sends: "a=b"),
        CookieCase("IPv6, another", "a=b; Path=/", from: "http://[::1]/", to: "http://[::2]/", sends: nil),
        CookieCase(
            "a Domain of more than 1024 bytes is ignored",
            "a=b; Domain=" + String(repeating: "x.", count: 600) + "example.com", sends: "a=b"),
        CookieCase(
            "a Domain of more than 253 bytes", "a=b; Domain=" + String(repeating: "x.", count: 200) + "example.com",
            sends: nil
        ),
    ]

    @Test("Path (5.1.4, 5.6.4)", arguments: paths)
    func path(_ one: CookieCase) throws { try one.check() }

    static let paths: [CookieCase] = [
        CookieCase("default: the folder", "a=b", to: "https://www.example.com/dir/other", sends: "a=b"),
        CookieCase("default: below", "a=b", to: "https://www.example.com/dir/x/y?q", sends: "a=b"),
        CookieCase("default: the folder's own name", "a=b", to: "https://www.example.com/dir", sends: "a=b"),
        CookieCase("default: not above", "a=b", to: "https://www.example.com/", sends: nil),
        CookieCase("default: not a longer name", "a=b", to: "https://www.example.com/directory", sends: nil),
        CookieCase(
            "default of a file at the top", "a=b", from: "https://www.example.com/page",
            to: "https://www.example.com/x", sends: "a=b"),
        CookieCase(
            "default of no path", "a=b", from: "https://www.example.com", to: "https://www.example.com/x", sends: "a=b"),
        CookieCase(
            "the query has slashes", "a=b", from: "https://www.example.com/x?/y/z", to: "https://www.example.com/",
            sends: "a=b"),
        CookieCase("own path", "a=b; Path=/other", to: "https://www.example.com/other", sends: "a=b"),
        CookieCase("own path, below", "a=b; Path=/other", to: "https://www.example.com/other/x", sends: "a=b"),
        CookieCase("own path, longer name", "a=b; Path=/other", to: "https://www.example.com/others", sends: nil),
        CookieCase("own path with a slash", "a=b; Path=/other/", to: "https://www.example.com/other/x", sends: "a=b"),
        CookieCase(
            "own path with a slash, without it", "a=b; Path=/other/", to: "https://www.example.com/other", sends: nil),
        CookieCase("case counts", "a=b; Path=/Dir", sends: nil),
        CookieCase("not decoded", "a=b; Path=/d%69r", sends: nil),
        CookieCase("relative: default", "a=b; Path=other", sends: "a=b"),
        CookieCase("empty: default", "a=b; Path=", sends: "a=b"),
        CookieCase("no value: default", "a=b; Path", sends: "a=b"),
        CookieCase("the last one counts", "a=b; Path=/x; Path=/dir", sends: "a=b"),
        CookieCase("the last one counts, even a bad one", "a=b; Path=/x; Path=bad", sends: "a=b"),
        CookieCase("more than 1024 bytes: ignored", "a=b; Path=/" + String(repeating: "x", count: 1024), sends: "a=b"),
        CookieCase(
            "longer paths first", "a=1; Path=/", "b=2; Path=/dir/page", "c=3; Path=/dir", sends: "b=2; c=3; a=1"),
        CookieCase("earlier ones first", "c=1", "a=2", "b=3", sends: "c=1; a=2; b=3"),
        CookieCase("an update keeps its place", "c=1", "a=2", "c=4", sends: "c=4; a=2"),
        CookieCase("one name on two paths", "a=1; Path=/", "a=2; Path=/dir", sends: "a=2; a=1"),
        CookieCase(
            "a path and name that run together to the same text", "session=1; Path=/", "ession=2; Path=/s",
            to: "https://www.example.com/s", sends: "ession=2; session=1"),
    ]

    @Test("Secure, prefixes and lifetimes (5.7)", arguments: attributes)
    func attribute(_ one: CookieCase) throws { try one.check() }

    static let attributes: [CookieCase] = [
        CookieCase("Secure goes over https", "a=b; Secure", sends: "a=b"),
        CookieCase("Secure does not go over http", "a=b; Secure; Path=/", to: "http://www.example.com/", sends: nil),
        CookieCase(
            "Secure does not go over http to this machine", "a=b; Secure; Path=/", from: "https://localhost/",
            to: "http://localhost/", sends: nil),
        CookieCase(
            "Secure over http is refused", "a=b; Secure; Path=/", from: "http://www.example.com/",
            to: "https://www.example.com/", sends: nil),
        CookieCase("Secure with a value", "a=b; Secure=no; Path=/", to: "http://www.example.com/", sends: nil),
        CookieCase("sEcUrE", "a=b; sEcUrE; Path=/", to: "http://www.example.com/", sends: nil),
        CookieCase("others go over both", "a=b; Path=/", to: "http://www.example.com/", sends: "a=b"),
        CookieCase("__Secure- with Secure", "__Secure-a=b; Secure", sends: "__Secure-a=b"),
        CookieCase("__Secure- without Secure", "__Secure-a=b", sends: nil),
        CookieCase("__SECURE- without Secure", "__SECURE-a=b", sends: nil),
        CookieCase("__Secure- over http", "__Secure-a=b; Secure", from: "http://www.example.com/", sends: nil),
        CookieCase("__Host- in good order", "__Host-a=b; Secure; Path=/", sends: "__Host-a=b"),
        CookieCase("__Host- without Secure", "__Host-a=b; Path=/", sends: nil),
        CookieCase("__Host- without Path", "__Host-a=b; Secure", from: "https://www.example.com/", sends: nil),
        CookieCase("__Host- with another Path", "__Host-a=b; Secure; Path=/dir", sends: nil),
        CookieCase("__Host- with Domain", "__Host-a=b; Secure; Path=/; Domain=example.com", sends: nil),
        CookieCase("__hOsT- with Domain", "__hOsT-a=b; Secure; Path=/; Domain=www.example.com", sends: nil),
        CookieCase("a prefix in a value without name", "=__Host-a=b; Secure", sends: nil),
        CookieCase("a prefix in a value without equals sign", "__secure-a", sends: nil),
        CookieCase("Max-Age in the future", "a=b; Max-Age=60", sends: "a=b"),
        CookieCase("Max-Age 0 removes", "a=b", "a=c; Max-Age=0", sends: nil),
        CookieCase("a negative Max-Age removes", "a=b", "a=c; Max-Age=-5", sends: nil),
        CookieCase("Max-Age that is no number", "a=b; Max-Age=0x", sends: "a=b"),
        CookieCase("Max-Age with a plus sign", "a=b; Max-Age=+0", sends: "a=b"),
        CookieCase("Max-Age of a minus sign", "a=b; Max-Age=-", sends: "a=b"),
        CookieCase("Max-Age beyond all numbers", "a=b; Max-Age=" + String(repeating: "9", count: 400), sends: "a=b"),
        CookieCase("Max-Age below all numbers", "a=b; Max-Age=-" + String(repeating: "9", count: 400), sends: nil),
        CookieCase("Expires in the past removes", "a=b", "a=c; Expires=Thu, 01 Jan 1970 00:00:00 GMT", sends: nil),
        CookieCase("Expires in the future", "a=b; Expires=Fri, 31 Dec 2100 23:59:59 GMT", sends: "a=b"),
        CookieCase("Expires that is no date", "a=b; Expires=never", sends: "a=b"),
        CookieCase(
            "Max-Age counts before Expires", "a=b; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT", sends: "a=b"),
        CookieCase("a removal is for its path", "a=b; Path=/", "a=; Max-Age=0; Path=/dir", sends: "a=b"),
        CookieCase("a removal is for its domain", "a=b", "a=; Max-Age=0; Domain=www.example.com", sends: "a=b"),
        CookieCase("HttpOnly is for scripts", "a=b; HttpOnly", sends: "a=b"),
        CookieCase("SameSite is kept, not judged", "a=b; SameSite=Strict", "b=c; SameSite=None", sends: "a=b; b=c"),
    ]
}
