// SPDX-License-Identifier: MIT
@testable import BatchGetCore
import Foundation

/// What `batchget` reads.
extension FuzzTarget {
    /// A manifest in its own two formats.
    static let manifest = FuzzTarget(
        "manifest", maximumLength: 16_384,
        texts: [
            "http://h/a.iso out=d/x sha256=00 id=one group=g after=b,c # comment\nhttp://h/../%2e%2e%2fx\n",
            "http://h/b out=\"../\u{301}x\" id=\"b\\\"c\"\n",
            #"[{"url": "http://h/a", "out": "d/./e", "after": ["b"]}, {"url": "http://h/b", "id": "b"}]"#,
            #"{"downloads": [{"url": "http://h/%2F%CC%81.."}]}"#,
        ], run: readManifest)

    /// A manifest that is a Metalink (RFC 5854).
    static let metalink = FuzzTarget(
        "metalink", maximumLength: 16_384,
        texts: [
            #"""
            <?xml version="1.0" encoding="UTF-8"?>
            <metalink xmlns="urn:ietf:params:xml:ns:metalink"><published>2026-01-01T00:00:00Z</published>
            <file name="d/a.iso"><size>14471447</size><hash type="sha-256">\#(digest)</hash>
            <hash type="md5">0123456789abcdef0123456789abcdef</hash>
            <pieces length="262144" type="sha-1"><hash>0a</hash></pieces>
            <url location="de" priority="2">http://h/a.iso</url><url priority="1">https://i/a.iso</url>
            <metaurl mediatype="torrent">http://h/a.torrent</metaurl></file>
            <file name="b"><url>ftp://h/b</url><url><![CDATA[http://h/b?x&y]]></url></file></metalink>
            """#,
            #"""
            <m:metalink xmlns:m="urn:ietf:params:xml:ns:metalink" xmlns:o="urn:x"><m:file name="a&#x2F;b">
            <o:url>x</o:url><m:url priority="99999999999999999999">http://h/%2e%2e/c</m:url></m:file></m:metalink>
            """#,
            #"<!DOCTYPE m [<!ENTITY e "x">]><metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="&e;"/></metalink>"#,
        ], run: readManifest)

    /// A manifest that is an input file of aria2.
    static let inputFile = FuzzTarget(
        "inputfile", maximumLength: 16_384,
        texts: [
            "http://h/a\thttp://i/a\n  out=a b.iso\n\tdir=x/y\n  checksum=sha-256=\(digest)\n  header=A: b\r\n  split=5\n",
            "http://h/a\n  max-tries=0\n  retry-wait=1.5\n  min-split-size=20M\n  max-download-limit=100K\n",
            "ftp://h/a http://h/a\n gid=1\n referer=http://h/\n user-agent=x\nhttp://h/b\n out=../../x\n",
        ], run: readManifest)

    private static let digest = String(repeating: "0a", count: 32)

    @Sendable private static func readManifest(_ input: Data) {
        guard let manifest = try? Manifest(input, source: "fuzz") else { return }
        var names: Set<[UInt8]> = []
        for entry in manifest.entries {
            let path = Array(entry.output.utf8)
            let components = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            let isBelow = components.allSatisfy {
                1...255 ~= $0.count && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8)
            }
            guard isBelow, !path.contains(0) else { broken("a file is below the output directory: \(entry.output)") }
            guard names.insert(path).inserted else { broken("no two entries write to one file") }
            let file = OutputDirectory("/out").url(of: entry).path
            guard file.utf8.starts(with: "/out/".utf8), Array(file.utf8.dropFirst(5)) == path else {
                broken("the URL of a file is that of its name: \(file)")
            }
            for source in entry.sources {
                guard let scheme = source.scheme?.lowercased(), scheme == "http" || scheme == "https" else {
                    broken("places are asked over http or https")
                }
            }
            for field in entry.headers {
                let bytes = Array(field.name.utf8) + Array(field.value.utf8)
                guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
                    broken("a header field is one line")
                }
            }
        }
    }

    /// The note beside a file that is put together from ranges.
    static let ranges = FuzzTarget(
        "ranges",
        texts: [
            #"{"format":"batchget ranges 2","file":{"inode":2,"birth":{"seconds":1,"nanoseconds":2}},"#
                + #""total":100,"parts":[0,10,20,30],"validators":{"\#(key)":"\"a\""}}"#,
            #"{"format":"batchget ranges 2","file":{"inode":0,"device":18446744073709551615},"total":9223372036854775807,"#
                + #""parts":[9223372036854775806,9223372036854775807],"validators":{}}"#,
        ]
    ) { input in
        guard let note = PartNote(input), let url = URL(string: "http://h/a") else { return }
        guard note.data().map({ PartNote($0) == note }) ?? true else { broken("a note reads as it was written") }
        for size: Int64 in [0, 30, 1 << 20, .max] {
            guard let remains = note.remains(size: size, at: [url, url]) else { continue }
            var end: Int64 = -1
            for part in remains.parts {
                guard part.lowerBound > end, part.lowerBound < part.upperBound, part.upperBound <= size,
                    part.upperBound <= remains.total
                else { broken("parts are in order, apart, and there") }
                end = part.upperBound
            }
            for case let validator? in remains.validators {
                guard validator.utf8.allSatisfy({ 0x20...0x7E ~= $0 }) else {
                    broken("a validator can stand in a field")
                }
            }
        }
    }

    /// What a note calls "http://h/a".
    private static let key = "c43fa283946b81455781ee66e2429e922951961b9f11ec301adaef81f333835e"
}
