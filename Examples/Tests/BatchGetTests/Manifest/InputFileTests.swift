// SPDX-License-Identifier: MIT
import BatchGetCore
import Foundation
import Testing

/// The lines about what was ignored.
private func warnings(_ text: String) throws -> [String] {
    try Manifest(Data(text.utf8), source: "list").warnings
}

@Suite("Input files of aria2") struct InputFileTests {
    @Test("URLs of one file on a line, options on indented lines below")
    func options() throws {
        let digest = String(repeating: "0a", count: 20)
        let found = try entries(
            """
            # two places of one file
            http://h/1\thttp://i/1
              out=my file "1".iso
            \tdir=isos/new
              checksum=sha-1=\(digest)
              header=X-A: one, two = 3
              header=X-B:
              split=4
              max-tries=0
              retry-wait=1.5
              min-split-size=1M
              max-download-limit=10K
              user-agent=me
              referer=http://h/
            http://h/2
            """)
        try #require(found.count == 2)
        let first = found[0]
        #expect(first.sources.map(\.absoluteString) == ["http://h/1", "http://i/1"])
        #expect(first.output == "isos/new/my file \"1\".iso")
        #expect(first.checksum == Checksum(.sha1, Data(repeating: 0x0A, count: 20)))
        #expect(first.headers.map(\.name) == ["X-A", "X-B", "User-Agent", "Referer"])
        #expect(first.headers.map(\.value) == ["one, two = 3", "", "me", "http://h/"])
        var settings = ManifestEntry.Settings()
        settings.split = 4
        settings.maximumTries = 0
        settings.retryWait = 1.5
        settings.minimumSplitSize = 1 << 20
        settings.rateLimit = 10 << 10
        #expect(first.settings == settings)
        #expect(found[1].settings == ManifestEntry.Settings() && found[1].mirrors.isEmpty)
    }

    @Test("What is not known is told, and ignored; what is done anyway is not")
    func unknown() throws {
        #expect(
            try warnings("http://h/1\n  seed-ratio=1.0\n  continue=true\n  gid=0123456789abcdef\n")
                == [
                    "list:2: the option \"seed-ratio\" is not known, and ignored",
                    "list:4: the option \"gid\" is not known, and ignored",
                ])
        #expect(
            try warnings("ftp://h/1 http://h/1")
                == ["list:1: url: \"ftp://h/1\" is neither http nor https, and ignored"])
    }

    @Test(
        "What is wrong is told with its line, and a header without its value",
        arguments: [
            ("  split=0", "split: has to be a number from 1 to 64, not \"0\""),
            ("  split=4\n  split=4", nil),
            ("  max-tries=x", "max-tries: has to be a number from 0 to 2147483647, not \"x\""),
            ("  retry-wait=-1", "retry-wait: has to be a number of seconds, at most a day, not \"-1\""),
            ("  limit-rate=1X", "limit-rate: has to be a number of bytes, as 1000, 20M or 2G, not \"1X\""),
            ("  header=secret", "header: is not of the form 'Name: value'"),
            ("  header=Range: secret", "header: the field Range is not for users to set"),
            ("  checksum=abc", "checksum: has to be TYPE=DIGEST, as sha-256=0123..., not \"abc\""),
            (
                "  checksum=crc=0",
                "checksum: the type \"crc\" is not known; known: sha-512, sha-384, sha-256, sha-224, sha-1, md5"
            ),
            ("  checksum=md5=00", "checksum: has to have 32 hexadecimal digits for md5, not \"00\""),
            ("  dir=/tmp", "dir: \"/tmp/a\" is an absolute path; it has to be below the output directory"),
            ("  dir=../x", "dir: \"../x/a\" contains \"..\"; it has to be below the output directory"),
        ] as [(String, String?)])
    func wrong(_ options: String, _ message: String?) {
        let found = problems("http://h/a\n\(options)")
        #expect(found == [message.map { "list:1: \($0)" } ?? "list:3: split: is given twice"])
        #expect(!found.joined().contains("secret"))
    }

    @Test("An indented URL is an entry, and an option without one is told")
    func indentation() throws {
        #expect(try entries("http://h/a\n  http://h/b\n  out=c").map(\.output) == ["a", "c"])
        #expect(problems("  out=c") == ["list:1: url: is missing"])
    }

    @Test("Bytes as they are written")
    func byteCounts() {
        let good: [(String, Int64)] = [("0", 0), ("10", 10), ("1k", 1024), ("20M", 20 << 20), ("2G", 2 << 30)]
        for (text, count) in good { #expect(ByteCount.read(text) == count) }
        for text in ["", "K", "-1", "1.5M", "1T", "9223372036854775807K", "99999999999999999999", " 1"] {
            #expect(ByteCount.read(text) == nil, "\(text)")
        }
    }
}

@Suite("Metalink") struct MetalinkTests {
    private func document(_ files: String, attributes: String = "") -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            + "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\"\(attributes)>\(files)</metalink>"
    }

    @Test("Files with their places by priority, their length and the strongest digest")
    func files() throws {
        let digest = String(repeating: "0a", count: 32)
        let text = document(
            """
            <published>2009-05-15T12:23:23Z</published>
            <file name="d/example.ext">
              <size>14471447</size><identity>Example</identity>
              <x:url xmlns:x="urn:other">http://other/</x:url>
              <hash type="md5">\(String(repeating: "0", count: 32))</hash>
              <hash type="sha-256">
                \(digest)</hash>
              <pieces length="262144" type="sha-256"><hash>00</hash></pieces>
              <url location="de">http://last/example.ext?a=1&amp;b=2</url>
              <url priority="2"><![CDATA[http://second/example.ext]]></url>
              <url location="fr" priority="1">ftp://h/example.ext</url>
              <url priority="1">https://first/example.ext</url>
              <metaurl mediatype="torrent">http://h/example.torrent</metaurl>
            </file>
            <file name="b"><url>http://h/b</url></file>
            """)
        let manifest = try Manifest(Data(text.utf8), source: "list")
        try #require(manifest.entries.count == 2)
        let file = manifest.entries[0]
        #expect(file.output == "d/example.ext")
        #expect(file.size == 14_471_447)
        #expect(file.checksum == Checksum(.sha256, Data(repeating: 0x0A, count: 32)))
        #expect(
            file.sources.map(\.absoluteString)
                == ["https://first/example.ext", "http://second/example.ext", "http://last/example.ext?a=1&b=2"])
        #expect(
            manifest.warnings
                == ["list: entry 1: url: \"ftp://h/example.ext\" is neither http nor https, and ignored"])
        #expect(manifest.entries[1].sources.count == 1 && manifest.entries[1].checksum == nil)
    }

    @Test(
        "What leads out of the output directory, or cannot be read, is told",
        arguments: [
            ("<file name=\"../a\"><url>http://h/a</url></file>", "list: entry 1: out: \"../a\" contains"),
            ("<file name=\"/etc/a\"><url>http://h/a</url></file>", "list: entry 1: out: \"/etc/a\" is an absolute"),
            ("<file><url>http://h/a</url></file>", "list: entry 1: out: is empty"),
            ("<file name=\"a\"></file>", "list: entry 1: url: is missing"),
            ("<file name=\"a\"><size>x</size><url>http://h/a</url></file>", "list: entry 1: size: has to be"),
            ("<file name=\"a\"><url>magnet:?x</url></file>", "list: entry 1: url: \"magnet:?x\" is neither"),
            ("<file name=\"a\">", "list: is not XML"),
        ])
    func wrong(_ files: String, _ beginning: String) {
        let found = problems(document(files))
        #expect(found.count == 1 && found.first?.hasPrefix(beginning) == true, "\(found)")
    }

    @Test("Nothing outside the document is looked at, and nothing grows")
    func hostile() {
        let entity = "<!DOCTYPE metalink [<!ENTITY x SYSTEM \"file:///etc/passwd\">]>"
        for text in [
            entity + document("<file name=\"&x;\"/>").dropFirst(39),
            "<metalink xmlns=\"urn:other\"/>", "<html/>", "<",
            document(String(repeating: "<a>", count: 100) + String(repeating: "</a>", count: 100)),
            document("<file name=\"a\"><url>\(String(repeating: "x", count: 20_000))</url></file>"),
        ] {
            let found = problems(text)
            #expect(found.count == 1 && found.first?.hasPrefix("list: ") == true, "\(found)")
        }
        let empty = document("")
        #expect(problems(empty).isEmpty)
    }
}
