// SPDX-License-Identifier: MIT
internal import Foundation

/// A failure of a transaction, by what has to be done after it.
enum PostgresFailure: Error {
    /// The connection was lost: another one is made, and the transaction repeated if it did not happen.
    case connection(String)
    /// The connection was lost with a commit, and what became of it cannot be found out now.
    case unknown(String)
    /// Another transaction was in the way: the transaction is repeated at once.
    case conflict(String)
    /// Repeating would not help.
    case refused(RequestStoreError)

    /// - Parameters:
    ///   - state: the five letters and figures of SQLSTATE.
    ///   - message: the server's first line, which has no values of parameters.
    init(state: String, message: String, place: String) {
        switch state {
        // Serialization failure; deadlock.
        case "40001", "40P01": self = .conflict("\(message), \(state)")
        // The server ends, has crashed, or took the session for dead; a prepared statement is gone with its session
        // behind a pooler.
        case "57P01", "57P02", "57P03", "57P05", "25P03", "26000": self = .connection("\(message), \(state)")
        default:
            if state.hasPrefix("08") {
                self = .connection("\(message), \(state)")
            } else {
                let (kind, problem, advice) = Self.kind(of: state)
                self = .refused(
                    RequestStoreError(
                        kind, place: place, problem: "\(problem) (\(message), \(state))", advice: advice,
                        engineCode: Int(state, radix: 36)))
            }
        }
    }

    private static func kind(of state: String) -> (RequestStoreError.Code, String, String) {
        switch state {
        case "42501":
            (
                .readOnly, "the store may not be used by this role",
                "grant it the schema and its tables; for a new store it needs CREATE on the database"
            )
        case "25006":
            (
                .readOnly, "the database may only be read",
                "connect to the primary server, or end its read-only mode; what is in it is unchanged"
            )
        case "53100", "53400":
            (.full, "there is no space left for the store", "make space on the server; what was recorded is kept")
        case "55P03", "57014":
            (
                .busy, "another transaction has held the store for too long",
                "try again, or find the session that has a transaction open in pg_stat_activity"
            )
        case "58030":
            (
                .inputOutput, "reading or writing the store failed",
                "look at the server's disk and log; what was recorded before is kept"
            )
        case "XX001", "XX002":
            (.damaged, "the store is damaged", "restore a backup of the database; see the server's log")
        case "42P01", "42703", "3F000":
            (.notAStore, "a table of the store is missing", "give another schema, or restore a backup of this one")
        case "42P05":
            (
                .engine, "the session has been another program's",
                "a pooler between has to keep a session's connection, as PgBouncer with pool_mode = session does"
            )
        case "22P05", "22021", "22001", "22003", "54000":
            (
                .unsuitableValue, "a value cannot be held by the store",
                "use a database with the encoding UTF8, short names of groups, and files for large bodies"
            )
        default: (.engine, "PostgreSQL failed", "what was recorded before is kept")
        }
    }

    /// The error for a caller, where nothing is repeated any more.
    func error(place: String) -> RequestStoreError {
        switch self {
        case .refused(let error): error
        case .connection(let message):
            RequestStoreError(
                .connectionLost, place: place, problem: "the connection to the server was lost (\(message))",
                advice: "repeat the call when the server is there again: what was done already is found done")
        case .unknown(let message):
            RequestStoreError(
                .connectionLost, place: place,
                problem: "the connection to the server was lost while it committed (\(message))",
                advice: "repeat the call when the server is there again: all of it has happened, or nothing")
        case .conflict(let message):
            RequestStoreError(
                .busy, place: place, problem: "other transactions were in the way again and again (\(message))",
                advice: "repeat the call")
        }
    }
}
