// SPDX-License-Identifier: MIT

/// All that is wrong with a manifest: nothing is downloaded then.
package struct ManifestError: Error, Sendable, Equatable {
    /// What the manifest is called.
    package var source: String
    /// In the order of the manifest.
    package var problems: [ManifestProblem]

    package init(source: String, problems: [ManifestProblem]) {
        self.source = source
        self.problems = problems
    }

    /// One line for each problem: source, place, field, what is wrong.
    package var lines: [String] {
        problems.map { $0.line(source: source) }
    }
}

extension ManifestProblem {
    /// Source, place, field, what is wrong.
    func line(source: String) -> String {
        let place =
            switch place {
            case .manifest: source
            case .line(let number): "\(source):\(number)"
            case .entry(let number): "\(source): entry \(number)"
            case .argument(let number): "argument \(number)"
            }
        return ([place] + [field, message].compactMap { $0 }).joined(separator: ": ")
    }
}
