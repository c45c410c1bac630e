// SQLite, and its macros that cast integers to function pointers, which Swift does not import.
#ifndef OPERATION_NETWORKING_CSQLITE_SHIM_H
#define OPERATION_NETWORKING_CSQLITE_SHIM_H

#include <sqlite3.h>

// SQLITE_TRANSIENT: SQLite makes a copy of the bytes.
static inline int on_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    // A null pointer would bind NULL.
    return bytes && count ? sqlite3_bind_blob64(statement, index, bytes, count, SQLITE_TRANSIENT)
                          : sqlite3_bind_zeroblob(statement, index, 0);
}

static inline int on_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, index, bytes ? bytes : "", bytes ? count : 0, SQLITE_TRANSIENT, SQLITE_UTF8);
}

#endif
