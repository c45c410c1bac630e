// SPDX-License-Identifier: MIT
internal import Foundation

/// The text of scalar parameters, the same for Swift and Foundation values.
struct ParameterText {
    let boolEncoding: HTTPRequestSerializer.BoolEncoding

    /// The text of a scalar of a known type; nil when `value` is of another type.
    func text(of value: Any) -> String? {
        let type = type(of: value)
        if type == Int.self { return (value as? Int)?.description }
        if type == Bool.self { return (value as? Bool).map(text(ofBool:)) }
        if type is NSNumber.Type { return (value as? NSNumber).map(text(ofNumber:)) }
        switch value {
        case let string as String: return string
        case let substring as Substring: return String(substring)
        case let character as Character: return String(character)
        case let number as Double: return Self.text(ofFloatingPoint: number)
        case let number as Float: return Self.text(ofFloatingPoint: number)
        case let number as CGFloat: return Self.text(ofFloatingPoint: number.native)
        case let number as Decimal: return number.description
        case let integer as any BinaryInteger: return integer.description
        case let date as Date: return date.description
        case let url as URL: return url.absoluteString
        case let uuid as UUID: return uuid.uuidString
        case let raw as any RawRepresentable: return text(of: raw.rawValue as Any)
        default: return nil
        }
    }

    private func text(ofBool value: Bool) -> String {
        switch boolEncoding {
        case .numeric: value ? "1" : "0"
        case .literal: value ? "true" : "false"
        }
    }

    private func text(ofNumber number: NSNumber) -> String {
        if Swift.type(of: number) == Self.booleanClass { return text(ofBool: number.boolValue) }
        if number is NSDecimalNumber { return number.description }
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "d"): return Self.text(ofFloatingPoint: number.doubleValue)
        case UInt8(ascii: "f"): return Self.text(ofFloatingPoint: number.floatValue)
        default: return number.description
        }
    }

    /// Foundation keeps true and false apart from 1 and 0 by a private subclass of `NSNumber`.
    private static let booleanClass: AnyClass = Swift.type(of: NSNumber(value: true))

    /// Returns true if `number` is a Boolean and not merely 0 or 1.
    static func isBoolean(_ number: NSNumber) -> Bool {
        Swift.type(of: number) == booleanClass
    }

    /// Whole numbers without a fraction, as `NSNumber` describes them on Apple's platforms.
    private static func text<Number: BinaryFloatingPoint & LosslessStringConvertible>(
        ofFloatingPoint number: Number
    ) -> String {
        Int64(exactly: number)?.description ?? number.description
    }

    /// The description of `NSData` in AFNetworking's time: `<01020304 0506>`.
    static func hexDescription(of data: Data) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = [UInt8(ascii: "<")]
        text.reserveCapacity(data.count * 9 / 4 + 2)
        for (index, byte) in data.enumerated() {
            if index > 0, index % 4 == 0 { text.append(UInt8(ascii: " ")) }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        text.append(UInt8(ascii: ">"))
        return String(decoding: text, as: UTF8.self)
    }
}

/// An optional inside an `Any`.
protocol OptionalParameter {
    var wrappedParameter: Any? { get }
}

extension Optional: OptionalParameter {
    var wrappedParameter: Any? {
        switch self {
        case .none: nil
        case .some(let wrapped): unwrappedParameter(wrapped)
        }
    }
}

/// `value` without the optionals around it; nil when one of them is nil.
func unwrappedParameter(_ value: Any?) -> Any? {
    guard let value else { return nil }
    guard let optional = value as? any OptionalParameter else { return value }
    return optional.wrappedParameter
}
