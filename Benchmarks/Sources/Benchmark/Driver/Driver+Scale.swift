// SPDX-License-Identifier: MIT
extension Driver {
    /// Scheduling: chains of dependencies beside independent operations, the library's queue beside Foundation's.
    func measureScale() throws -> Section {
        let rounds = try rounds(3, quick: 1)
        let budget = isQuick ? 2.0 : 10.0
        var section = Section(
            .scale,
            method: """
                Operations that finish at once, from enqueueing to the last completion block; medians of \(rounds). The \
                library's in a RequestOperationQueue, for URLs of a scheme that is not supported: they live through \
                everything but the network. Foundation's are empty BlockOperations in an OperationQueue, 1 round; a run \
                is left after \(budget.text(0)) s. "linking" is the time of all addDependency calls.
                """,
            table: Table("operations", "queue", "linking s", "running s", "× independent"))

        let shapes = [
            (20_000, 20_000), (20_000, 1), (10_000, 10_000), (10_000, 100), (10_000, 1), (4_000, 4_000), (4_000, 1),
            (1_000, 1_000), (1_000, 1),
        ]
        var results: [String: [Figures]] = [:]
        for _ in 0..<rounds {
            for (count, chains) in shapes {
                results["\(count)/\(chains)", default: []].append(
                    try measure(.scaleLibrary, ["count": count, "chains": chains, "budget": 60]))
            }
        }
        for (count, chains) in shapes {
            let runs = results["\(count)/\(chains)"] ?? []
            guard runs.allSatisfy({ $0["isComplete"] == 1 }) else { throw BenchmarkError("scale: a run did not end") }
            let name = Self.shapeName(count, chains)
            let link = section.record(
                "library \(name) linking", unit: "s", runs.map { $0["linkSeconds", default: .nan] })
            let run = section.record("library \(name) running", unit: "s", runs.map { $0["runSeconds", default: .nan] })
            let independent = (results["\(count)/\(count)"] ?? []).map { $0["runSeconds", default: .nan] }.median
            let ratio = (link + run) / independent
            section.table.add(name, "library", link.text(3), run.text(3), chains == count ? "" : ratio.text(2))
            if count == 20_000, chains == 1 {
                section.expect("scale: chain of 20 000 / independent", ratio, atMost: 1.3)
            }
            if chains == 100 { section.expect("scale: 100 chains of 100 / independent", ratio, atMost: 3) }
        }

        for (count, chains) in shapes where count <= 10_000 && chains != 100 {
            let run = try measure(.scaleFoundation, ["count": count, "chains": chains, "budget": budget])
            let name = Self.shapeName(count, chains)
            let isComplete = run["isComplete"] == 1
            let link = section.record("Foundation \(name) linking", unit: "s", [run["linkSeconds", default: .nan]])
            let seconds = section.record("Foundation \(name) running", unit: "s", [run["runSeconds", default: .nan]])
            let reached = section.record(
                "Foundation \(name) finished", unit: "operations", [run["finished", default: .nan]])
            section.table.add(
                name, "Foundation", link.text(3),
                isComplete ? seconds.text(3) : "left after \(seconds.text(0)), \(reached.text(0)) done", "")
        }

        let cancelled = try (0..<rounds).map { _ in try measure(.cancel, ["count": 20_000, "connections": 64]) }
        let enqueue = section.record("enqueue 20 000", unit: "s", cancelled.map { $0["enqueueSeconds", default: .nan] })
        let last = section.record(
            "cancel 20 000, last completion", unit: "s", cancelled.map { $0["lastCompletionSeconds", default: .nan] })
        let batch = section.record(
            "cancel 20 000, batch completion", unit: "s", cancelled.map { $0["batchSeconds", default: .nan] })
        section.table.add("batch of 20 000, 64 under way: enqueue", "library", "", enqueue.text(3), "")
        section.table.add("… cancel: last completion", "library", "", last.text(3), "")
        section.table.add("… cancel: the batch's completion", "library", "", batch.text(3), "")
        section.expect("scale: cancel 20 000, last completion", last, atMost: 0.5, unit: "s", digits: 3)

        let many = try (0..<rounds).map { _ in try measure(.cancel, ["count": 100_000, "connections": 64]) }
        let all = section.record(
            "make, enqueue and cancel 100 000", unit: "s", many.map { $0["allSeconds", default: .nan] })
        section.table.add("batch of 100 000: make, enqueue, cancel, all completions", "library", "", all.text(3), "")
        section.expect("scale: 100 000 queued and cancelled, in all", all, atMost: 3, unit: "s")
        return section
    }

    private static func shapeName(_ count: Int, _ chains: Int) -> String {
        switch chains {
        case count: "\(count) independent"
        case 1: "chain of \(count)"
        default: "\(chains) chains of \(count / chains)"
        }
    }
}
