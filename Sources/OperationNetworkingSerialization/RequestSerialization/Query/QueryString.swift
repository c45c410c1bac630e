// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

/// Returns `parameters` as a query string, with the default options of `HTTPRequestSerializer`. AF:
/// `AFQueryStringFromParameters`.
///
/// - A dictionary gives `key=value` pairs joined by `&`, its keys in ascending order of their text; a nested
///   dictionary's keys are `parent[child]`, an array's `parent[]`, a set's `parent` (elements in ascending order).
///   Text is ordered by its Unicode scalars, which does not depend on the locale.
/// - Booleans are `1` and `0`, whole floating-point numbers have no fraction, `NSNull` and nil give the key alone,
///   empty containers give nothing.
/// - Names and values are escaped by `percentEscapedString(from:)`.
/// - At top level there is no key: an array or set gives the pairs of its elements one after the other, a `String` is
///   taken for a finished query string and returned unchanged, another value gives its escaped text.
/// - An `Encodable` value is encoded by a `JSONEncoder` first; one that fails to encode gives its description.
public func queryString(from parameters: Any) -> String {
    queryString(from: parameters, arrayEncoding: .brackets, boolEncoding: .numeric)
}

/// `parameters` as a query string, as `queryString(from:)` writes it, with the given forms of arrays and Booleans.
public func queryString(
    from parameters: Any, arrayEncoding: HTTPRequestSerializer.ArrayEncoding,
    boolEncoding: HTTPRequestSerializer.BoolEncoding
) -> String {
    let flattener = ParameterFlattener(
        arrayEncoding: arrayEncoding, boolEncoding: boolEncoding,
        encode: { (try? EncodableParameters.tree(of: $0, encoder: JSONEncoder())) ?? String(describing: $0) })
    // `encode` does not throw, so neither does the flattener.
    return (try? QueryString.string(from: parameters, flattener: flattener)) ?? ""
}

enum QueryString {
    /// The query string of `parameters`; throws what `flattener.encode` throws.
    static func string(from parameters: Any, flattener: ParameterFlattener) throws -> String {
        if let text = parameters as? String { return text }
        var output: [UInt8] = []
        var isFirst = true
        try flattener.forEachField(of: parameters) { key, value in
            if !isFirst { output.append(UInt8(ascii: "&")) }
            isFirst = false
            if let key { PercentEscaping.append(key, to: &output) }
            guard let value else { return }
            if key != nil { output.append(UInt8(ascii: "=")) }
            switch value {
            case .text(let text):
                PercentEscaping.append(text, to: &output)
            case .data(let data):
                PercentEscaping.append(ParameterText.hexDescription(of: data), to: &output)
            case .list(let texts):
                for (index, text) in texts.enumerated() {
                    if index > 0 { output.append(UInt8(ascii: ",")) }
                    PercentEscaping.append(text, to: &output)
                }
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// `url` with `query` added at the end of its query, before its fragment; nil when the result is no URL.
    static func url(_ url: URL, appending query: String) -> URL? {
        guard !query.isEmpty else { return url }
        let text = url.absoluteString
        let fragmentStart = text.utf8.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex
        let base = text[..<fragmentStart]
        let separator: String
        if let mark = base.utf8.firstIndex(of: UInt8(ascii: "?")) {
            // Behind the first one "?" is a character of the query like others.
            let isOpen = base.utf8.index(after: mark) == base.endIndex || base.utf8.last == UInt8(ascii: "&")
            separator = isOpen ? "" : "&"
        } else {
            separator = "?"
        }
        var escaped: [UInt8] = []
        // A query-string block's, or a parameter's, which may be escaped in part.
        URLEscaping.append(query.utf8, .query, to: &escaped)
        return URL(escaping: "\(base)\(separator)\(String(decoding: escaped, as: UTF8.self))\(text[fragmentStart...])")
    }
}
