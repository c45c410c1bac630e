// SPDX-License-Identifier: MIT
internal import Foundation

/// A value of a statement's parameter, in PostgreSQL's binary form.
struct PostgresValue {
    /// The type's number in `pg_type`.
    let type: UInt32
    /// Nil: NULL.
    let bytes: [UInt8]?

    private enum Kind {
        static let bytes: UInt32 = 17
        static let integer: UInt32 = 20
        static let text: UInt32 = 25
        static let real: UInt32 = 701
        static let uuid: UInt32 = 2950
        static let bytesArray: UInt32 = 1001
        static let textArray: UInt32 = 1009
        static let integerArray: UInt32 = 1016
        static let realArray: UInt32 = 1022
        static let uuidArray: UInt32 = 2951
    }

    static func integer(_ value: some BinaryInteger) -> PostgresValue {
        PostgresValue(type: Kind.integer, bytes: form(Int64(clamping: value)))
    }
    static func optional(_ value: Int?) -> PostgresValue {
        PostgresValue(type: Kind.integer, bytes: value.map { form(Int64($0)) })
    }
    static func real(_ value: Double) -> PostgresValue { PostgresValue(type: Kind.real, bytes: form(value)) }
    static func text(_ value: String) -> PostgresValue { PostgresValue(type: Kind.text, bytes: Array(value.utf8)) }
    static func optional(_ value: String?) -> PostgresValue {
        PostgresValue(type: Kind.text, bytes: value.map { Array($0.utf8) })
    }
    static func id(_ id: DurableRequest.ID) -> PostgresValue { PostgresValue(type: Kind.uuid, bytes: id.bytes) }

    // MARK: Arrays

    static func integers(_ values: some Collection<Int64>) -> PostgresValue {
        array(Kind.integerArray, of: Kind.integer, values.lazy.map { form($0) })
    }
    static func integers(_ values: [Int?]) -> PostgresValue {
        array(Kind.integerArray, of: Kind.integer, values.lazy.map { $0.map { form(Int64($0)) } })
    }
    static func reals(_ values: [Double?]) -> PostgresValue {
        array(Kind.realArray, of: Kind.real, values.lazy.map { $0.map { form($0) } })
    }
    static func texts(_ values: [String?]) -> PostgresValue {
        array(Kind.textArray, of: Kind.text, values.lazy.map { $0.map { Array($0.utf8) } })
    }
    static func ids(_ values: some Collection<DurableRequest.ID>) -> PostgresValue {
        array(Kind.uuidArray, of: Kind.uuid, values.lazy.map(\.bytes))
    }
    static func blobs(_ values: [Data?]) -> PostgresValue {
        array(Kind.bytesArray, of: Kind.bytes, values.lazy.map { $0.map { Array($0) } })
    }

    private static func array(
        _ type: UInt32, of element: UInt32, _ values: some Collection<[UInt8]?>
    ) -> PostgresValue {
        var bytes: [UInt8] = []
        // Dimensions (an empty array has none), whether there are NULLs, the elements' type; then length and lower
        // bound of the dimension.
        append(values.isEmpty ? 0 : 1, to: &bytes)
        append(1, to: &bytes)
        append(Int32(bitPattern: element), to: &bytes)
        guard !values.isEmpty else { return PostgresValue(type: type, bytes: bytes) }
        append(Int32(clamping: values.count), to: &bytes)
        append(1, to: &bytes)
        for value in values {
            guard let value else {
                append(-1, to: &bytes)
                continue
            }
            append(Int32(clamping: value.count), to: &bytes)
            bytes += value
        }
        return PostgresValue(type: type, bytes: bytes)
    }

    private static func append(_ value: Int32, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: value.bigEndian) { bytes += $0 }
    }

    private static func form(_ value: Int64) -> [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }

    private static func form(_ value: Double) -> [UInt8] {
        withUnsafeBytes(of: value.bitPattern.bigEndian) { Array($0) }
    }
}
