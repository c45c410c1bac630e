// SPDX-License-Identifier: MIT
internal import Foundation

/// A class of response serializers that is the library's: its instances need no object of Foundation's, and wait for
/// nothing. Those of a user's subclass may do anything.
package protocol OwnResponseSerializer: HTTPResponseSerializer {
    /// The class that conforms, also where a subclass is asked.
    static var ownClass: HTTPResponseSerializer.Type { get }
    /// True if no code of a user's is called, such as a serializer among its members.
    var callsNobodyElse: Bool { get }

    /// Returns the object that `responseObject(for:data:)` gives.
    func object(of response: SerializedResponse, data: Data?) throws -> Any?
}

extension OwnResponseSerializer {
    package var callsNobodyElse: Bool { true }
}

extension HTTPResponseSerializer {
    /// True if the serializer is of one of the library's classes.
    private var isLibrarys: Bool { type(of: self) == HTTPResponseSerializer.self || own != nil }

    /// True if all that it does is the library's, and so waits for nothing.
    package final var waitsForNobody: Bool {
        type(of: self) == HTTPResponseSerializer.self || own?.callsNobodyElse == true
    }

    private var own: (any OwnResponseSerializer)? {
        guard let own = self as? any OwnResponseSerializer, type(of: own).ownClass == type(of: self) else { return nil }
        return own
    }

    /// Returns the object of a response, and makes Foundation's response only if it is needed.
    ///
    /// - Throws: as `responseObject(for:data:)`.
    package final func parsed(_ response: SerializedResponse, data: Data?) throws -> Any? {
        if type(of: self) == HTTPResponseSerializer.self { return try handedOut(response, data: data) }
        guard let own else { return try responseObject(for: response.urlResponse, data: data) }
        return try own.object(of: response, data: data)
    }

    /// Checks status code and content type, as an override of `validate(_:data:)` wants it if there is one.
    ///
    /// - Throws: as `validate(_:data:)`.
    package final func check(_ response: SerializedResponse, data: Data?) throws {
        guard isLibrarys else { return try validate(response.urlResponse, data: data) }
        if let refusal = currentConfiguration.refusal(of: response, data: data) { throw refusal }
    }

    /// The content as it came, checked.
    final func handedOut(_ response: SerializedResponse, data: Data?) throws -> Any? {
        do {
            try check(response, data: data)
        } catch let error as ResponseSerializationError {
            throw error.carrying(data)
        }
        return data
    }
}
