// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking
internal import OperationNetworkingCore

// With a delegate of the call; the other forms are those of `URLSession`. Where the session is known as a `URLSession`
// only, or the delegate is an optional of the protocol's type, Foundation's are called: see `SessionURLProtocol`.

extension OperationURLSession {
    /// Loads a request into memory.
    ///
    /// The delegate is called in place of the session's, on the delegate queue.
    ///
    /// - Throws: the transfer's error, a `URLError` most often. A response of any status is a result.
    public func data(
        for request: URLRequest, delegate: any URLSessionTaskDelegate
    ) async throws -> (Data, URLResponse) {
        try await content(of: { $0.makeDataTask(request, .call($1)) }, delegate)
    }

    /// Loads a request into memory.
    ///
    /// The delegate is called in place of the session's, on the delegate queue; for `nil` the session's is called.
    ///
    /// - Throws: the transfer's error, a `URLError` most often. A response of any status is a result.
    public func data<Delegate: URLSessionTaskDelegate>(
        for request: URLRequest, delegate: Delegate?
    ) async throws -> (Data, URLResponse) {
        try await content(of: { $0.makeDataTask(request, .call($1)) }, delegate)
    }

    /// Loads a URL into memory.
    ///
    /// The delegate is called in place of the session's, on the delegate queue.
    ///
    /// - Throws: the transfer's error, a `URLError` most often. A response of any status is a result.
    public func data(
        from url: URL, delegate: any URLSessionTaskDelegate
    ) async throws -> (Data, URLResponse) {
        try await content(of: { $0.makeDataTask(URLRequest(url: url), .call($1)) }, delegate)
    }

    /// Loads a URL into memory.
    ///
    /// The delegate is called in place of the session's, on the delegate queue; for `nil` the session's is called.
    ///
    /// - Throws: the transfer's error, a `URLError` most often. A response of any status is a result.
    public func data<Delegate: URLSessionTaskDelegate>(
        from url: URL, delegate: Delegate?
    ) async throws -> (Data, URLResponse) {
        try await content(of: { $0.makeDataTask(URLRequest(url: url), .call($1)) }, delegate)
    }

    /// Sends data as the content of a request, and loads the response into memory.
    ///
    /// The delegate is called in place of the session's, on the delegate queue.
    ///
    /// - Throws: the transfer's error, a `URLError` most often. A response of any status is a result.
    public func upload(
        for request: URLRequest, from bodyData: Data, delegate: any URLSessionTaskDelegate
    ) async throws -> (Data, URLResponse) {
        try await content(of: { $0.makeUploadTask(request, .data(bodyData), .call($1)) }, delegate)
    }

    /// Sends data as the content of a request, and loads the response into memory.
    ///
    /// The delegate is called in place of the session's, on the delegate queue; for `nil` the session's is called.
    ///
    /// - Throws: the transfer's error, a `URLError` most often. A response of any status is a result.
    public func upload<Delegate: URLSessionTaskDelegate>(
        for request: URLRequest, from bodyData: Data, delegate: Delegate?
    ) async throws -> (Data, URLResponse) {
        try await content(of: { $0.makeUploadTask(request, .data(bodyData), .call($1)) }, delegate)
    }

    /// Sends a file as the content of a request, and loads the response into memory.
    ///
    /// The delegate is called in place of the session's, on the delegate queue.
    ///
    /// - Throws: the transfer's error, a `URLError` most often. A response of any status is a result.
    public func upload(
        for request: URLRequest, fromFile fileURL: URL, delegate: any URLSessionTaskDelegate
    ) async throws -> (Data, URLResponse) {
        try await content(of: { $0.makeUploadTask(request, .file(fileURL), .call($1)) }, delegate)
    }

    /// Sends a file as the content of a request, and loads the response into memory.
    ///
    /// The delegate is called in place of the session's, on the delegate queue; for `nil` the session's is called.
    ///
    /// - Throws: the transfer's error, a `URLError` most often. A response of any status is a result.
    public func upload<Delegate: URLSessionTaskDelegate>(
        for request: URLRequest, fromFile fileURL: URL, delegate: Delegate?
    ) async throws -> (Data, URLResponse) {
        try await content(of: { $0.makeUploadTask(request, .file(fileURL), .call($1)) }, delegate)
    }

    /// Downloads to a temporary file, which the caller has to move or remove.
    ///
    /// The delegate is called in place of the session's, on the delegate queue.
    ///
    /// - Throws: the transfer's error, a `URLError` most often. A response of any status is a result.
    public func download(
        for request: URLRequest, delegate: any URLSessionTaskDelegate
    ) async throws -> (URL, URLResponse) {
        try await file(of: { $0.makeDownloadTask(request, .call($1)) }, delegate)
    }

    /// Downloads to a temporary file, which the caller has to move or remove.
    ///
    /// The delegate is called in place of the session's, on the delegate queue; for `nil` the session's is called.
    ///
    /// - Throws: the transfer's error, a `URLError` most often. A response of any status is a result.
    public func download<Delegate: URLSessionTaskDelegate>(
        for request: URLRequest, delegate: Delegate?
    ) async throws -> (URL, URLResponse) {
        try await file(of: { $0.makeDownloadTask(request, .call($1)) }, delegate)
    }

    /// Downloads to a temporary file, which the caller has to move or remove.
    ///
    /// The delegate is called in place of the session's, on the delegate queue.
    ///
    /// - Throws: the transfer's error, a `URLError` most often. A response of any status is a result.
    public func download(
        from url: URL, delegate: any URLSessionTaskDelegate
    ) async throws -> (URL, URLResponse) {
        try await file(of: { $0.makeDownloadTask(URLRequest(url: url), .call($1)) }, delegate)
    }

    /// Downloads to a temporary file, which the caller has to move or remove.
    ///
    /// The delegate is called in place of the session's, on the delegate queue; for `nil` the session's is called.
    ///
    /// - Throws: the transfer's error, a `URLError` most often. A response of any status is a result.
    public func download<Delegate: URLSessionTaskDelegate>(
        from url: URL, delegate: Delegate?
    ) async throws -> (URL, URLResponse) {
        try await file(of: { $0.makeDownloadTask(URLRequest(url: url), .call($1)) }, delegate)
    }

    // MARK: What waits

    func content(
        of make: (OperationURLSession, SessionCall) -> URLSessionTask, _ delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (Data, URLResponse) {
        let (result, _) = try await result(of: make, delegate)
        return (result.data ?? Data(), try response(of: result))
    }

    func file(
        of make: (OperationURLSession, SessionCall) -> URLSessionTask, _ delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (URL, URLResponse) {
        let (result, file) = try await result(of: make, delegate)
        guard let file else {
            throw URLError(.cannotMoveFile, url: result.response?.url, reason: "the file could not be kept")
        }
        return (file, try response(of: result))
    }

    private func result(
        of make: (OperationURLSession, SessionCall) -> URLSessionTask, _ delegate: (any URLSessionTaskDelegate)?
    ) async throws -> (SessionTaskResult, URL?) {
        try await TaskRun<(SessionTaskResult, URL?)>().value { finish in
            let task = make(
                self,
                SessionCall { result, file in
                    finish(result.error.map { .failure($0) } ?? .success((result, file)))
                })
            task.delegate = delegate
            return task
        }
    }

    private func response(of result: SessionTaskResult) throws -> URLResponse {
        guard let response = result.response else {
            throw URLError(.badServerResponse, url: nil, reason: "no response came")
        }
        return response
    }
}
