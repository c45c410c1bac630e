// SPDX-License-Identifier: MIT
extension Driver {
    /// Memory of queued operations, and over many requests.
    func measureMemory() throws -> Section {
        let rounds = try rounds(3, quick: 1)
        let count = 20_000
        let total = isQuick ? 30_000 : 100_000
        var section = Section(
            .memory,
            method: """
                Resident memory. Queued: the growth over \(count) requests, each with a URL of its own, divided by their \
                number; medians of \(rounds). Run through: \(total) GETs of 1 KiB from nginx, 256 queued at a time.
                """,
            table: Table("what", "value", "unit"))

        var results: [String: [Double]] = [:]
        for _ in 0..<rounds {
            for kind in ["request", "operation", "managed"] {
                let figures = try measure(.queuedMemory, ["kind": kind, "count": count])
                results[kind, default: []].append(figures["bytesEach", default: .nan])
            }
        }
        let request = section.record("queued request", unit: "bytes", results["request"] ?? [])
        let operation = section.record("queued operation", unit: "bytes", results["operation"] ?? [])
        let managed = section.record("queued by manager.get", unit: "bytes", results["managed"] ?? [])
        section.table.add("a URLRequest alone", request.text(0), "bytes")
        section.table.add("queued HTTPRequestOperation with its URLRequest", operation.text(0), "bytes")
        section.table.add("… without the URLRequest", (operation - request).text(0), "bytes")
        section.table.add("queued by manager.get, with header fields and two blocks", managed.text(0), "bytes")
        section.expect(
            "memory: a queued operation with its request", operation, atMost: 1_600, unit: "bytes", digits: 0)

        let soak = try measure(.soak, ["url": url + "/1k.bin", "count": total])
        let first = section.record("after the first tenth", unit: "KiB", [soak["firstKiB", default: .nan]])
        let most = section.record("most after that", unit: "KiB", [soak["mostKiB", default: .nan]])
        let last = section.record("at the end", unit: "KiB", [soak["lastKiB", default: .nan]])
        section.table.add("after \(total / 10) requests", (first / 1_024).text(1), "MiB")
        section.table.add("most after that", (most / 1_024).text(1), "MiB")
        section.table.add("after \(total) requests", (last / 1_024).text(1), "MiB")
        section.expect(
            "memory: growth over the other nine tenths", (last - first) / 1_024, atMost: 2, unit: "MiB", digits: 1)
        return section
    }
}
