// SPDX-License-Identifier: MIT
public import Foundation

/// Returns a JSON object without the entries that are null, in dictionaries and in arrays, at every depth. AF 4:
/// `AFJSONObjectByRemovingKeysWithNullValues`.
///
/// - Parameters:
///   - object: What `JSONSerialization` returned.
///   - readingOptions: With `.mutableContainers` the containers of the result are `NSMutableDictionary` and
///     `NSMutableArray`, as in what was parsed.
public func jsonObject(byRemovingKeysWithNullValuesFrom object: Any, readingOptions: JSONSerialization.ReadingOptions)
    -> Any
{
    let mutable = readingOptions.contains(.mutableContainers)
    if let dictionary = object as? [String: Any] {
        let kept = dictionary.compactMapValues { value in
            value is NSNull
                ? nil : jsonObject(byRemovingKeysWithNullValuesFrom: value, readingOptions: readingOptions)
        }
        return mutable ? NSMutableDictionary(dictionary: kept) : kept
    }
    if let array = object as? [Any] {
        let kept = array.compactMap { value in
            value is NSNull
                ? nil : jsonObject(byRemovingKeysWithNullValuesFrom: value, readingOptions: readingOptions)
        }
        return mutable ? NSMutableArray(array: kept) : kept
    }
    return object
}
