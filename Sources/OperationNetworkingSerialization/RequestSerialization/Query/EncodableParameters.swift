// SPDX-License-Identifier: MIT
internal import Foundation

/// Parameters given as an `Encodable` value of the caller's own.
enum EncodableParameters {
    /// `parameters` when it is to be encoded: not a container, scalar or null that serializers know.
    static func value(of parameters: Any) -> (any Encodable)? {
        // The dynamic type is asked, not `is`: that would bridge a whole tree to find out whether it can be an object.
        if type(of: parameters) is NSObject.Type { return nil }
        switch parameters {
        case is String, is [AnyHashable: Any], is [Any], is Set<AnyHashable>, is NSNumber, is Data, is Date, is URL,
            is UUID:
            return nil
        default:
            return parameters as? any Encodable
        }
    }

    /// The dictionaries, arrays and scalars that `value` encodes to.
    static func tree(of value: any Encodable, encoder: JSONEncoder) throws -> Any {
        try JSONSerialization.jsonObject(with: encoder.encode(value), options: .fragmentsAllowed)
    }
}
