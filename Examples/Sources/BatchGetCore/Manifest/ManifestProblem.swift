/// Something wrong with a manifest.
package struct ManifestProblem: Sendable, Equatable {
    /// Where in the manifest.
    package enum Place: Sendable, Hashable {
        case manifest
        /// A line of a text manifest, from 1.
        case line(Int)
        /// An entry of a JSON manifest, from 1.
        case entry(Int)

        /// For sorting: the manifest as a whole first.
        var order: Int {
            switch self {
            case .manifest: 0
            case .line(let number), .entry(let number): number
            }
        }

        /// "line 3", "entry 3".
        package var description: String {
            switch self {
            case .manifest: "the manifest"
            case .line(let number): "line \(number)"
            case .entry(let number): "entry \(number)"
            }
        }
    }

    package var place: Place
    /// The field, by the name that the manifest has for it.
    package var field: String?
    package var message: String

    package init(_ place: Place, _ message: String) {
        self.init(place, nil, message)
    }

    package init(_ place: Place, _ field: String?, _ message: String) {
        self.place = place
        self.field = field
        self.message = message
    }
}

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
        problems.map { problem in
            let place =
                switch problem.place {
                case .manifest: source
                case .line(let number): "\(source):\(number)"
                case .entry(let number): "\(source): entry \(number)"
                }
            return ([place] + [problem.field, problem.message].compactMap { $0 }).joined(separator: ": ")
        }
    }
}
