// SPDX-License-Identifier: MIT
internal import Foundation

/// Values as bytes, one after the other: numbers with the lowest byte first, all else behind its length.
struct RecordWriter {
    private(set) var bytes: [UInt8] = []

    /// - Parameter capacity: bytes that there is room for at once.
    init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    mutating func put(_ number: some FixedWidthInteger) {
        var rest = number
        for _ in 0..<number.bitWidth / 8 {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    /// Without its length.
    mutating func put(raw bytes: [UInt8]) { self.bytes += bytes }

    mutating func put(_ text: [UInt8]) {
        put(UInt32(clamping: text.count))
        bytes += text
    }

    mutating func put(_ text: String) {
        var text = text
        text.withUTF8 { text in
            put(UInt32(clamping: text.count))
            bytes.append(contentsOf: text)
        }
    }

    /// Puts the values that a program wants to be kept with a response, as far as they are made of text, numbers,
    /// dates, data, lists and dictionaries.
    mutating func put(userInfo: [AnyHashable: Any]) {
        let values = userInfo.compactMap { key, value in
            (key as? String).flatMap { name in RecordValue(value).map { (name, $0) } }
        }
        put(UInt32(clamping: values.count))
        for (name, value) in values {
            put(name)
            value.write(to: &self)
        }
    }
}

/// Reads what a `RecordWriter` has written. Anything else gives nil.
struct RecordReader {
    private let bytes: [UInt8]
    private var index: Int

    init(_ bytes: [UInt8], from start: Int = 0) {
        self.bytes = bytes
        index = min(max(0, start), bytes.count)
    }

    var isAtEnd: Bool { index == bytes.count }

    mutating func take<Number: FixedWidthInteger & UnsignedInteger>(_: Number.Type) -> Number? {
        let length = Number.bitWidth / 8
        guard bytes.count - index >= length else { return nil }
        var number: Number = 0
        for byte in bytes[index..<index + length].reversed() { number = (number << 8) | Number(byte) }
        index += length
        return number
    }

    mutating func takeBytes() -> [UInt8]? {
        guard let length = take(UInt32.self).map(Int.init), bytes.count - index >= length else { return nil }
        defer { index += length }
        return Array(bytes[index..<index + length])
    }

    /// Nil, too, where it is not UTF-8.
    mutating func takeText() -> String? { takeBytes().flatMap { String(validating: $0, as: UTF8.self) } }

    mutating func takeUserInfo() -> [AnyHashable: Any]? {
        guard let count = take(UInt32.self) else { return nil }
        var values: [AnyHashable: Any] = [:]
        for _ in 0..<count {
            guard let name = takeText(), let value = RecordValue(from: &self) else { return nil }
            values[name] = value.any
        }
        return values
    }
}

/// A value of a `userInfo` that is kept on a disk.
private indirect enum RecordValue {
    case text(String)
    case data(Data)
    case boolean(Bool)
    case integer(Int64)
    case number(Double)
    case date(Double)
    case list([RecordValue])
    case dictionary([(String, RecordValue)])

    private static let deepest = 16

    /// Nil: the value is of another kind, or too deep.
    init?(_ any: Any, depth: Int = 0) {
        guard depth < Self.deepest else { return nil }
        switch any {
        case let value as String: self = .text(value)
        case let value as Data: self = .data(value)
        case let value as Bool: self = .boolean(value)
        case let value as Int: self = .integer(Int64(value))
        case let value as Double: self = .number(value)
        case let value as Date: self = .date(value.timeIntervalSinceReferenceDate)
        case let value as [Any]: self = .list(value.compactMap { RecordValue($0, depth: depth + 1) })
        case let value as [String: Any]:
            self = .dictionary(
                value.compactMap { key, value in RecordValue(value, depth: depth + 1).map { (key, $0) } })
        default: return nil
        }
    }

    var any: Any {
        switch self {
        case .text(let value): value
        case .data(let value): value
        case .boolean(let value): value
        case .integer(let value): Int(value)
        case .number(let value): value
        case .date(let value): Date(timeIntervalSinceReferenceDate: value)
        case .list(let values): values.map(\.any)
        case .dictionary(let values): Dictionary(values.map { ($0, $1.any) }) { $1 }
        }
    }

    private enum Kind: UInt8 { case text, data, boolean, integer, number, date, list, dictionary }

    func write(to record: inout RecordWriter) {
        func put(_ kind: Kind) { record.put(kind.rawValue) }
        switch self {
        case .text(let value):
            put(.text)
            record.put(value)
        case .data(let value):
            put(.data)
            record.put(Array(value))
        case .boolean(let value):
            put(.boolean)
            record.put(value ? 1 : 0 as UInt8)
        case .integer(let value):
            put(.integer)
            record.put(UInt64(bitPattern: value))
        case .number(let value):
            put(.number)
            record.put(value.bitPattern)
        case .date(let value):
            put(.date)
            record.put(value.bitPattern)
        case .list(let values):
            put(.list)
            record.put(UInt32(clamping: values.count))
            for value in values { value.write(to: &record) }
        case .dictionary(let values):
            put(.dictionary)
            record.put(UInt32(clamping: values.count))
            for (name, value) in values {
                record.put(name)
                value.write(to: &record)
            }
        }
    }

    init?(from record: inout RecordReader, depth: Int = 0) {
        guard depth < Self.deepest, let kind = record.take(UInt8.self).flatMap(Kind.init) else { return nil }
        let value: RecordValue?
        switch kind {
        case .text: value = record.takeText().map { .text($0) }
        case .data: value = record.takeBytes().map { .data(Data($0)) }
        case .boolean: value = record.take(UInt8.self).map { .boolean($0 == 1) }
        case .integer: value = record.take(UInt64.self).map { .integer(Int64(bitPattern: $0)) }
        case .number: value = record.take(UInt64.self).map { .number(Double(bitPattern: $0)) }
        case .date: value = record.take(UInt64.self).map { .date(Double(bitPattern: $0)) }
        case .list:
            guard let count = record.take(UInt32.self) else { return nil }
            var values: [RecordValue] = []
            for _ in 0..<count {
                guard let value = RecordValue(from: &record, depth: depth + 1) else { return nil }
                values.append(value)
            }
            value = .list(values)
        case .dictionary:
            guard let count = record.take(UInt32.self) else { return nil }
            var values: [(String, RecordValue)] = []
            for _ in 0..<count {
                guard let name = record.takeText(), let value = RecordValue(from: &record, depth: depth + 1) else {
                    return nil
                }
                values.append((name, value))
            }
            value = .dictionary(values)
        }
        guard let value else { return nil }
        self = value
    }
}
