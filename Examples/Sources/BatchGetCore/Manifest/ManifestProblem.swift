// SPDX-License-Identifier: MIT

/// Something wrong with a manifest.
package struct ManifestProblem: Sendable, Equatable {
    /// Where in the manifest.
    package enum Place: Sendable, Hashable {
        case manifest
        /// A line of a text manifest, from 1.
        case line(Int)
        /// An entry of a JSON manifest, or a file of a Metalink, from 1.
        case entry(Int)
        /// A URL of the command line, from 1.
        case argument(Int)

        /// For sorting: the manifest as a whole first.
        var order: Int {
            switch self {
            case .manifest: 0
            case .line(let number), .entry(let number): number
            case .argument(let number): number
            }
        }

        /// "line 3", "entry 3".
        package var description: String {
            switch self {
            case .manifest: "the manifest"
            case .line(let number): "line \(number)"
            case .entry(let number): "entry \(number)"
            case .argument(let number): "argument \(number)"
            }
        }
    }

    /// Why a value cannot be used.
    struct Reason: Error {
        let message: String

        init(_ message: String) {
            self.message = message
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
