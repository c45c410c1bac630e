// SPDX-License-Identifier: MIT

/// Text as a terminal shows it: in columns, of which a character may take none, one or two.
package enum DisplayText {
    /// The text with control characters replaced, so that nothing in it moves the cursor.
    package static func sanitized(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { result.append(isUnsafe(scalar) ? "?" : scalar) }
        return String(result)
    }

    /// Columns that a text takes, at most: a terminal that joins a sequence of emoji into one needs fewer.
    package static func width(_ text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + width($1) }
    }

    /// The text without its middle, where it takes more columns than there are: the beginning tells what it is, and the
    /// end has the extension.
    package static func truncated(_ text: String, to columns: Int) -> String {
        guard width(text) > columns else { return text }
        guard columns > ellipsis.count + 1 else { return prefix(text, columns: columns) }
        let room = columns - ellipsis.count
        let tail = suffix(text, columns: room / 2)
        return prefix(text, columns: room - width(tail)) + ellipsis + tail
    }

    /// The text without its end, where it takes more columns than there are; nothing where there is no room for a part of it.
    static func beginning(_ text: String, columns: Int) -> String {
        guard width(text) > columns else { return text }
        return columns > ellipsis.count ? prefix(text, columns: columns - ellipsis.count) + ellipsis : ""
    }

    /// The text without its beginning, likewise.
    static func ending(_ text: String, columns: Int) -> String {
        guard width(text) > columns else { return text }
        return columns > ellipsis.count ? ellipsis + suffix(text, columns: columns - ellipsis.count) : ""
    }

    private static let ellipsis = "..."

    /// The text, cut or filled up with blanks.
    package static func padded(_ text: String, to columns: Int) -> String {
        let cut = truncated(text, to: columns)
        return cut + String(repeating: " ", count: max(0, columns - width(cut)))
    }

    /// The text in lines of so many columns at most, broken at blanks where that is possible. Every line but the first
    /// is indented.
    package static func wrapped(_ text: String, to columns: Int, indent: Int = 2) -> [String] {
        let columns = max(columns, indent + 2)
        var lines: [String] = []
        var line = ""
        var rest = text[...]
        while !rest.isEmpty {
            let blanks = rest.prefix { $0 == " " }
            let word = rest[blanks.endIndex...].prefix { $0 != " " }
            if width(line) + blanks.count + width(String(word)) <= columns {
                line += blanks + word
                rest = rest[word.endIndex...]
            } else if width(line) > indent || (lines.isEmpty && !line.isEmpty) {
                lines.append(line)
                line = String(repeating: " ", count: indent)
                rest = rest[blanks.endIndex...]
            } else {
                // A word that is longer than a line.
                var piece = prefix(String(word), columns: columns - width(line))
                if piece.isEmpty { piece = String(word.prefix(1)) }
                lines.append(line + piece)
                line = String(repeating: " ", count: indent)
                rest = rest[blanks.endIndex...].dropFirst(piece.count)
            }
        }
        if width(line) > indent || lines.isEmpty { lines.append(line) }
        return lines
    }

    /// As much of the beginning as there is room for, in whole characters.
    private static func prefix(_ text: String, columns: Int) -> String {
        var room = columns
        return String(
            text.prefix { character in
                room -= width(String(character))
                return room >= 0
            })
    }

    private static func suffix(_ text: String, columns: Int) -> String {
        var room = columns
        let tail = text.reversed().prefix { character in
            room -= width(String(character))
            return room >= 0
        }
        return String(tail.reversed())
    }

    /// Control characters, line separators, and marks that turn the direction of the text around them.
    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
        default: false
        }
    }

    private static func width(_ scalar: Unicode.Scalar) -> Int {
        if scalar.isASCII { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        // An emoji in its coloured form is asked for by this selector, which has no width of its own.
        if scalar.properties.isEmojiPresentation { return 2 }
        return wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }

    /// East Asian scripts and symbols that take two columns: Unicode Standard Annex 11, classes W and F, by blocks.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF,
        0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD,
    ]
}
