// SPDX-License-Identifier: MIT
internal import CPostgres

// Sendable because the table is never changed, and libpq serves all threads, each connection one at a time.
/// libpq's functions, found when the first store is opened.
struct PostgresLibrary: Sendable {
    /// Nil: libpq is not there.
    private static let found = PostgresLibrary()

    let functions: on_pq

    private init?() {
        var functions = on_pq()
        guard on_pq_load(&functions) != 0, functions.isthreadsafe() != 0 else { return nil }
        self.functions = functions
    }

    /// - Throws: ``RequestStoreError`` with `.cannotOpen`, if libpq is not installed.
    static func load() throws(RequestStoreError) -> on_pq {
        guard let found else {
            throw RequestStoreError(
                .cannotOpen, problem: "libpq.so.5, PostgreSQL's client library, is not installed",
                advice: "install libpq5")
        }
        return found.functions
    }
}
