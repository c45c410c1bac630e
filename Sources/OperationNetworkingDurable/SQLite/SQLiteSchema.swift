// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc

/// The tables of a store, and the checks of a file before it is used.
///
/// Times are seconds since 1970 by this machine's clock. Next to each time is the span that it was made of, so that a
/// clock that is set back does not make it last longer.
enum SQLiteSchema {
    /// "ONdq", in SQLite's header at offset 68.
    static let applicationID: Int64 = 0x4F4E_6471
    static let version: Int64 = 1

    static let script = """
        CREATE TABLE requests(
            seq INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, grp TEXT, priority INTEGER NOT NULL,
            host INTEGER NOT NULL, state INTEGER NOT NULL, open_dependencies INTEGER NOT NULL,
            due REAL, due_span REAL NOT NULL, deadline REAL,
            token INTEGER NOT NULL DEFAULT 0, worker TEXT, lease_end REAL, lease_span REAL,
            cancelling INTEGER NOT NULL DEFAULT 0, failures INTEGER NOT NULL DEFAULT 0,
            losses INTEGER NOT NULL DEFAULT 0, maximum_losses INTEGER NOT NULL,
            added REAL NOT NULL, ended REAL, reason INTEGER);
        CREATE INDEX requests_ready ON requests(priority DESC, seq) WHERE state = 2;
        CREATE INDEX requests_ready_of_host ON requests(host, priority DESC, seq) WHERE state = 2;
        CREATE INDEX requests_waiting ON requests(seq) WHERE state = 0;
        CREATE INDEX requests_due ON requests(due) WHERE state = 1;
        CREATE INDEX requests_leased ON requests(lease_end) WHERE state = 3;
        CREATE INDEX requests_deadline ON requests(deadline) WHERE deadline IS NOT NULL AND state < 3;
        CREATE INDEX requests_ended ON requests(ended) WHERE state > 3;
        CREATE INDEX requests_group ON requests(grp, state);
        CREATE TABLE dependencies(
            upstream INTEGER NOT NULL, dependent INTEGER NOT NULL, condition INTEGER NOT NULL,
            PRIMARY KEY(upstream, dependent)) WITHOUT ROWID;
        CREATE TABLE hosts(
            host INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, ready INTEGER NOT NULL DEFAULT 0,
            running INTEGER NOT NULL DEFAULT 0, pause_end REAL, pause_span REAL);
        CREATE INDEX hosts_ready ON hosts(host) WHERE ready > 0;
        CREATE TABLE contents(seq INTEGER PRIMARY KEY, content BLOB NOT NULL, body BLOB);
        CREATE TABLE results(seq INTEGER PRIMARY KEY, summary BLOB NOT NULL, content BLOB);
        CREATE TABLE clock(only INTEGER PRIMARY KEY CHECK (only = 1), latest REAL NOT NULL);
        INSERT INTO clock VALUES (1, 0);
        CREATE TRIGGER requests_counted AFTER INSERT ON requests WHEN new.state = 2 BEGIN
            UPDATE hosts SET ready = ready + 1 WHERE host = new.host;
        END;
        CREATE TRIGGER requests_recounted AFTER UPDATE OF state ON requests
        WHEN old.state <> new.state AND (old.state IN (2, 3) OR new.state IN (2, 3)) BEGIN
            UPDATE hosts SET ready = ready + (new.state = 2) - (old.state = 2),
                running = running + (new.state = 3) - (old.state = 3) WHERE host = new.host;
        END;
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(version);
        """

    /// Opens a store's file, and makes it if there is none.
    static func open(path: String, busyTimeout: TimeInterval) throws -> SQLiteConnection {
        // Made here and not by SQLite, so that only this user may read it from the beginning; SQLite gives the files
        // next to it the same permissions. An existing file must not be opened here: closing it would end SQLite's locks.
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 {
            Glibc.close(descriptor)
        } else if errno != EEXIST {
            let problem = String(cString: strerror(errno))
            throw RequestStoreError(
                errno == ENOSPC || errno == EDQUOT ? .full : errno == EROFS ? .readOnly : .cannotOpen, place: path,
                problem: "the store cannot be made (\(problem))",
                advice: "make sure that its folder exists, and that this user may write in it")
        }
        // SQLite says of a file on a read-only file system only that it cannot open its log.
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        for place in [path, folder] where Glibc.access(place, W_OK) != 0 && (errno == EROFS || errno == EACCES) {
            throw RequestStoreError(
                .readOnly, place: path, problem: "the store may only be read (\(String(cString: strerror(errno))))",
                advice: "make the file and its folder writable for this user; what is in it is unchanged")
        }
        let connection = try SQLiteConnection(path: path, busyTimeout: busyTimeout)
        let deadline = ContinuousClock.now + .seconds(min(RecordRules.bounded(busyTimeout), 86_400))
        while true {
            do {
                try prepare(connection)
                return connection
            } catch let error as RequestStoreError where error.code == .busy && ContinuousClock.now < deadline {
                // SQLite waits for no other process while the log is set up, and has nothing to wait on.
                Thread.sleep(forTimeInterval: 0.01)
            }
        }
    }

    /// Checks the file, and makes the log and the tables if they are not there.
    private static func prepare(_ connection: SQLiteConnection) throws {
        try transaction("BEGIN", connection) { _ = try check(connection) }
        guard !connection.isReadOnly else {
            throw RequestStoreError(
                .readOnly, place: connection.path, problem: "the store may only be read",
                advice: "make the file and its folder writable for this user; what is in it is unchanged")
        }
        // Before the tables, so that no other process sees a file in between.
        guard try connection.text("PRAGMA journal_mode = WAL") == "wal" else {
            throw RequestStoreError(
                .cannotOpen, place: connection.path, problem: "the file system has no place for a write-ahead log",
                advice: "put the store on a local file system")
        }
        // What was committed has to survive a power cut: in WAL mode NORMAL does not promise that.
        try connection.execute("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864")
        try transaction("BEGIN IMMEDIATE", connection) {
            // Another process may have made the tables meanwhile.
            if try check(connection) == .empty { try connection.execute(script) }
        }
    }

    private static func transaction(
        _ beginning: String, _ connection: SQLiteConnection, _ body: () throws -> Void
    ) throws {
        try connection.execute(beginning)
        do {
            try body()
            try connection.execute("COMMIT")
        } catch {
            if !connection.isOutsideTransaction { try? connection.execute("ROLLBACK") }
            throw error
        }
    }

    private enum Finding { case empty, store }

    /// In a transaction: each statement has to see the same file.
    private static func check(_ connection: SQLiteConnection) throws -> Finding {
        let application = try connection.integer("PRAGMA application_id") ?? 0
        let version = try connection.integer("PRAGMA user_version") ?? 0
        if application == 0, version == 0, try connection.integer("SELECT count(*) FROM sqlite_schema") == 0 {
            return .empty
        }
        guard application == applicationID else {
            throw RequestStoreError(
                .notAStore, place: connection.path, problem: "the database is another program's",
                advice: "give the name of a store, or of a new file")
        }
        guard version <= Self.version else {
            throw RequestStoreError(
                .newerVersion, place: connection.path,
                problem: "the store has version \(version), and this program knows \(Self.version)",
                advice: "use a program with a later version of OperationNetworking; what is in it is unchanged")
        }
        return .store
    }
}
