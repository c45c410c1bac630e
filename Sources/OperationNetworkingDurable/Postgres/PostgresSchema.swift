// SPDX-License-Identifier: MIT
internal import CPostgres
internal import Foundation

/// The tables of a store, and the checks of a database before it is used.
///
/// All times are the server's: `statement_timestamp()`, the time at which the server got the statement, which does not
/// stand still in a transaction that has waited for a lock, as `now()` does.
enum PostgresSchema {
    static let version = 1

    /// Contents and results have tables of their own, so that a change of state writes a short row.
    static let script = [
        """
        CREATE TABLE hosts(
            host bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL UNIQUE, pause_end timestamptz)
        """,
        "CREATE INDEX hosts_paused ON hosts(pause_end) WHERE pause_end IS NOT NULL",
        """
        CREATE TABLE requests(
            seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id uuid NOT NULL UNIQUE, grp text,
            priority bigint NOT NULL, host bigint NOT NULL, state smallint NOT NULL,
            open_dependencies integer NOT NULL DEFAULT 0, due timestamptz, deadline timestamptz,
            token bigint NOT NULL DEFAULT 0, worker text, lease_end timestamptz,
            cancelling boolean NOT NULL DEFAULT false, failures bigint NOT NULL DEFAULT 0,
            losses bigint NOT NULL DEFAULT 0, maximum_losses bigint NOT NULL,
            added timestamptz NOT NULL, ended timestamptz, reason smallint)
        WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0)
        """,
        "CREATE INDEX requests_ready ON requests(priority DESC, seq) WHERE state = 2",
        "CREATE INDEX requests_ready_of_host ON requests(host, priority DESC, seq) WHERE state = 2",
        "CREATE INDEX requests_waiting ON requests(seq) WHERE state = 0",
        "CREATE INDEX requests_due ON requests(due) WHERE state = 1",
        "CREATE INDEX requests_leased ON requests(lease_end) WHERE state = 3",
        "CREATE INDEX requests_deadline ON requests(deadline) WHERE deadline IS NOT NULL AND state < 3",
        "CREATE INDEX requests_ended ON requests(ended) WHERE state > 3",
        "CREATE INDEX requests_group ON requests(grp, state, seq)",
        """
        CREATE TABLE dependencies(
            upstream bigint NOT NULL, dependent bigint NOT NULL, condition smallint NOT NULL,
            PRIMARY KEY(upstream, dependent))
        """,
        "CREATE TABLE contents(seq bigint PRIMARY KEY, content bytea NOT NULL, body bytea)",
        "CREATE TABLE results(seq bigint PRIMARY KEY, summary bytea NOT NULL, content bytea)",
        // The last transaction that each session has committed.
        "CREATE TABLE commits(session uuid PRIMARY KEY, number bigint NOT NULL, noted timestamptz NOT NULL)",
        "CREATE TABLE store(version integer NOT NULL)",
        "INSERT INTO store VALUES (\(version))",
    ]

    /// Connects, sets the session up, and checks the store.
    ///
    /// - Parameter makes: true for a store that is made if there is none.
    static func open(_ target: PostgresTarget, functions: on_pq, makes: Bool) throws -> PostgresConnection {
        let connection = try PostgresConnection(target, functions: functions)
        guard connection.serverVersion >= 110_000 else {
            throw RequestStoreError(
                .cannotOpen, place: target.place,
                problem: "the server has version \(connection.serverVersion / 10_000) of PostgreSQL",
                advice: "use version 11 or later")
        }
        try setUp(connection)
        try connection.execute("BEGIN")
        if try !check(connection) {
            guard makes else {
                throw RequestStoreError(
                    .notAStore, place: target.place, problem: "the store's tables are gone",
                    advice: "restore a backup of the schema \(target.schema), or open the store anew")
            }
            // One process at a time makes the tables.
            try lock(connection, .schema)
            if try !check(connection) {
                // The name has letters, figures and _ only.
                try connection.execute("CREATE SCHEMA IF NOT EXISTS \(target.schema)")
                for statement in script { try connection.execute(statement) }
            }
        }
        try connection.execute("COMMIT")
        return connection
    }

    private static func setUp(_ connection: PostgresConnection) throws {
        let milliseconds = String(Int(connection.target.statementTimeout * 1000))
        let settings = [
            ("search_path", connection.target.schema), ("client_min_messages", "error"),
            ("default_transaction_isolation", "read committed"), ("statement_timeout", milliseconds),
            ("lock_timeout", milliseconds),
            // The transaction of a worker that is cut off or asleep holds up the others for so long.
            ("idle_in_transaction_session_timeout", "10000"), ("tcp_keepalives_idle", "10"),
            ("tcp_keepalives_interval", "5"), ("tcp_keepalives_count", "3"), ("tcp_user_timeout", "20000"),
            // The tables change faster than their statistics: the indexes are right for every statement of the store.
            ("enable_seqscan", "off"), ("jit", "off"),
        ]
        // A server may not know one of them.
        try connection.run(
            """
            SELECT set_config(s.name, v.value, false)
            FROM unnest($1::text[], $2::text[]) AS v(name, value) JOIN pg_settings s ON s.name = v.name
            """, .texts(settings.map(\.0)), .texts(settings.map(\.1)))
        // What was committed has to survive a power cut; a stronger setting than "on" stays.
        try connection.run(
            """
            SELECT set_config('synchronous_commit', 'on', false)
            WHERE current_setting('synchronous_commit') IN ('off', 'local')
            """)
    }

    /// The store's advisory locks, each held to the end of the transaction.
    enum Lock: Int {
        case schema = 0
        /// Exclusive for those who count what is running, shared for those who lease without a count.
        case leasing = 1
    }

    static func lock(_ connection: PostgresConnection, _ lock: Lock, isShared: Bool = false) throws {
        try connection.run(
            isShared
                ? "SELECT pg_advisory_xact_lock_shared(hashtextextended($1, $2))"
                : "SELECT pg_advisory_xact_lock(hashtextextended($1, $2))",
            .text("OperationNetworkingDurable." + connection.target.schema), .integer(lock.rawValue))
    }

    /// True: there is a store of this version. False: there is none, and no table in its place.
    private static func check(_ connection: PostgresConnection) throws -> Bool {
        let (schema, place) = (connection.target.schema, connection.target.place)
        var tables: Set<String> = []
        try connection.run(
            """
            SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = $1 AND c.relname IN ('store', 'requests', 'hosts', 'contents', 'results', 'dependencies',
                'commits')
            """, .text(schema)
        ) { tables.insert($0.text(0) ?? "") }
        guard !tables.isEmpty else { return false }
        guard tables.contains("store"), tables.contains("requests") else {
            throw RequestStoreError(
                .notAStore, place: place, problem: "the schema \(schema) has tables of another program",
                advice: "give the store a schema of its own")
        }
        var found = 0
        try connection.run("SELECT version FROM store") { found = $0.int(0) }
        guard found <= version else {
            throw RequestStoreError(
                .newerVersion, place: place,
                problem: "the store has version \(found), and this program knows \(version)",
                advice: "use a program with a later version of OperationNetworking; what is in it is unchanged")
        }
        return true
    }
}
