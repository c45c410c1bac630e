// SPDX-License-Identifier: MIT
internal import Foundation

extension Driver {
    /// A large response that is read and thrown away, beside `curl -o /dev/null` and `URLSession`.
    func measureStreaming() throws -> Section {
        let wanted = try rounds(5, quick: 1)
        let bytes = (isQuick ? 256 : 1_024) << 20
        let source = URL(fileURLWithPath: try options.string("root")).appendingPathComponent("large.bin")
        try makeSparseFile(source, bytes: bytes)
        defer { try? FileManager.default.removeItem(at: source) }
        let large = url + "/large.bin"
        let readers = [
            ("operation.chunks", "chunks"), ("OperationURLSession, data delegate", "own"),
            ("URLSession, data delegate", "urlsession"),
        ]

        // Unmeasured, so that nobody pays for bringing the file into the page cache.
        _ = try curl(["-o", "/dev/null", large], bytes: bytes)
        var results: [String: [Figures]] = [:]
        let rounds = try repeated(wanted) {
            results["curl", default: []].append(try curl(["-o", "/dev/null", large], bytes: bytes))
            for (_, through) in readers {
                let figures = try measure(
                    .streaming, ["url": large, "idleurl": url + "/1k.bin", "through": through, "length": bytes])
                results[through, default: []].append(figures)
            }
        }
        var section = Section(
            .streaming,
            method: """
                \(bytes >> 20) MiB from nginx on loopback, read piece by piece and thrown away, interleaved; medians of \
                \(rounds), also of the ratios. Peak: the most resident memory over what an idle engine has after one small \
                request.
                """,
            table: Table("how", "MB/s", "/ curl", "CPU s/GiB", "peak over idle MiB"))
        let reference = results["curl"] ?? []
        addRow("curl -o /dev/null", reference, beside: reference, to: &section)
        for (title, through) in readers { addRow(title, results[through] ?? [], beside: reference, to: &section) }
        section.expect(
            "streaming: peak over idle, operation.chunks", peakMiB(results["chunks"]), atMost: 16, unit: "MiB",
            digits: 1)
        return section
    }
}
