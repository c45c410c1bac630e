// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking

extension URLResponseSerialization {
    /// `responseObject(for:data:)`, as Swift 2 has it.
    ///
    /// - Throws: as `responseObject(for:data:)`.
    public func responseObjectForResponse(_ response: URLResponse?, data: Data?) throws -> AnyObject? {
        try responseObject(for: response, data: data).map { $0 as AnyObject }
    }

    /// `responseObject(for:data:)`, as Swift 1 has it.
    ///
    /// `error` is where the error is put; nil: it is lost.
    /// Returns the object. If only the status was refused, it returns the object and sets the error.
    @discardableResult
    public func responseObjectForResponse(
        _ response: URLResponse?, data: Data?, error: NSErrorPointer
    ) -> AnyObject? {
        responseObject(for: response, data: data, error: error).map { $0 as AnyObject }
    }

    /// `responseObject(for:data:)`, as Swift 3 and later have it.
    ///
    /// `error` is where the error is put; nil: it is lost.
    /// Returns the object. If only the status was refused, it returns the object and sets the error.
    @discardableResult
    public func responseObject(for response: URLResponse?, data: Data?, error: NSErrorPointer) -> Any? {
        do {
            return try responseObject(for: response, data: data)
        } catch let thrown {
            error?.pointee = thrown as NSError
            return (thrown as? ResponseSerializationError)?.responseObject
        }
    }
}

extension HTTPResponseSerializer {
    /// `validate(_:data:)`, as Swift 2 has it.
    ///
    /// - Throws: as `validate(_:data:)`.
    public func validateResponse(_ response: HTTPURLResponse?, data: Data?) throws {
        try validate(response, data: data)
    }

    /// `validate(_:data:)`, as Swift 1 has it.
    ///
    /// `error` is where the error is put; nil: it is lost.
    /// - Returns: whether the response is acceptable.
    @discardableResult
    public func validateResponse(_ response: HTTPURLResponse?, data: Data?, error: NSErrorPointer) -> Bool {
        Forward.result(error) { try validate(response, data: data) } != nil
    }
}
