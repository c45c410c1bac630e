// SPDX-License-Identifier: MIT
internal import OperationNetworkingTesting
public import Testing

extension Trait where Self == IssueHandlingTrait {
    /// Makes every issue that comes up within `withSimulation` name the seed that replays it, and the run the last one, so
    /// that `#expect` does there what a thrown error does.
    ///
    /// ```swift
    /// @Test(.simulationSeeds)
    /// func simulatedBooks() async throws {
    ///     try await withSimulation { simulation in
    ///         let stubs = HTTPStubs()
    ///         stubs.on("GET", "/books", respond: .json(["Lavinia"]))
    ///         let books = try await stubs.withInstalled {
    ///             try await Library().books()
    ///         }
    ///         #expect(books == ["Lavinia"])
    ///     }
    /// }
    /// ```
    public static var simulationSeeds: IssueHandlingTrait {
        .compactMapIssues { issue in
            guard let simulation = Simulation.current else { return issue }
            simulation.noteFailure()
            var issue = issue
            issue.comments.append("withSimulation(seed: \(simulation.seed)) replays this.")
            return issue
        }
    }
}
