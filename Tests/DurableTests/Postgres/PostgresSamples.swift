// SPDX-License-Identifier: MIT
import OperationNetworkingDurable

/// The sample of `PostgresRequestStore`: compiled, and not run, for want of such a database.
func openSampleStore() async throws -> PostgresRequestStore {
    let store = try await PostgresRequestStore("postgresql:///jobs")
    return store
}
