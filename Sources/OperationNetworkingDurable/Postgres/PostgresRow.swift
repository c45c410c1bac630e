// SPDX-License-Identifier: MIT
internal import CPostgres
internal import Foundation

/// A row of a result in PostgreSQL's binary form, good for as long as the closure runs that gets it.
struct PostgresRow {
    let functions: on_pq
    /// A `PGresult`.
    let result: OpaquePointer
    let row: Int32

    private func bytes(_ column: Int32) -> UnsafeRawBufferPointer? {
        guard functions.getisnull(result, row, column) == 0, let start = functions.getvalue(result, row, column)
        else { return nil }
        return UnsafeRawBufferPointer(start: start, count: Int(functions.getlength(result, row, column)))
    }

    /// A whole number of two, four or eight bytes, or a truth value. Nil: NULL.
    func optionalInteger(_ column: Int32) -> Int64? {
        guard let bytes = bytes(column), let first = bytes.first else { return nil }
        // Sign, then the bytes from the highest on.
        let start: Int64 = bytes.count > 1 && first & 0x80 != 0 ? -1 : 0
        return bytes.prefix(8).reduce(start) { $0 << 8 | Int64($1) }
    }

    /// A number with a fraction. Nil: NULL.
    func optionalReal(_ column: Int32) -> Double? {
        optionalInteger(column).map { Double(bitPattern: UInt64(bitPattern: $0)) }
    }

    func integer(_ column: Int32) -> Int64 { optionalInteger(column) ?? 0 }
    func int(_ column: Int32) -> Int { Int(clamping: integer(column)) }
    func bool(_ column: Int32) -> Bool { integer(column) != 0 }
    func data(_ column: Int32) -> Data? { bytes(column).map { Data($0) } }
    func text(_ column: Int32) -> String? { bytes(column).map { String(decoding: $0, as: UTF8.self) } }

    /// Nil: what is there is no ID.
    func id(_ column: Int32) -> DurableRequest.ID? { bytes(column).flatMap { DurableRequest.ID(bytes: $0) } }
}
