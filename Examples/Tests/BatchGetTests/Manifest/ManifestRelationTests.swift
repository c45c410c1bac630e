// SPDX-License-Identifier: MIT
import BatchGetCore
import Foundation
import Testing

@Suite("Relations of entries") struct ManifestRelationTests {
    @Test("Every problem of every line is told, in order")
    func everything() {
        let text = """
            http://h/a
            ftp://h/b
            http://h/x out=./a id=x
            http://h/d id=1 after=2
            http://h/e id=2 after=1,none
            http://h/f id=1
            http://h/g out=a/g
            http://h/h out=e.part
            """
        #expect(
            problems(text) == [
                "list:2: url: \"ftp://h/b\" is neither http nor https",
                "list:3: out: \"a\" is written by line 1 already; name another with \"out\"",
                "list:4: after: a cycle: 1 after 2 after 1",
                "list:5: after: there is no entry \"none\"",
                "list:6: id: \"1\" is the id of line 4 already",
                "list:7: out: \"a/g\" needs a folder where line 1 has the file \"a\"",
                "list:8: out: \"e.part\" is what the file of line 5 is called while it is incomplete",
            ])
    }

    @Test("The id of an entry without one is its output")
    func defaultID() throws {
        #expect(try entries("http://h/1 out=d/x\nhttp://h/2 after=d/x").last?.after == ["d/x"])
        #expect(problems("http://h/a\nhttp://h/b id=a") == ["list:2: id: \"a\" is the id of line 1 already"])
        #expect(problems("http://h/a\nhttp://g/a").count == 1, "the same output twice is one problem, not two")
    }

    @Test("An id is not called unknown when its line could not be read")
    func noConsequences() {
        #expect(
            problems("http://h/a after=b\nhttp://h/x id=b out=\"")
                == ["list:2: the closing quote of word 3 is missing"])
    }

    @Test("Every cycle is found, from its first entry on, and no way that is none")
    func cycles() {
        #expect(
            problems("http://h/a after=b,c\nhttp://h/b after=c,d\nhttp://h/c after=d\nhttp://h/d").isEmpty,
            "a diamond has no cycle")
        #expect(
            problems(
                "http://h/a after=b\nhttp://h/b after=c\nhttp://h/c after=b\nhttp://h/d after=e\nhttp://h/e after=d")
                == ["list:2: after: a cycle: b after c after b", "list:4: after: a cycle: d after e after d"])
    }

    @Test("A chain of 50 000 entries is checked")
    func longChain() throws {
        var text = "http://h/0\n"
        for index in 1..<50_000 { text += "http://h/\(index) after=\(index - 1)\n" }
        #expect(try entries(text).count == 50_000)
        #expect(problems("http://h/x id=0 after=49999\n" + text.dropFirst("http://h/0\n".count)).count == 1)
    }
}
