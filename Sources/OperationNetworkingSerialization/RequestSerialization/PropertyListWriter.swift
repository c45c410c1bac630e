// SPDX-License-Identifier: MIT
internal import Foundation

/// Writes property lists by `PropertyListSerialization`, which traps or writes nonsense where this says what is wrong.
struct PropertyListWriter {
    static let nestingLimit = 512

    let format: PropertyListSerialization.PropertyListFormat
    let writeOptions: PropertyListSerialization.WriteOptions

    func write(_ value: Any) throws -> Data {
        guard format != .openStep else {
            throw ParameterError(path: "", problem: "the format `openStep` cannot be written; use `xml` or `binary`")
        }
        if let value = EncodableParameters.value(of: value) {
            let encoder = PropertyListEncoder()
            encoder.outputFormat = format
            return try encoder.encode(value)
        }
        let list = try normalized(value, path: "", depth: 0)
        return try PropertyListSerialization.data(fromPropertyList: list, format: format, options: writeOptions)
    }

    /// `value` with what is `Encodable` and not Foundation's replaced by what it encodes to.
    private func normalized(_ value: Any, path: String, depth: Int) throws -> Any {
        guard depth <= Self.nestingLimit else {
            throw ParameterError(path: "", problem: "containers are nested deeper than \(Self.nestingLimit) levels")
        }
        switch value {
        case let string as String:
            try check(string, path)
            return string
        case let dictionary as [String: Any]:
            var result: [String: Any] = [:]
            for (key, value) in dictionary {
                try check(key, path)
                result[key] = try normalized(value, path: "\(path).\(key)", depth: depth + 1)
            }
            return result
        case let array as [Any]:
            return try array.enumerated().map {
                try normalized($1, path: "\(path)[\($0)]", depth: depth + 1)
            }
        case is [AnyHashable: Any]:
            throw ParameterError(path: path, problem: "a dictionary's keys must be strings")
        case is NSNull:
            throw ParameterError(path: path, problem: "null has no form in a property list")
        case is Date, is Data, is NSNumber:
            return value
        default:
            break
        }
        if let optional = value as? any OptionalParameter {
            return try normalized(optional.wrappedParameter ?? NSNull(), path: path, depth: depth + 1)
        }
        guard let encodable = EncodableParameters.value(of: value) else {
            throw ParameterError(path: path, problem: "a \(type(of: value)) has no form in a property list")
        }
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        let data = try encoder.encode([Element(value: encodable)])
        let list = try PropertyListSerialization.propertyList(from: data, options: [], format: nil)
        return (list as? [Any])?.first ?? NSNull()
    }

    /// Lets a value be encoded inside an array: an encoder takes no scalar at top level.
    private struct Element: Encodable {
        let value: any Encodable

        func encode(to encoder: any Encoder) throws {
            try value.encode(to: encoder)
        }
    }

    /// XML has no form for most control characters; Foundation would write them all the same.
    private func check(_ string: String, _ path: String) throws {
        guard format == .xml else { return }
        let isForbidden = string.unicodeScalars.contains {
            switch $0.value {
            case 0x09, 0x0A, 0x0D: false
            case 0..<0x20, 0xFFFE, 0xFFFF: true
            default: false
            }
        }
        guard !isForbidden else {
            throw ParameterError(
                path: path, problem: "XML cannot contain the control characters of this text; use `binary`")
        }
    }
}
