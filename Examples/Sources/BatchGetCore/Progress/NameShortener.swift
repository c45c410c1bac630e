// SPDX-License-Identifier: MIT

/// Makes names short enough for a column so that those which differ go on doing so.
package enum NameShortener {
    /// The names, each at most so many columns wide. One that fits stays as it is; of one that does not the middle is left out;
    /// and where names would look the same then, what they have in common is left out in place of it.
    package static func shortened(_ names: [String], to columns: Int) -> [String] {
        var result = names.map { DisplayText.truncated($0, to: columns) }
        var groups: [String: [Int]] = [:]
        for (index, name) in result.enumerated() { groups[name, default: []].append(index) }
        for group in groups.values where group.count > 1 {
            let members = group.map { Array(names[$0]) }
            let prefix = commonPrefix(members)
            let suffix = commonPrefix(members.map { $0.dropFirst(prefix).reversed() })
            for (index, name) in zip(group, members) {
                result[index] = shortened(name, prefix: prefix, suffix: suffix, to: columns)
            }
        }
        return result
    }

    /// The characters that all begin with.
    private static func commonPrefix(_ names: [[Character]]) -> Int {
        guard let first = names.first else { return 0 }
        return names.dropFirst().reduce(first.count) { count, name in
            zip(first.prefix(count), name).prefix { $0 == $1 }.count
        }
    }

    /// The name with all of its own part, and as much as there is room for of what it has in common with others.
    private static func shortened(_ name: [Character], prefix: Int, suffix: Int, to columns: Int) -> String {
        let own = String(name.dropFirst(prefix).dropLast(suffix))
        let before = String(name.prefix(prefix))
        let after = String(name.suffix(suffix))
        let room = columns - DisplayText.width(own)
        guard room >= 0 else { return DisplayText.truncated(own, to: columns) }
        let end = DisplayText.width(after) <= room / 2 ? after : DisplayText.ending(after, columns: room / 2)
        let begin = DisplayText.beginning(before, columns: room - DisplayText.width(end))
        return begin + own + end
    }
}
