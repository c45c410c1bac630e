// SPDX-License-Identifier: MIT
internal import CSQLite
internal import Foundation

/// A value of a statement's parameter.
enum SQLiteValue {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob(Data)

    static func integer(_ value: Int) -> SQLiteValue { .integer(Int64(value)) }
    static func optional(_ value: String?) -> SQLiteValue { value.map { .text($0) } ?? .null }
    static func optional(_ value: Double?) -> SQLiteValue { value.map { .real($0) } ?? .null }
    static func optional(_ value: Data?) -> SQLiteValue { value.map { .blob($0) } ?? .null }
    static func optional(_ value: Int?) -> SQLiteValue { value.map { .integer($0) } ?? .null }
    static func id(_ id: DurableRequest.ID) -> SQLiteValue { .blob(Data(id.bytes)) }
}

/// The present row of a statement, good for as long as the closure runs that gets it.
struct SQLiteRow {
    /// A `sqlite3_stmt`.
    fileprivate let statement: OpaquePointer

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(statement, column) == SQLITE_NULL }
    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
    func int(_ column: Int32) -> Int { Int(clamping: integer(column)) }
    func real(_ column: Int32) -> Double { sqlite3_column_double(statement, column) }
    func optionalReal(_ column: Int32) -> Double? { isNull(column) ? nil : real(column) }

    func data(_ column: Int32) -> Data? {
        guard !isNull(column) else { return nil }
        guard let bytes = sqlite3_column_blob(statement, column) else { return Data() }
        return Data(bytes: bytes, count: Int(sqlite3_column_bytes(statement, column)))
    }

    func text(_ column: Int32) -> String? {
        guard !isNull(column), let bytes = sqlite3_column_text(statement, column) else { return nil }
        return String(
            decoding: UnsafeBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(statement, column))),
            as: UTF8.self)
    }

    /// Nil: what is there is no ID, so that the file is damaged.
    func id(_ column: Int32) -> DurableRequest.ID? { data(column).flatMap { DurableRequest.ID(bytes: $0) } }
}

/// A connection to a database file, with its prepared statements. Used by one thread at a time.
final class SQLiteConnection {
    /// The `sqlite3`.
    private let handle: OpaquePointer
    let path: String
    /// Each `sqlite3_stmt` by its text. Confined to the owner's thread.
    private(set) var statements: [String: OpaquePointer] = [:]

    init(path: String, busyTimeout: TimeInterval) throws {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let handle else {
            let failure = SQLiteFailure.error(code, message: handle.map(Self.message) ?? "out of memory", path: path)
            sqlite3_close_v2(handle)
            throw failure
        }
        self.handle = handle
        self.path = path
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, Int32(min(RecordRules.bounded(busyTimeout), 86_400) * 1000))
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    private static func message(_ handle: OpaquePointer) -> String {
        sqlite3_errmsg(handle).map { String(cString: $0) } ?? "unknown error"
    }

    /// True if the file was opened for reading only, because it may not be written.
    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }
    /// True if no transaction is open, also because a failure has ended it.
    var isOutsideTransaction: Bool { sqlite3_get_autocommit(handle) != 0 }
    /// The number of rows that the last statement has changed.
    var changes: Int { Int(sqlite3_changes64(handle)) }
    /// The row that the last insertion has made.
    var lastRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Runs one statement, which stays prepared.
    func run(_ sql: String, _ values: SQLiteValue..., row: (SQLiteRow) throws -> Void = { _ in }) throws {
        let statement = try prepared(sql)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() { try bind(value, to: Int32(index + 1), of: statement) }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: try row(SQLiteRow(statement: statement))
            case SQLITE_DONE: return
            case let code: throw failure(code)
            }
        }
    }

    /// Runs statements that are used once.
    func execute(_ script: String) throws {
        let code = sqlite3_exec(handle, script, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code) }
    }

    /// The first column of the first row.
    func integer(_ sql: String) throws -> Int64? {
        var result: Int64?
        try run(sql) { row in if result == nil, !row.isNull(0) { result = row.integer(0) } }
        return result
    }

    /// The first column of the first row.
    func text(_ sql: String) throws -> String? {
        var result: String?
        try run(sql) { row in if result == nil { result = row.text(0) } }
        return result
    }

    private func prepared(_ sql: String) throws -> OpaquePointer {
        if let statement = statements[sql] { return statement }
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw failure(code) }
        statements[sql] = statement
        return statement
    }

    private func bind(_ value: SQLiteValue, to index: Int32, of statement: OpaquePointer) throws {
        let code =
            switch value {
            case .null: sqlite3_bind_null(statement, index)
            case .integer(let value): sqlite3_bind_int64(statement, index, value)
            case .real(let value): sqlite3_bind_double(statement, index, value)
            case .text(var text):
                text.withUTF8 { bytes in
                    bytes.withMemoryRebound(to: CChar.self) {
                        on_sqlite_bind_text(statement, index, $0.baseAddress, UInt64($0.count))
                    }
                }
            case .blob(let data):
                data.withUnsafeBytes { on_sqlite_bind_blob(statement, index, $0.baseAddress, UInt64($0.count)) }
            }
        guard code == SQLITE_OK else { throw failure(code) }
    }

    private func failure(_ code: Int32) -> RequestStoreError {
        SQLiteFailure.error(code, message: Self.message(handle), path: path)
    }
}
