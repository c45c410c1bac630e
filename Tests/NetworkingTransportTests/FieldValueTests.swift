// SPDX-License-Identifier: MIT
import TestServer
import Testing

@testable import NetworkingTransport

@Suite("Values of fields", .timeLimit(.minutes(5))) struct FieldValueTests {
    private func head(_ name: String, _ values: [[UInt8]]) -> ResponseHead {
        let lines = values.flatMap { Array("\(name): ".utf8) + $0 + Array("\r\n".utf8) }
        return ResponseHead(statusCode: 200, httpVersion: "1.1", rawFields: lines)
    }

    private func mediaType(_ lines: [String]) -> MediaType? {
        head("content-TYPE", lines.map { Array($0.utf8) }).mediaType
    }

    @Test(
        "Media types and their charsets",
        arguments: [
            (["text/html"], "text/html", nil), (["Text/HTML;Charset=UTF-8"], "text/html", "utf-8"),
            ([" text/html ;\tCHARSET = \"Utf-8\" ; x=y"], "text/html", "utf-8"),
            (["text/html;charset=a;charset=b"], "text/html", "a"),
            (["text/html;;; charset=utf-8;"], "text/html", "utf-8"),
            (["text/html; title=\"a; charset=x\"; charset=utf-8"], "text/html", "utf-8"),
            (["text/html; title=\"a\\\"; charset=x\"; charset=utf-8"], "text/html", "utf-8"),
            (["text/html; charset=\"utf-8"], "text/html", "utf-8"),
            (["text/html; charset=\"u\\tf-8\"x"], "text/html", "utf-8"),
            (["text/html; charset"], "text/html", nil), (["text/html; charset="], "text/html", nil),
            (["text/html; charset=\"\""], "text/html", ""), (["text/html;\r\n charset=utf-8"], "text/html", "utf-8"),
            (["text/html; char set=utf-8"], "text/html", nil), (["text/html; charset=a\u{1}b"], "text/html", nil),
            (["json"], "json", nil), ([""], nil, nil), ([";charset=utf-8"], nil, nil), (["text/"], nil, nil),
            (["a/b/c"], nil, nil), (["text/plain html"], nil, nil), (["text/é"], nil, nil),
            // As browsers take several.
            (["text/html", "text/html"], "text/html", nil), (["text/html; charset=a", "text/html"], "text/html", "a"),
            (["text/html; charset=a", "text/plain", "text/html"], "text/html", nil),
            (["text/html; charset=a, text/html; charset=b"], "text/html", "b"),
            (["text/html", "application/json"], "application/json", nil), (["text/html", "*/*"], "text/html", nil),
            (["text/html; x=\"a, text/plain\"", "no type"], "text/html", nil), (["", "text/html"], "text/html", nil),
        ] as [([String], String?, String?)])
    func mediaTypes(_ lines: [String], _ essence: String?, _ charset: String?) {
        let type = mediaType(lines)
        #expect(type?.essence == essence)
        #expect(type?.charset == charset)
    }

    @Test("Parameters keep their values' octets and case; names are in lower case")
    func parameters() {
        let type = MediaType("multipart/mixed; BOUNDARY=\"A b;\\\"c\"; charset=x; y=\u{E9}".utf8)
        #expect(type?.parameters.map(\.name) == ["boundary", "y"])
        #expect(type?.parameters.first?.value == Array("A b;\"c".utf8))
        #expect(ParameterizedValue("a; b=1; B=2; =3; c".utf8).parameters.map(\.value) == [[0x31]])
    }

    @Test(
        "Names of files",
        arguments: [
            ("attachment; filename=a.txt", "a.txt"), ("attachment; FILENAME=a.txt", "a.txt"),
            ("Attachment; FileName = \"a b.txt\" ; size=3", "a b.txt"), ("inline; filename=\"a\\\"b.txt\"", "a\"b.txt"),
            ("attachment; filename=\"a;b.txt\"", "a;b.txt"), ("attachment; filename=\"é.txt\"", "é.txt"),
            ("attachment", nil), ("attachment; filename=", nil), ("attachment; filename=\"\"", nil), ("", nil),
            ("filename=a.txt", "a.txt"), ("attachment; filename=a.txt; filename=b.txt", "a.txt"),
            ("attachment; filename*=UTF-8''na%C3%AFve.txt", "naïve.txt"),
            ("attachment; FILENAME*=utf-8'en'%E2%82%AC%20a.txt", "€ a.txt"),
            ("attachment; filename=plain.txt; filename*=UTF-8''%E2%82%AC.txt", "€.txt"),
            ("attachment; filename*=UTF-8''%E2%82%AC.txt; filename=plain.txt", "€.txt"),
            ("attachment; filename*=iso-8859-1''%E9.txt", "é.txt"), ("attachment; filename*=\"UTF-8''a.txt\"", "a.txt"),
            ("attachment; filename*=koi8-r''%F0.txt", "П.txt"),
            // What is not well-formed does not count.
            ("attachment; filename*=UTF-8''%E2%82; filename=plain.txt", "plain.txt"),
            ("attachment; filename*=UTF-8''%zz; filename=plain.txt", "plain.txt"),
            ("attachment; filename*=UTF-8''%4; filename=plain.txt", "plain.txt"),
            ("attachment; filename*=nonsense''a.txt; filename=plain.txt", "plain.txt"),
            ("attachment; filename*=a.txt; filename=plain.txt", "plain.txt"),
            ("attachment; filename*=''a.txt; filename=plain.txt", "plain.txt"),
            // Paths are no names.
            ("attachment; filename=\"/etc/passwd\"", "passwd"), ("attachment; filename=\"../../a.txt\"", "a.txt"),
            ("attachment; filename=\"C:\\\\dir\\\\a.txt\"", "a.txt"), ("attachment; filename=\"dir/\"", "dir"),
            ("attachment; filename=\"..\"", nil), ("attachment; filename=\".\"", nil),
            ("attachment; filename=\"a/..\"", nil),
            ("attachment; filename=\"/\"", nil), ("attachment; filename=\"  a.txt \"", "a.txt"),
            ("attachment; filename*=UTF-8''..%2F..%2Fa.txt", "a.txt"),
            ("attachment; filename*=UTF-8''%00a%0D%0Ab.txt", "ab.txt"),
            ("attachment; filename*=UTF-8''%E2%80%AEtxt.exe", "txt.exe"),
            ("attachment; filename=\"a\u{7}b.txt\"", "ab.txt"),
            ("attachment; filename*=UTF-8''..%5C..; filename=plain.txt", "plain.txt"),
        ] as [(String, String?)])
    func fileNames(_ value: String, _ name: String?) {
        #expect(head("content-disposition", [Array(value.utf8)]).suggestedFileName == name)
    }

    @Test("A name in Latin-1, one of several fields, and names that are too long")
    func moreFileNames() {
        let latin = Array("attachment; filename=\"caf".utf8) + [0xE9] + Array(".txt\"".utf8)
        #expect(head("Content-Disposition", [latin]).suggestedFileName == "café.txt")
        let several = ["inline", "attachment; filename=a.txt", "attachment; filename=b.txt"].map { Array($0.utf8) }
        #expect(head("Content-Disposition", several).suggestedFileName == "a.txt")
        for letter in ["a", "é", "日", "👍", "e\u{301}"] {
            let long = String(repeating: letter, count: 300)
            let name = FileName.safe(long + ".tar")
            #expect(name?.hasSuffix(".tar") == true && (250...255).contains(name?.utf8.count ?? 0), "\(letter)")
            #expect((252...255).contains(FileName.safe(long)?.utf8.count ?? 0), "\(letter)")
        }
        #expect(FileName.safe("a." + String(repeating: "b", count: 400))?.utf8.count == 255)
        #expect(ContentDisposition("Attachment".utf8).kind == "attachment")
    }

    @Test("Tens of kilobytes of anything cost no more than a moment")
    func linear() {
        let pieces = [
            "a", ";", "=", "\"", "\\", ",", ";a=b", ";a=\"", "e\u{301}\u{316}", "%41", "/", ";filename*=", "'",
        ]
        let seconds = processorSeconds {
            for piece in pieces {
                let text = Array(String(repeating: piece, count: (1 << 16) / piece.utf8.count).utf8)
                for prefix in ["", "text/html;charset=", "a;filename=\"", "a;filename*=UTF-8''"] {
                    _ = MediaType.last(in: [Array(prefix.utf8) + text])
                    _ = ContentDisposition(Array(prefix.utf8) + text)
                }
            }
        }
        // In quadratic time it would be minutes.
        #expect(seconds < 20 * Patience.factor)
    }
}
