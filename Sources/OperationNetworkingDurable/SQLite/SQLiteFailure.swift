// SPDX-License-Identifier: MIT
internal import CSQLite

/// SQLite's result codes as errors that say what to do.
enum SQLiteFailure {
    /// - Parameters:
    ///   - code: SQLite's extended result code.
    ///   - message: SQLite's words, which have no values of parameters.
    static func error(_ code: Int32, message: String, path: String) -> RequestStoreError {
        let (kind, problem, advice) = kind(of: code, message)
        return RequestStoreError(kind, place: path, problem: problem, advice: advice, engineCode: Int(code))
    }

    private static func kind(of code: Int32, _ message: String) -> (RequestStoreError.Code, String, String) {
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED:
            (
                .busy, "another process has held the store for too long (\(message))",
                "try again, or find the process that has a transaction open on the file"
            )
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH:
            (
                .readOnly, "the store cannot be written (\(message))",
                "make the file and its folder writable for this user; what is in it is unchanged"
            )
        case SQLITE_FULL:
            (
                .full, "there is no space left for the store (\(message))",
                "make space on its file system and go on; what was recorded is kept"
            )
        case SQLITE_CORRUPT:
            (
                .damaged, "the store is damaged (\(message))",
                "make a copy of the file with its -wal, and restore a backup, or recover what can be read with "
                    + "`sqlite3 FILE .recover`"
            )
        case SQLITE_NOTADB:
            (.notAStore, "the file is no SQLite database (\(message))", "give the name of a store, or of a new file")
        case SQLITE_IOERR:
            (
                .inputOutput, "reading or writing the store failed (\(message), code \(code))",
                "look at the disk and the kernel's log; what was recorded before is kept, and the call may be repeated"
            )
        case SQLITE_CANTOPEN:
            (
                .cannotOpen, "the store cannot be opened (\(message))",
                "make sure that its folder exists, and that this user may write in it"
            )
        case SQLITE_TOOBIG, SQLITE_MISMATCH:
            (.unsuitableValue, "a value is too large for the store (\(message))", "keep large bodies in files")
        default: (.engine, "SQLite failed (\(message), code \(code))", "what was recorded before is kept")
        }
    }

}
