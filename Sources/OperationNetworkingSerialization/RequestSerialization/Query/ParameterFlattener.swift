// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc

/// Turns a tree of parameters into fields, in the order AFNetworking's query pairs have.
///
/// The tree is walked with an explicit stack, so that a deep one cannot exhaust a thread's.
struct ParameterFlattener {
    enum Value {
        case text(String)
        case data(Data)
        /// The elements of an array that is written as one field.
        case list([String])
    }

    let arrayEncoding: HTTPRequestSerializer.ArrayEncoding
    let boolEncoding: HTTPRequestSerializer.BoolEncoding
    /// Makes the plain tree of a value that is not of a known type.
    let encode: (any Encodable) throws -> Any

    /// Calls `body` with each field: its unescaped key (nil: a value without a name), and its value (nil: null).
    func forEachField(of parameters: Any, _ body: (_ key: String?, _ value: Value?) throws -> Void) throws {
        var pending: [(key: String?, value: Any)] = [(nil, parameters)]
        while let (key, value) = pending.popLast() {
            switch try node(of: value) {
            case .null:
                if key != nil { try body(key, nil) }
            case .text(let text):
                try body(key, .text(text))
            case .data(let data):
                try body(key, .data(data))
            case .encoded(let tree):
                pending.append((key, tree))
            case .dictionary(let dictionary):
                for name in dictionary.keys.sorted(by: TextOrder.precedes).reversed() {
                    pending.append((childKey(key, name), dictionary[name] ?? NSNull()))
                }
            case .otherDictionary(let entries):
                for (name, child) in entries.reversed() { pending.append((childKey(key, name), child)) }
            case .set(let elements):
                for element in elements.reversed() { pending.append((key, element)) }
            case .array(let elements):
                if arrayEncoding == .comma, key != nil, let texts = try list(of: elements) {
                    if !texts.isEmpty { try body(key, .list(texts)) }
                    continue
                }
                for (index, element) in elements.enumerated().reversed() {
                    pending.append((key.map { elementKey($0, index) }, element))
                }
            }
        }
    }

    private func childKey(_ key: String?, _ name: String) -> String {
        guard let key else { return name }
        return "\(key)[\(name)]"
    }

    private func elementKey(_ key: String, _ index: Int) -> String {
        switch arrayEncoding {
        case .brackets: "\(key)[]"
        case .repeatedKey: key
        case .indexed, .comma: "\(key)[\(index)]"
        }
    }

    /// The texts of an array of scalars; nil when an element is a container.
    private func list(of elements: [Any]) throws -> [String]? {
        var texts: [String] = []
        for element in elements {
            var element = element
            while case .encoded(let tree) = try node(of: element) { element = tree }
            switch try node(of: element) {
            case .null: texts.append("")
            case .text(let text): texts.append(text)
            case .data(let data): texts.append(ParameterText.hexDescription(of: data))
            case .dictionary, .otherDictionary, .array, .set, .encoded: return nil
            }
        }
        return texts
    }

    private enum Node {
        case null
        case text(String)
        case data(Data)
        case dictionary([String: Any])
        /// A dictionary with keys that are not all strings: the text of each key, in order.
        case otherDictionary([(name: String, value: Any)])
        case array([Any])
        case set([Any])
        case encoded(Any)
    }

    private func node(of value: Any) throws -> Node {
        // The usual types by identity, which costs less than the casts that fail before theirs.
        let type = type(of: value)
        if type == String.self, let text = value as? String { return .text(text) }
        if type == [String: Any].self, let dictionary = value as? [String: Any] { return .dictionary(dictionary) }
        if type == [Any].self, let array = value as? [Any] { return .array(array) }
        if let text = scalars.text(of: value) { return .text(text) }
        switch value {
        case let dictionary as [String: Any]:
            return .dictionary(dictionary)
        case let dictionary as [AnyHashable: Any]:
            return .otherDictionary(
                dictionary.map { (name(of: $0.key), $0.value) }.sorted { TextOrder.precedes($0.name, $1.name) })
        case let array as [Any]:
            return .array(array)
        case let set as Set<AnyHashable>:
            return .set(sorted(set.map(\.base)))
        case let set as NSOrderedSet:
            return .array(set.array)
        case let data as Data:
            return .data(data)
        case is NSNull:
            return .null
        default:
            break
        }
        guard let value = unwrappedParameter(value) else { return .null }
        if let text = scalars.text(of: value) { return .text(text) }
        if isContainer(value) { return .encoded(value) }
        if let url = value as? NSURL { return .text(url.absoluteString) }
        if let value = value as? any Encodable { return .encoded(try encode(value)) }
        return .text(String(describing: value))
    }

    private var scalars: ParameterText { ParameterText(boolEncoding: boolEncoding) }

    private func isContainer(_ value: Any) -> Bool {
        value is [AnyHashable: Any] || value is [Any] || value is Set<AnyHashable> || value is NSOrderedSet
            || value is Data
    }

    private func name(of key: AnyHashable) -> String {
        scalars.text(of: key.base) ?? String(describing: key.base)
    }

    private func sorted(_ elements: [Any]) -> [Any] {
        elements.map { (text: scalars.text(of: $0) ?? String(describing: $0), element: $0) }
            .sorted { TextOrder.precedes($0.text, $1.text) }
            .map(\.element)
    }
}

/// The order of Unicode scalars, which does not depend on a locale; it is that of the bytes of UTF-8.
package enum TextOrder {
    package static func precedes(_ left: String, _ right: String) -> Bool {
        let order = left.utf8.withContiguousStorageIfAvailable { left in
            right.utf8.withContiguousStorageIfAvailable { right in
                guard let leftBase = left.baseAddress, let rightBase = right.baseAddress else {
                    return left.count < right.count
                }
                let order = memcmp(leftBase, rightBase, min(left.count, right.count))
                return order == 0 ? left.count < right.count : order < 0
            }
        }
        return (order ?? nil) ?? left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}
