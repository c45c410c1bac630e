// SPDX-License-Identifier: MIT

/// Entries that would write to the same file, or into each other's.
enum OutputConflicts {
    static func problems(in outlines: [ManifestValidator.Outline]) -> [ManifestProblem] {
        // By bytes: two spellings of a letter are two files. All names are short here, and none costs much to compare.
        var owners: [[UInt8]: ManifestProblem.Place] = [:]
        var problems: [ManifestProblem] = []
        for outline in outlines {
            guard let output = outline.output else { continue }
            if let owner = owners[Array(output.utf8)] {
                problems.append(
                    ManifestProblem(
                        outline.place, "out",
                        "\(quoted(output)) is written by \(owner.description) already; name another with \"out\""))
            } else {
                owners[Array(output.utf8)] = outline.place
            }
        }
        for outline in outlines {
            if let output = outline.output { problems += conflicts(of: output, at: outline.place, with: owners) }
        }
        return problems
    }

    /// A file where another one needs a folder, or where another one's partial file is.
    private static func conflicts(
        of output: String, at place: ManifestProblem.Place, with owners: [[UInt8]: ManifestProblem.Place]
    ) -> [ManifestProblem] {
        var problems: [ManifestProblem] = []
        let bytes = Array(output.utf8)
        var folder = bytes[...]
        while let slash = folder.lastIndex(of: UInt8(ascii: "/")) {
            folder = folder[..<slash]
            guard let owner = owners[Array(folder)] else { continue }
            let name = quoted(String(decoding: folder, as: UTF8.self))
            problems.append(
                ManifestProblem(
                    place, "out",
                    "\(quoted(output)) needs a folder where \(owner.description) has the file \(name)"))
        }
        for suffix in OutputName.partialSuffixes where bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) {
            guard let owner = owners[Array(bytes.dropLast(suffix.utf8.count))] else { continue }
            problems.append(
                ManifestProblem(
                    place, "out",
                    "\(quoted(output)) is what the file of \(owner.description) is called while it is incomplete"))
        }
        return problems
    }
}
