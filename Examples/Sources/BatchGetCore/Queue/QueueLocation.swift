// SPDX-License-Identifier: MIT
internal import Foundation
internal import OperationNetworkingDurable

/// Where the queue of several runs is: a file of SQLite's, or a database of PostgreSQL's.
package enum QueueLocation: Sendable, Equatable {
    case file(String)
    /// A connection string of libpq's, which may have a password.
    case database(String)

    /// What `--queue` says.
    package init(_ text: String) {
        self = text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") ? .database(text) : .file(text)
    }

    func open() async throws -> any RequestStore {
        switch self {
        case .file(let path): try SQLiteRequestStore(url: URL(fileURLWithPath: path))
        case .database(let connection): try await PostgresRequestStore(connection)
        }
    }
}
