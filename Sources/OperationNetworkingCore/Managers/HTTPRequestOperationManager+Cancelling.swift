// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

extension HTTPRequestOperationManager {
    /// Cancels every operation in `operationQueue`, also those that are not requests.
    public func cancelAllOperations() {
        operationQueue.cancelAllOperations()
    }

    /// Cancels the requests in `operationQueue` with a method and a path.
    ///
    /// - Parameters:
    ///   - method: compared without regard to case; nil: any.
    ///   - path: resolved like the verbs' URL strings; compared without query and fragment, and
    ///     percent-encoded: `a%2Fb` is not `a/b`; nil: any.
    public func cancelAllHTTPOperations(method: String?, path: String?) {
        let wanted = path.map { path in
            // Without a base URL any host does.
            let url = (try? base.resolve(path)) ?? URL(escaping: path, relativeTo: URL(escaping: "http://localhost/"))
            return url.map(Self.comparedPath) ?? URLEscaping.normalizedPath(path)
        }
        cancelAllOperations { operation -> Bool in
            let request = operation.request
            let hasMethod =
                method.map { $0.caseInsensitiveCompare(request.httpMethod ?? "GET") == .orderedSame } ?? true
            return hasMethod && (wanted == nil || request.url.map(Self.comparedPath) == wanted)
        }
    }

    private static func comparedPath(_ url: URL) -> [UInt8] {
        URLEscaping.normalizedPath(url.absoluteURL.path(percentEncoded: true))
    }

    /// Cancels the requests in `operationQueue` for which a predicate returns true. It is called on the calling thread.
    ///
    /// ```swift
    /// manager.cancelAllOperations(where: {
    ///     $0.request.url?.host == "images.example.com"
    /// })
    /// ```
    public func cancelAllOperations(where predicate: (HTTPRequestOperation) -> Bool) {
        let wanted = operationQueue.operations.compactMap { $0 as? HTTPRequestOperation }.filter(predicate)
        for operation in wanted.reversed() { operation.cancel() }
    }
}
