// SPDX-License-Identifier: MIT
internal import Foundation

/// A look over a binary property list before Foundation parses it.
///
/// Foundation's parser on Linux crashes on sets, and follows every reference anew: a list of 100 bytes whose arrays
/// name the next one twice would take hours and all memory.
package struct BinaryPropertyList {
    /// Foundation refuses text formats that are nested deeper, too.
    static let nestingLimit = 512

    private let bytes: UnsafeRawBufferPointer
    private let offsetSize: Int
    private let referenceSize: Int
    private let offsetTable: Int
    /// The offset at which the objects end.
    private var objectsEnd: Int { offsetTable }
    private var visits: [Visit]
    private var allowsReferences = false

    private enum Visit {
        case none, underWay
        /// The approximate memory of the object with all it refers to, and its number of levels.
        case done(cost: Int, height: Int)
    }

    /// Passes what is not a binary property list.
    ///
    /// - Parameter allowsReferences: Whether the list may hold the references of keyed archives.
    /// - Throws: `CocoaError` 3840.
    package static func check(_ data: Data, allowsReferences: Bool = false) throws {
        guard isBinary(data) else { return }
        try data.withUnsafeBytes { bytes in
            var list = try BinaryPropertyList(bytes)
            list.allowsReferences = allowsReferences
            _ = try list.visit(list.topObject, depth: 1)
        }
    }

    package static func isBinary(_ data: Data) -> Bool { data.starts(with: "bplist0".utf8) }

    private let topObject: Int

    private init(_ bytes: UnsafeRawBufferPointer) throws {
        self.bytes = bytes
        let trailer = bytes.count - 32
        guard trailer >= 8 else { throw Self.damaged }
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        guard 1...8 ~= offsetSize, 1...8 ~= referenceSize,
            let count = Self.integer(bytes, at: trailer + 8, size: 8),
            let top = Self.integer(bytes, at: trailer + 16, size: 8),
            let table = Self.integer(bytes, at: trailer + 24, size: 8),
            8 <= table, table < trailer, 1 <= count, count <= (trailer - table) / offsetSize, top < count,
            // Every object has at least one byte.
            count <= table - 8
        else { throw Self.damaged }
        guard count <= Self.maximumBudget / Self.costOfObject else { throw Self.tooLarge }
        topObject = top
        offsetTable = table
        visits = Array(repeating: .none, count: count)
    }

    private static var damaged: CocoaError { .unreadable("The binary property list is damaged") }

    /// A big-endian integer; `nil` outside of the bytes or beyond `Int`.
    private static func integer(_ bytes: UnsafeRawBufferPointer, at offset: Int, size: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - size else { return nil }
        let value = bytes[offset..<offset + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(exactly: value)
    }

    /// Returns the memory of an object with all it refers to, and its number of levels.
    private mutating func visit(_ object: Int, depth: Int) throws -> (cost: Int, height: Int) {
        guard visits.indices.contains(object) else { throw Self.damaged }
        switch visits[object] {
        case .underWay: throw CocoaError.unreadable("The binary property list contains itself")
        case .done(let cost, let height):
            try checkDepth(depth + height - 1)
            return (cost, height)
        case .none: break
        }
        try checkDepth(depth)
        visits[object] = .underWay

        guard let offset = Self.integer(bytes, at: offsetTable + object * offsetSize, size: offsetSize),
            8 <= offset, offset < objectsEnd
        else { throw Self.damaged }
        let marker = bytes[offset]
        var cost = Self.costOfObject
        var height = 1
        switch marker >> 4 {
        case 0x0:
            guard marker == 0x08 || marker == 0x09 else { throw Self.unsupported(marker) }
        case 0x1:
            guard marker <= 0x14 else { throw Self.unsupported(marker) }
            _ = try extent(offset + 1, count: 1 << Int(marker & 0x0F), unit: 1)
        case 0x2:
            guard marker == 0x22 || marker == 0x23 else { throw Self.unsupported(marker) }
            _ = try extent(offset + 1, count: 1 << Int(marker & 0x0F), unit: 1)
        case 0x3:
            guard marker == 0x33 else { throw Self.unsupported(marker) }
            _ = try extent(offset + 1, count: 8, unit: 1)
            // Foundation stops the program when such a date is described.
            let seconds = Double(bitPattern: bytes[offset + 1..<offset + 9].reduce(0) { $0 << 8 | UInt64($1) })
            guard seconds.isFinite else { throw Self.damaged }
        case 0x4, 0x5, 0x6:
            let (start, count) = try countedContent(at: offset)
            cost += try extent(start, count: count, unit: marker >> 4 == 0x6 ? 2 : 1)
        case 0x8:
            guard allowsReferences, [0x80, 0x81, 0x83].contains(marker) else { throw Self.unsupported(marker) }
            _ = try extent(offset + 1, count: 1 + Int(marker & 0x0F), unit: 1)
        case 0xA, 0xD:
            let isDictionary = marker >> 4 == 0xD
            let (start, count) = try countedContent(at: offset)
            _ = try extent(start, count: count, unit: isDictionary ? 2 * referenceSize : referenceSize)
            for index in 0..<(isDictionary ? 2 * count : count) {
                guard let reference = Self.integer(bytes, at: start + index * referenceSize, size: referenceSize)
                else { throw Self.damaged }
                if isDictionary, index < count { try checkIsString(reference) }
                let child = try visit(reference, depth: depth + 1)
                height = max(height, child.height + 1)
                cost += child.cost
                guard cost <= budget else { throw Self.tooLarge }
            }
        default:
            throw Self.unsupported(marker)
        }
        visits[object] = .done(cost: cost, height: height)
        return (cost, height)
    }

    private static func unsupported(_ marker: UInt8) -> CocoaError {
        .unreadable("The binary property list holds an object of kind 0x\(String(marker, radix: 16)), which is none")
    }

    private func checkDepth(_ depth: Int) throws {
        guard depth <= Self.nestingLimit else {
            throw CocoaError.unreadable("The property list is nested deeper than \(Self.nestingLimit) levels")
        }
    }

    private func checkIsString(_ reference: Int) throws {
        guard visits.indices.contains(reference),
            let offset = Self.integer(bytes, at: offsetTable + reference * offsetSize, size: offsetSize),
            8 <= offset, offset < objectsEnd
        else { throw Self.damaged }
        guard 0x5...0x6 ~= bytes[offset] >> 4 else {
            throw CocoaError.unreadable("The binary property list has a key that is not a string")
        }
        guard bytes[offset] >> 4 == 0x6 else { return }
        let (start, count) = try countedContent(at: offset)
        _ = try extent(start, count: count, unit: 2)
        var counter = TextRuns.Counter()
        var index = 0
        while index < count {
            let first = unit(index, from: start)
            index += 1
            guard 0xD800...0xDFFF ~= first else {
                counter.take(first)
                continue
            }
            // Beyond the first plane there are marks, and much that is none, such as emoji.
            if index < count, let scalar = TextRuns.scalar(high: first, low: unit(index, from: start)) {
                counter.take(scalar)
                index += 1
            } else {
                // A half alone, which is no character.
                counter.takeMark()
            }
        }
        if counter.isTooLong {
            throw CocoaError.unreadable(
                "The binary property list has a key with more than \(TextRuns.longest) combining marks in a row")
        }
    }

    /// A unit of UTF-16 that is known to lie in the bytes.
    private func unit(_ index: Int, from start: Int) -> UInt32 {
        UInt32(bytes[start + 2 * index]) << 8 | UInt32(bytes[start + 2 * index + 1])
    }

    /// Roughly what a parsed object takes.
    private static let costOfObject = 64

    /// The memory that a list may expand to: writers share equal strings and numbers, and fair lists do not exceed it.
    private var budget: Int { min((16 << 20) + 64 * bytes.count, max(Self.maximumBudget, 2 * bytes.count)) }
    /// The limit for a list of any size: some four million values.
    private static let maximumBudget = 256 << 20

    private static var tooLarge: CocoaError {
        .unreadable(
            "The binary property list expands to a multiple of its size, or to more than "
                + "\(maximumBudget / costOfObject) values")
    }

    /// Returns the start of the content of a string, data, array or dictionary, and its number of units.
    private func countedContent(at offset: Int) throws -> (start: Int, count: Int) {
        let short = Int(bytes[offset] & 0x0F)
        guard short == 0x0F else { return (offset + 1, short) }
        guard offset + 1 < objectsEnd, 0x10...0x13 ~= bytes[offset + 1] else { throw Self.damaged }
        let size = 1 << Int(bytes[offset + 1] & 0x0F)
        guard let count = Self.integer(bytes, at: offset + 2, size: size) else { throw Self.damaged }
        return (offset + 2 + size, count)
    }

    /// The size in bytes of `count` units from `start`, which must lie before the offset table.
    private func extent(_ start: Int, count: Int, unit: Int) throws -> Int {
        let (size, overflow) = count.multipliedReportingOverflow(by: unit)
        guard !overflow, start <= objectsEnd, size <= objectsEnd - start else { throw Self.damaged }
        return size
    }
}
