// SPDX-License-Identifier: MIT
extension Driver {
    /// Serializers beside Foundation's own.
    func measureSerialization() throws -> Section {
        let rounds = try rounds(3, quick: 1)
        let seconds = isQuick ? 0.1 : 0.4
        var section = Section(
            .serialize,
            method: """
                Megabytes of text per second of processor time, one thread, medians of \(rounds). JSON: an API's answer of 10 or 1 000 \
                records. The library's side makes the whole request, or validates the whole response. Query strings: as \
                many fields, which URLComponents is given sorted as well.
                """,
            table: Table("what", "records", "library MB/s", "Foundation MB/s", "ratio"))
        var results: [Int: [Figures]] = [:]
        for _ in 0..<rounds {
            for records in [10, 1_000] {
                results[records, default: []].append(
                    try measure(.serialize, ["seconds": seconds, "records": records]))
            }
        }
        let cases = [
            ("jsonRequest", "JSON request, JSONSerialization.data"),
            ("jsonResponse", "JSON response, JSONSerialization.jsonObject"),
            ("query", "query string, URLComponents"),
        ]
        for (key, title) in cases {
            for (records, runs) in results.sorted(by: { $0.key < $1.key }) {
                let ours = section.record(
                    "\(key) library \(records)", unit: "MB/s", runs.map { $0["\(key)LibraryMBps", default: .nan] })
                let theirs = section.record(
                    "\(key) Foundation \(records)", unit: "MB/s", runs.map { $0["\(key)FoundationMBps", default: .nan] }
                )
                section.table.add(title, "\(records)", ours.text(1), theirs.text(1), (ours / theirs).text(2))
            }
        }
        return section
    }
}
