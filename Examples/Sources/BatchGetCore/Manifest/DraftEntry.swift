/// An entry as it was written, before anything is checked.
struct DraftEntry: Equatable {
    /// The fields of an entry, by their names in both formats.
    enum Field: String, CaseIterable, CodingKey {
        case url, out, sha256, id, after, group
    }

    var place: ManifestProblem.Place
    var url: String?
    var out: String?
    var sha256: String?
    var id: String?
    var after: [String] = []
    var group: String?
    /// Fields that could not even be read: a problem has been noted, and nothing more is said about them.
    var unreadable: Set<Field> = []
}
