// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking

extension HTTPResponseSerializer {
    /// Validates, parses and puts both outcomes together, for every serializer that parses.
    ///
    /// A refused content type ends it; a refused status does not, so that the error carries what the body says.
    ///
    /// - Parameters:
    ///   - isEmpty: Whether a body counts as no content: then the object is `nil` and nothing is parsed. An empty body
    ///     of a status that has none counts in any case.
    ///   - parse: Makes the object; what it throws becomes the cause of a `cannotParseResponse`.
    /// - Throws: ``ResponseSerializationError``, or what a subclass's `validate(_:data:)` throws.
    package final func parsedObject(
        of response: SerializedResponse, data: Data?, isEmpty: (Data) -> Bool, parse: (Data) throws -> Any
    ) throws -> Any? {
        var refusal: ResponseSerializationError?
        do {
            try check(response, data: data)
        } catch let error as ResponseSerializationError where !error.concernsContentType {
            refusal = error
        }

        var object: Any?
        if let data, !isEmpty(data), !(data.isEmpty && response.hasNoContent) {
            do {
                object = try parse(data)
            } catch {
                let unparsable = ResponseSerializationError(
                    code: .cannotParseResponse,
                    message: "Request failed: the body could not be parsed: \(error.parsersReason)",
                    response: response.urlResponse, data: data, underlyingError: error)
                throw refusal?.over(unparsable) ?? unparsable
            }
        }
        if let refusal { throw refusal.carrying(object) }
        return object
    }
}

extension Error {
    /// The message of a parser, without the boilerplate around it. For a `DecodingError` also the place, such as
    /// `at items.3.name`.
    var parsersReason: String {
        switch self as? DecodingError {
        case .dataCorrupted(let context), .keyNotFound(_, let context), .typeMismatch(_, let context),
            .valueNotFound(_, let context):
            let path = context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
            let place = path.isEmpty ? "at the top level" : "at \(path)"
            return "\(context.debugDescription) (\(place))"
        default:
            let error = self as NSError
            return error.userInfo[NSDebugDescriptionErrorKey] as? String ?? error.localizedDescription
        }
    }
}

extension CocoaError {
    /// The code Foundation's JSON and property list parsers use, 3840, with a reason.
    package static func unreadable(_ reason: String) -> CocoaError {
        CocoaError(.propertyListReadCorrupt, userInfo: [NSDebugDescriptionErrorKey: reason])
    }
}
