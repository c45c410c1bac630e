/// Entries that would write to the same file, or into each other's.
enum OutputConflicts {
    static func problems(in outlines: [ManifestValidator.Outline]) -> [ManifestProblem] {
        var owners: [String: ManifestProblem.Place] = [:]
        var problems: [ManifestProblem] = []
        for outline in outlines {
            guard let output = outline.output else { continue }
            if let owner = owners[output] {
                problems.append(
                    ManifestProblem(
                        outline.place, "out",
                        "\(quoted(output)) is written by \(owner.description) already; name another with \"out\""))
            } else {
                owners[output] = outline.place
            }
        }
        for outline in outlines {
            if let output = outline.output { problems += conflicts(of: output, at: outline.place, with: owners) }
        }
        return problems
    }

    /// A file where another one needs a folder, or where another one's partial file is.
    private static func conflicts(
        of output: String, at place: ManifestProblem.Place, with owners: [String: ManifestProblem.Place]
    ) -> [ManifestProblem] {
        var problems: [ManifestProblem] = []
        var folder = output[...]
        while let slash = folder.lastIndex(of: "/") {
            folder = folder[..<slash]
            guard let owner = owners[String(folder)] else { continue }
            problems.append(
                ManifestProblem(
                    place, "out",
                    "\(quoted(output)) needs a folder where \(owner.description) has the file \(quoted(String(folder)))"
                ))
        }
        for suffix in OutputName.partialSuffixes where output.hasSuffix(suffix) {
            guard let owner = owners[String(output.dropLast(suffix.count))] else { continue }
            problems.append(
                ManifestProblem(
                    place, "out",
                    "\(quoted(output)) is what the file of \(owner.description) is called while it is incomplete"))
        }
        return problems
    }
}
