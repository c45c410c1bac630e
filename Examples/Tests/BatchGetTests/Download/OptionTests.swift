// SPDX-License-Identifier: MIT
import BatchGetCore
import Foundation
import Testing

@Suite("Header fields and certificates") struct OptionTests {
    @Test(
        "A field is a name, a colon and a value",
        arguments: [
            ("A: b", "A", "b"), ("A:b", "A", "b"), ("A:", "A", ""), ("X-Y_z!: a: b ", "X-Y_z!", "a: b"),
            ("A: \t ä \t", "A", "ä"), ("A: a\tb", "A", "a\tb"),
        ])
    func field(_ text: String, _ name: String, _ value: String) {
        #expect(HeaderField(text)?.name == name)
        #expect(HeaderField(text)?.value == value)
        #expect(HeaderField.problem(with: text) == nil)
        #expect(HeaderField(text).map { "\($0)" } == name, "a value may be a secret")
    }

    @Test(
        "Anything else is none", arguments: ["", "A", ":", ": b", "A : b", " A: b", "A: b\r\nC: d", "A: \u{0}", "Ä: b"])
    func noField(_ text: String) {
        #expect(HeaderField(text) == nil)
        #expect(HeaderField.problem(with: text) == "is not of the form 'Name: value'")
    }

    @Test("Fields by which a file is asked for are not for users", arguments: ["Range: x", "IF-RANGE:x", "te: x"])
    func reserved(_ text: String) {
        #expect(HeaderField.problem(with: text)?.hasSuffix("is not for users to set") == true)
    }
}
