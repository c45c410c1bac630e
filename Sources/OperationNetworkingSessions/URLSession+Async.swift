// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking
internal import NetworkingSupport
internal import OperationNetworkingCore

// The functions that Foundation has for Swift tasks. Foundation's let a Swift task go on from the session's queue,
// which the cancellation of that task waits for while the task is locked: where both come at once, neither goes on, nor
// does any other task of the session. They cannot be overridden. These are others of the same names, which Swift
// prefers wherever the library is imported: for the library's sessions they are the library's own, for sessions of
// Foundation's that load by the library they go by a completion handler, and for others they are Foundation's. With a
// delegate of the call, Foundation's are called where the session is known as a `URLSession` only: see
// `SessionURLProtocol`.
//
// Cancelling the Swift task cancels the session's, soon.

extension URLSession {
    // MARK: Content in memory

    /// Loads a request into memory.
    ///
    /// The session's delegate is asked about redirects and challenges, and receives the metrics, on the delegate queue.
    ///
    /// - Throws: the transfer's error, a `URLError` most often. A response of any status is a result.
    public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        try await content(
            of: { $0.makeDataTask(request, .call($1)) }, handling: { dataTask(with: request, completionHandler: $0) },
            otherwise: { try await data(for: request, delegate: Self.noDelegate) })
    }

    /// Loads a URL into memory.
    ///
    /// The session's delegate is asked about redirects and challenges, and receives the metrics, on the delegate queue.
    ///
    /// - Throws: the transfer's error, a `URLError` most often. A response of any status is a result.
    public func data(from url: URL) async throws -> (Data, URLResponse) {
        try await content(
            of: { $0.makeDataTask(URLRequest(url: url), .call($1)) },
            handling: { dataTask(with: url, completionHandler: $0) },
            otherwise: { try await data(from: url, delegate: Self.noDelegate) })
    }

    // MARK: Uploads

    /// Sends data as the content of a request, and loads the response into memory.
    ///
    /// The session's delegate is asked about redirects and challenges, and receives the metrics, on the delegate queue.
    ///
    /// - Throws: the transfer's error, a `URLError` most often. A response of any status is a result.
    public func upload(for request: URLRequest, from bodyData: Data) async throws -> (Data, URLResponse) {
        try await content(
            of: { $0.makeUploadTask(request, .data(bodyData), .call($1)) },
            handling: { uploadTask(with: request, from: bodyData, completionHandler: $0) },
            otherwise: { try await upload(for: request, from: bodyData, delegate: Self.noDelegate) })
    }

    /// Sends a file as the content of a request, and loads the response into memory.
    ///
    /// The session's delegate is asked about redirects and challenges, and receives the metrics, on the delegate queue.
    ///
    /// - Throws: the transfer's error, a `URLError` most often. A response of any status is a result.
    public func upload(for request: URLRequest, fromFile fileURL: URL) async throws -> (Data, URLResponse) {
        try await content(
            of: { $0.makeUploadTask(request, .file(fileURL), .call($1)) },
            handling: { uploadTask(with: request, fromFile: fileURL, completionHandler: $0) },
            otherwise: { try await upload(for: request, fromFile: fileURL, delegate: Self.noDelegate) })
    }

    // MARK: Downloads

    /// Downloads to a temporary file, which the caller has to move or remove.
    ///
    /// The session's delegate is asked about redirects and challenges, and receives the metrics, on the delegate queue.
    ///
    /// - Throws: the transfer's error, a `URLError` most often. A response of any status is a result.
    public func download(for request: URLRequest) async throws -> (URL, URLResponse) {
        try await file(
            of: { $0.makeDownloadTask(request, .call($1)) },
            handling: { downloadTask(with: request, completionHandler: $0) },
            otherwise: { try await download(for: request, delegate: Self.noDelegate) })
    }

    /// Downloads to a temporary file, which the caller has to move or remove.
    ///
    /// The session's delegate is asked about redirects and challenges, and receives the metrics, on the delegate queue.
    ///
    /// - Throws: the transfer's error, a `URLError` most often. A response of any status is a result.
    public func download(from url: URL) async throws -> (URL, URLResponse) {
        try await file(
            of: { $0.makeDownloadTask(URLRequest(url: url), .call($1)) },
            handling: { downloadTask(with: url, completionHandler: $0) },
            otherwise: { try await download(from: url, delegate: Self.noDelegate) })
    }

    // MARK: Who loads

    private static var noDelegate: (any URLSessionTaskDelegate)? { nil }

    /// True if this is a session of Foundation's that loads by one of the library's.
    private var standsIn: Bool {
        configuration.protocolClasses?.contains { $0 is SessionURLProtocol.Type } ?? false
    }

    private func content(
        of own: (OperationURLSession, SessionCall) -> URLSessionTask,
        handling standIn: (@escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void) -> URLSessionTask,
        otherwise foundation: () async throws -> (Data, URLResponse)
    ) async throws -> (Data, URLResponse) {
        if let session = self as? OperationURLSession { return try await session.content(of: own, nil) }
        guard standsIn else { return try await foundation() }
        return try await TaskRun<(Data, URLResponse)>().value { finish in
            standIn { data, response, error in finish(Self.result(data ?? Data(), response, error)) }
        }
    }

    private func file(
        of own: (OperationURLSession, SessionCall) -> URLSessionTask,
        handling standIn: (@escaping @Sendable (URL?, URLResponse?, (any Error)?) -> Void) -> URLSessionTask,
        otherwise foundation: () async throws -> (URL, URLResponse)
    ) async throws -> (URL, URLResponse) {
        if let session = self as? OperationURLSession { return try await session.file(of: own, nil) }
        guard standsIn else { return try await foundation() }
        return try await TaskRun<(URL, URLResponse)>().value { finish in
            standIn { location, response, error in finish(Self.result(location, response, error)) }
        }
    }

    private static func result<Content>(
        _ content: Content?, _ response: URLResponse?, _ error: (any Error)?
    ) -> Result<(Content, URLResponse), any Error> {
        if let error { return .failure(error) }
        guard let content, let response else {
            return .failure(URLError(.badServerResponse, url: nil, reason: "no response came"))
        }
        return .success((content, response))
    }
}
