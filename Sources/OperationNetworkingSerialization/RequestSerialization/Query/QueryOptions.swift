// SPDX-License-Identifier: MIT
extension HTTPRequestSerializer {
    /// The form of an array in a query string, a form body, or the names of a multipart form's parameters.
    public enum ArrayEncoding: String, Codable, Hashable, Sendable, CaseIterable {
        /// `key[]=a&key[]=b`, what AFNetworking writes.
        case brackets
        /// `key[0]=a&key[1]=b`.
        case indexed
        /// `key=a&key=b`.
        case repeatedKey
        /// `key=a,b`. An array that holds arrays, sets or dictionaries cannot be written so and is written as with
        /// `indexed`.
        case comma
    }

    /// The form of a Boolean in a query string, a form body, or a multipart form's parameter.
    public enum BoolEncoding: String, Codable, Hashable, Sendable, CaseIterable {
        /// `1` and `0`, what AFNetworking writes.
        case numeric
        /// `true` and `false`.
        case literal
    }
}
