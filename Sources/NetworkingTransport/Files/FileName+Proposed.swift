// SPDX-License-Identifier: MIT

// A name that another program proposes, such as a server.

extension FileName {
    /// The last part of a path, in the way of Unix or of Windows, without control characters, marks that turn the
    /// direction of text round, and blanks at the ends, and not longer than a name can be; nil: nothing is left.
    package static func safe(_ proposed: String) -> String? {
        let scalars = proposed.unicodeScalars.split { $0 == "/" || $0 == "\\" }.last ?? []
        var name = scalars.filter { !isUnwanted($0) }[...]
        while name.first?.properties.isWhitespace == true { name.removeFirst() }
        while name.last?.properties.isWhitespace == true { name.removeLast() }
        guard !name.allSatisfy({ $0 == "." }) else { return nil }
        return String(String.UnicodeScalarView(shortened(Array(name))))
    }

    private static func isUnwanted(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }

    /// Takes out of the middle what is too much, so that a short extension stays.
    private static func shortened(_ name: [Unicode.Scalar]) -> [Unicode.Scalar] {
        func length(_ scalars: some Sequence<Unicode.Scalar>) -> Int { scalars.reduce(0) { $0 + UTF8.width($1) } }
        guard length(name) > maximumLength else { return name }
        let dot = name.lastIndex(of: ".") ?? name.endIndex  // checked: scalars
        let suffix = length(name[dot...]) <= 32 ? name[dot...] : []
        var room = maximumLength - length(suffix)
        let stem = name.dropLast(suffix.count).prefix { scalar in
            room -= UTF8.width(scalar)
            return room >= 0
        }
        return Array(stem) + suffix
    }
}
