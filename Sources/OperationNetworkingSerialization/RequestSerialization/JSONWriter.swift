// SPDX-License-Identifier: MIT
internal import Foundation

/// Writes Foundation's JSON objects: what `JSONSerialization` writes, in one pass, with a limit on nesting, and with
/// the path of what cannot be written.
///
/// Values that are `Encodable` and not Foundation's are written as `encoder` encodes them.
struct JSONWriter {
    /// As deep as Foundation reads.
    static let nestingLimit = 512

    let options: JSONSerialization.WritingOptions
    let encoder: JSONEncoder
    private var output: [UInt8] = []
    private var path: [PathElement] = []

    private enum PathElement {
        case key(String)
        case index(Int)
    }

    init(options: JSONSerialization.WritingOptions, encoder: JSONEncoder) {
        self.options = options
        self.encoder = encoder
    }

    /// The JSON text of `value`, in UTF-8.
    mutating func write(_ value: Any) throws -> Data {
        output.removeAll()
        path.removeAll()
        try append(value, isTopLevel: true)
        return Data(output)
    }

    private mutating func append(_ value: Any, isTopLevel: Bool = false) throws {
        if try appendContainer(value) { return }
        if isTopLevel, !options.contains(.fragmentsAllowed), EncodableParameters.value(of: value) == nil {
            throw failure("a \(type(of: value)) at top level needs the writing option `fragmentsAllowed`")
        }
        if let string = value as? String {
            append(string: string)
        } else if let number = try numberText(of: value) {
            output.append(contentsOf: number.utf8)
        } else if value is NSNull {
            append(literal: "null")
        } else if let value = value as? any OptionalParameter {
            try append(value.wrappedParameter ?? NSNull())
        } else if let value = EncodableParameters.value(of: value) {
            try append(encodable: value)
        } else {
            throw failure("a \(type(of: value)) has no form in JSON")
        }
    }

    private mutating func append(encodable value: any Encodable) throws {
        do {
            output.append(contentsOf: try encoder.encode(value))
        } catch {
            throw failure("\(type(of: value)) was not encoded: \(error.localizedDescription)")
        }
    }

    private mutating func append(literal text: StaticString) {
        text.withUTF8Buffer { output.append(contentsOf: $0) }
    }

    private func failure(_ problem: String) -> ParameterError {
        let path = path.map {
            switch $0 {
            case .key(let key): ".\(key)"
            case .index(let index): "[\(index)]"
            }
        }
        return ParameterError(path: path.joined(), problem: problem)
    }

    // MARK: Containers

    /// Writes `value` if it is a dictionary or an array.
    private mutating func appendContainer(_ value: Any) throws -> Bool {
        if type(of: value) == String.self || type(of: value) == Int.self { return false }
        if let dictionary = value as? [String: Any] {
            try append(dictionary: dictionary)
        } else if let array = value as? [Any] {
            try append(array: array)
        } else if value is [AnyHashable: Any] {
            throw failure("a dictionary's keys must be strings")
        } else {
            return false
        }
        return true
    }

    private mutating func append(dictionary: [String: Any]) throws {
        try enter()
        output.append(UInt8(ascii: "{"))
        var isFirst = true
        if options.contains(.sortedKeys) {
            // By Unicode scalars; Foundation's order depends on its collation tables.
            for key in dictionary.keys.sorted(by: TextOrder.precedes) {
                try append(key: key, value: dictionary[key] ?? NSNull(), isFirst: &isFirst)
            }
        } else {
            for (key, value) in dictionary { try append(key: key, value: value, isFirst: &isFirst) }
        }
        appendEnd(isEmpty: isFirst)
        output.append(UInt8(ascii: "}"))
    }

    private mutating func append(key: String, value: Any, isFirst: inout Bool) throws {
        if !isFirst { output.append(UInt8(ascii: ",")) }
        isFirst = false
        path.append(.key(key))
        appendLineBreak(path.count)
        append(string: key)
        if options.contains(.prettyPrinted) { append(literal: " : ") } else { output.append(UInt8(ascii: ":")) }
        try append(value)
        path.removeLast()
    }

    private mutating func append(array: [Any]) throws {
        try enter()
        output.append(UInt8(ascii: "["))
        for (index, value) in array.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            path.append(.index(index))
            appendLineBreak(path.count)
            try append(value)
            path.removeLast()
        }
        appendEnd(isEmpty: array.isEmpty)
        output.append(UInt8(ascii: "]"))
    }

    private func enter() throws {
        guard path.count < Self.nestingLimit else {
            throw ParameterError(path: "", problem: "containers are nested deeper than \(Self.nestingLimit) levels")
        }
    }

    /// The line before a closing bracket; Foundation leaves an empty one in an empty container.
    private mutating func appendEnd(isEmpty: Bool) {
        if isEmpty { appendLineBreak(0) }
        appendLineBreak(path.count)
    }

    private mutating func appendLineBreak(_ depth: Int) {
        guard options.contains(.prettyPrinted) else { return }
        output.append(UInt8(ascii: "\n"))
        output.append(contentsOf: repeatElement(UInt8(ascii: " "), count: depth * 2))
    }

    // MARK: Scalars

    private func numberText(of value: Any) throws -> String? {
        let type = type(of: value)
        if type == Int.self { return (value as? Int)?.description }
        if type == Bool.self { return (value as? Bool).map { $0 ? "true" : "false" } }
        if type is NSNumber.Type { return try (value as? NSNumber).map(numberText(ofNumber:)) }
        switch value {
        case let number as Double: return try numberText(ofFloatingPoint: number)
        case let number as Float: return try numberText(ofFloatingPoint: number)
        case let number as CGFloat: return try numberText(ofFloatingPoint: number.native)
        case let number as Decimal: return try numberText(ofDecimal: number)
        case let integer as any BinaryInteger: return integer.description
        default: return nil
        }
    }

    private func numberText(ofNumber number: NSNumber) throws -> String {
        if ParameterText.isBoolean(number) { return number.boolValue ? "true" : "false" }
        if let number = number as? NSDecimalNumber { return try numberText(ofDecimal: number.decimalValue) }
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"): return try numberText(ofFloatingPoint: number.doubleValue)
        case UInt8(ascii: "f"): return try numberText(ofFloatingPoint: number.floatValue)
        default: return number.description
        }
    }

    private func numberText(ofDecimal number: Decimal) throws -> String {
        guard !number.isNaN else { throw failure("\(number) has no form in JSON") }
        return number.description
    }

    /// A whole number loses its fraction, as in Foundation.
    private func numberText<Number: BinaryFloatingPoint & LosslessStringConvertible>(
        ofFloatingPoint number: Number
    ) throws -> String {
        guard number.isFinite else { throw failure("\(number) has no form in JSON") }
        let text = number.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private mutating func append(string: String) {
        let escapesSlashes = !options.contains(.withoutEscapingSlashes)
        var string = string
        output.append(UInt8(ascii: "\""))
        string.withUTF8 { bytes in
            var start = 0
            for (index, byte) in bytes.enumerated() {
                guard
                    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
                        || (byte == UInt8(ascii: "/") && escapesSlashes)
                else { continue }
                output.append(contentsOf: bytes[start..<index])
                appendEscape(of: byte)
                start = index + 1
            }
            output.append(contentsOf: bytes[start...])
        }
        output.append(UInt8(ascii: "\""))
    }

    private mutating func appendEscape(of byte: UInt8) {
        output.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: output.append(UInt8(ascii: "b"))
        case 0x09: output.append(UInt8(ascii: "t"))
        case 0x0A: output.append(UInt8(ascii: "n"))
        case 0x0C: output.append(UInt8(ascii: "f"))
        case 0x0D: output.append(UInt8(ascii: "r"))
        case 0..<0x20:
            let digits = Array("0123456789abcdef".utf8)
            append(literal: "u00")
            output.append(digits[Int(byte >> 4)])
            output.append(digits[Int(byte & 15)])
        default: output.append(byte)
        }
    }
}
