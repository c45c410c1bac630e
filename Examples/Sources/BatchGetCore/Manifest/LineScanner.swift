// SPDX-License-Identifier: MIT

/// Cuts a line of a text manifest into words.
struct LineScanner {
    /// A URL, or a key and a value.
    struct Word: Equatable {
        /// What stood before the first "=", if that is a name; nil for anything else.
        var key: String?
        /// What stood after it, without quotes; the whole word when there is no key.
        var value: String

        /// The word as a whole, without quotes.
        var text: String { key.map { "\($0)=\(value)" } ?? value }
    }

    /// Why a line cannot be cut.
    struct Failure: Error {
        let message: String
    }

    /// Scalars, because a `Character` may join a blank or a quote with a mark that follows it.
    private var rest: Substring.UnicodeScalarView
    /// Words so far. Messages tell of a word by its number, because it may hold a secret.
    private var count = 0

    private init(_ rest: Substring.UnicodeScalarView) {
        self.rest = rest
    }

    /// The words of a line without its end.
    static func words(of line: String) throws(Failure) -> [Word] {
        let scalars = line.unicodeScalars
        var scanner = LineScanner(scalars.last == "\r" ? scalars.dropLast() : scalars[...])
        var words: [Word] = []
        while let word = try scanner.next() { words.append(word) }
        return words
    }

    private mutating func next() throws(Failure) -> Word? {
        rest = rest.drop(while: Self.isBlank)
        guard let first = rest.first, first != "#" else { return nil }
        count += 1
        if first == "\"" { return Word(key: nil, value: try quotedText()) }
        let word = rest.prefix { !Self.isBlank($0) }
        guard let equals = word.firstIndex(of: "="), Self.isName(word[..<equals]) else {
            rest = rest[word.endIndex...]
            return Word(key: nil, value: String(word))
        }
        let key = String(word[..<equals])
        rest = rest[word.index(after: equals)...]
        if rest.first == "\"" { return Word(key: key, value: try quotedText()) }
        let value = rest.prefix { !Self.isBlank($0) }
        rest = rest[value.endIndex...]
        return Word(key: key, value: String(value))
    }

    /// What stands between two double quotes; the first is next.
    private mutating func quotedText() throws(Failure) -> String {
        var text = String.UnicodeScalarView()
        var scalars = rest.dropFirst()
        while let scalar = scalars.popFirst() {
            switch scalar {
            case "\"":
                guard scalars.first.map(Self.isBlank) ?? true else {
                    throw Failure(message: "a blank is missing after the closing quote of word \(count)")
                }
                rest = scalars
                return String(text)
            case "\\" where scalars.first == "\"" || scalars.first == "\\":
                text.append(scalars.removeFirst())
            default:
                text.append(scalar)
            }
        }
        throw Failure(message: "the closing quote of word \(count) is missing")
    }

    private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
        scalar == " " || scalar == "\t"
    }

    /// Letters, digits and hyphens only, so that "http://host/?a=b" is no key.
    private static func isName(_ text: Substring.UnicodeScalarView) -> Bool {
        !text.isEmpty
            && text.allSatisfy {
                (0x61...0x7A).contains($0.value | 0x20) || (0x30...0x39).contains($0.value) || $0 == "-"
            }
    }
}
