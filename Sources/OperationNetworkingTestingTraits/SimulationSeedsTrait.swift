// SPDX-License-Identifier: MIT
internal import OperationNetworkingTesting
public import Testing

extension Trait where Self == IssueHandlingTrait {
    /// Makes every issue that comes up within `withSimulation` name the seed that replays it, and the run the last one, so
    /// that `#expect` does there what a thrown error does.
    ///
    /// ```
    /// @Test(.simulationSeeds)
    /// func retries() async throws {
    ///     try await withSimulation { simulation in … }
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
