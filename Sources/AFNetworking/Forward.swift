// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking

/// Blocks, errors and requests of the old kind as those of `OperationNetworking`.
enum Forward {
    typealias Success = @Sendable (HTTPRequestOperation, Any?) -> Void

    /// A success block and the first argument that it receives: an operation, or a task.
    static func success<Request>(
        _ block: (@Sendable (Request, AnyObject?) -> Void)?
    ) -> (@Sendable (Request, Any?) -> Void)? {
        guard let block else { return nil }
        return { block($0, $1.map { $0 as AnyObject }) }
    }

    static func success<Request>(
        _ block: (@Sendable (Request, AnyObject) -> Void)?
    ) -> (@Sendable (Request, Any?) -> Void)? {
        guard let block else { return nil }
        return { block($0, ($1 ?? NSNull()) as AnyObject) }
    }

    /// The completion handler of a data or upload task.
    static func completion(
        _ handler: (@Sendable (URLResponse, AnyObject?, NSError?) -> Void)?
    ) -> (@Sendable (URLResponse, Any?, (any Error)?) -> Void)? {
        guard let handler else { return nil }
        return { handler($0, $1.map { $0 as AnyObject }, $2.map { $0 as NSError }) }
    }

    /// The completion handler of a download task.
    static func completion(
        _ handler: (@Sendable (URLResponse, URL?, NSError?) -> Void)?
    ) -> (@Sendable (URLResponse, URL?, (any Error)?) -> Void)? {
        guard let handler else { return nil }
        return { handler($0, $1, $2.map { $0 as NSError }) }
    }

    static func failure<Operation>(
        _ block: (@Sendable (Operation, NSError) -> Void)?
    ) -> (@Sendable (Operation, any Error) -> Void)? {
        guard let block else { return nil }
        return { block($0, $1 as NSError) }
    }

    /// Runs what may throw, and puts the error where AFNetworking put it.
    static func result<Value>(_ error: NSErrorPointer, _ body: () throws -> Value) -> Value? {
        do {
            return try body()
        } catch let thrown {
            error?.pointee = thrown as NSError
            return nil
        }
    }

    /// A URL of no protocol: a request for it fails when it is sent.
    static let nowhere = URL(escaping: "unserialized-request:") ?? URL(fileURLWithPath: "/")

    static var unsendable: URLRequest { URLRequest(url: nowhere) }

    /// A request of Objective-C's; one without a URL, which Foundation on Linux would stop the process for, cannot be
    /// sent.
    static func request(_ request: NSURLRequest) -> URLRequest {
        request.url == nil ? unsendable : request as URLRequest
    }
}
