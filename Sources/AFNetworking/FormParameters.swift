// SPDX-License-Identifier: MIT
internal import Foundation

/// The parameters of a form as AFNetworking accepts them, converted for `OperationNetworking`.
struct FormParameters {
    /// Text keys and their values.
    let dictionary: [String: Any]?
    /// Appends the parts; throws when the parameters are no dictionary.
    let append: (any MultipartFormData) throws -> Void

    init(_ parameters: Any?, _ block: ((any MultipartFormData) throws -> Void)?) {
        switch parameters {
        case nil, is NSNull:
            dictionary = nil
        case let parameters as [String: Any]:
            dictionary = parameters
        case let parameters as [AnyHashable: Any]:
            let pairs = parameters.map { (String(describing: $0.key.base), $0.value) }
            dictionary = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        default:
            dictionary = nil
            append = { _ in
                throw RequestSerializationError(
                    code: .invalidParameters, reason: "The parameters of a multipart form have to be a dictionary.",
                    detail: parameters.map { "They are a \(type(of: $0))." })
            }
            return
        }
        append = { try block?($0) }
    }
}
