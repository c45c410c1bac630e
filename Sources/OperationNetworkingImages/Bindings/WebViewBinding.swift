// SPDX-License-Identifier: MIT
internal import Dispatch
public import Foundation
public import FoundationNetworking
public import OperationNetworking

/// Loads documents into a view, which keeps the binding. AF: `UIWebView+AFNetworking`, `WKWebView+AFNetworking`.
///
/// Only the last request counts: another one cancels it, and none of its blocks is called afterwards. A document that
/// is not there, or has an error status, is not shown.
@MainActor
public final class WebViewBinding {
    /// A block that receives the number of bytes that have come, and of those that will. The second is −1 when that is
    /// not known. Called on the main queue.
    public typealias ProgressBlock = @MainActor (_ received: Int64, _ expected: Int64) -> Void
    /// A block that receives the error when there is no document, on the main queue.
    public typealias Failure = @MainActor (any Error) -> Void

    private weak var view: (any WebViewDisplaying)?
    private var active: HTTPRequestOperation?
    /// The manager whose settings and queue the requests get. Its response serializer has no say, since a document is
    /// shown as it comes. AF: `sessionManager`.
    public var manager: HTTPRequestOperationManager

    /// A binding for a view, which is not kept alive.
    ///
    /// - Parameters:
    ///   - view: what shows the documents.
    ///   - manager: what loads them; a new one by default.
    public init(_ view: any WebViewDisplaying, manager: HTTPRequestOperationManager = HTTPRequestOperationManager()) {
        self.view = view
        self.manager = manager
    }

    /// The request that is being loaded. `nil` when nothing is loaded.
    public var activeRequest: URLRequest? { active?.request }

    /// Shows a text as HTML. AF: `loadRequest:progress:success:failure:`.
    ///
    /// - Parameters:
    ///   - request: what to ask for.
    ///   - progress: called when content has come. Nil by default.
    ///   - transform: makes what is shown of what has come, on the main queue. By default that is the same.
    ///   - failure: called when there is no document, but not after ``stopLoading()`` or another request.
    public func load(
        _ request: URLRequest, progress: ProgressBlock? = nil,
        transform: (@MainActor (HTTPURLResponse, String) -> String)? = nil, failure: Failure? = nil
    ) {
        start(
            request, progress,
            document: { operation, response in
                let text = operation.responseString ?? ""
                return Document(
                    data: Data((transform.map { $0(response, text) } ?? text).utf8), mimeType: "text/html",
                    characterEncodingName: "utf-8")
            }, failure)
    }

    /// Shows a document of any kind. AF: `loadRequest:MIMEType:textEncodingName:progress:success:failure:`.
    ///
    /// - Parameters:
    ///   - request: what to ask for.
    ///   - mimeType: the media type in place of the response's; nil: the response's, or `text/plain`.
    ///   - characterEncodingName: the charset in place of the response's; nil: the response's, or `utf-8`.
    ///   - progress: called when content has come. Nil by default.
    ///   - transform: makes what is shown of what has come, on the main queue. By default that is the same.
    ///   - failure: called when there is no document, but not after ``stopLoading()`` or another request.
    public func load(
        _ request: URLRequest, mimeType: String?, characterEncodingName: String?, progress: ProgressBlock? = nil,
        transform: (@MainActor (HTTPURLResponse, Data) -> Data)? = nil, failure: Failure? = nil
    ) {
        start(
            request, progress,
            document: { operation, response in
                let data = operation.responseData ?? Data()
                return Document(
                    data: transform.map { $0(response, data) } ?? data,
                    mimeType: mimeType ?? response.mimeType ?? "text/plain",
                    characterEncodingName: characterEncodingName ?? response.textEncodingName ?? "utf-8")
            }, failure)
    }

    /// Loads no longer. No block is called.
    public func stopLoading() {
        active?.cancel()
        active = nil
    }

    private struct Document {
        let data: Data
        let mimeType: String
        let characterEncodingName: String
    }

    private func start(
        _ request: URLRequest, _ progress: ProgressBlock?,
        document: @escaping @MainActor (HTTPRequestOperation, HTTPURLResponse) -> Document, _ failure: Failure?
    ) {
        stopLoading()
        let operation = manager.httpRequestOperation(with: request)
        operation.responseSerializer = HTTPResponseSerializer()
        operation.completionQueue = .images
        operation.setCompletionBlockWithSuccess(
            { [weak self] operation, _ in
                MainActor.assumeIsolated {
                    guard let self, self.end(operation), let response = operation.response else { return }
                    let document = document(operation, response)
                    self.view?.load(
                        document.data, mimeType: document.mimeType,
                        characterEncodingName: document.characterEncodingName, baseURL: response.url)
                }
            },
            failure: { [weak self] operation, error in
                MainActor.assumeIsolated {
                    if self?.end(operation) == true { failure?(error) }
                }
            })
        if let progress {
            // On the completion queue, and so before the completion.
            operation.setDownloadProgressBlock { [weak self, weak operation] _, total, expected in
                MainActor.assumeIsolated {
                    if let active = self?.active, active === operation { progress(total, expected) }
                }
            }
        }
        active = operation
        manager.enqueue(operation)
    }

    /// Returns true if the operation is the one whose end counts, and forgets it.
    private func end(_ operation: HTTPRequestOperation) -> Bool {
        guard active === operation else { return false }
        active = nil
        return true
    }
}
