// SPDX-License-Identifier: MIT
public import Foundation
public import FoundationNetworking
internal import Dispatch
package import OperationNetworkingCore

// For `async` code. Cancelling the Swift task cancels the session's, and no completion queue is waited for.

extension URLSessionManager {
    /// The content of a response, once it is complete.
    ///
    /// - Throws: the transfer's error, or the response serializer's for a status or content type that it refuses.
    public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
        let run = TaskRun<(Data, URLResponse)>()
        return try await run.value { finish in
            let task = dataTask(with: request, uploadProgress: nil, downloadProgress: nil) { response, object, error in
                finish(error.map { .failure($0) } ?? .success((object as? Data ?? Data(), response)))
            }
            detach(task, serializer: ContentSerializer(operationSerializer))
            return task
        }
    }

    /// The content of a response, decoded.
    ///
    /// - Parameters:
    ///   - type: the type to decode.
    ///   - request: the request.
    ///   - decoder: what decodes the content; a plain `JSONDecoder` by default.
    /// - Throws: what `data(for:)` throws, or a `ResponseSerializationError` over the decoder's error.
    public func decoded<T: Decodable & Sendable>(
        _ type: T.Type, from request: URLRequest, decoder: JSONDecoder = JSONDecoder()
    ) async throws -> T {
        let (data, response) = try await data(for: request)
        do {
            return try decoder.decode(type, fromContent: data, of: SerializedResponse(response))
        } catch {
            throw error.naming(request.httpMethod)
        }
    }

    /// Downloads to a file.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - destination: where the complete file goes. One that exists is an error.
    ///   - progress: called on `operationQueue` while content is received.
    /// - Throws: the transfer's error, the response serializer's for a status that it refuses, or a `CocoaError` when
    ///   the file could not be moved.
    @discardableResult
    public func download(
        for request: URLRequest, to destination: URL, progress: (@Sendable (Progress) -> Void)? = nil
    ) async throws -> (URL, URLResponse) {
        let run = TaskRun<(URL, URLResponse)>()
        return try await run.value { finish in
            let task = downloadTask(
                with: request, progress: progress, destination: { _, _ in destination },
                completionHandler: { response, url, error in
                    finish(error.map { .failure($0) } ?? .success((url ?? destination, response)))
                })
            detach(task)
            return task
        }
    }

    /// Makes a task's result go to the code that awaits it without the completion queue, which that code may block.
    package func detach(_ task: URLSessionTask, serializer: HTTPResponseSerializer? = nil) {
        guard let managed = task.ownFace?.task.managed else { return }
        managed.withState { state in
            state.settings.completionQueue = DispatchQueue.global()
            state.settings.completionGroup = nil
            guard let serializer else { return }
            state.settings.serializer = serializer
            state.settings.operationSerializer = serializer
        }
        if let serializer { operation(for: task)?.responseSerializer = serializer }
    }
}

/// Checks a response by another serializer, and hands out its content as it is.
// Sendable because nothing in it changes after `init`.
private final class ContentSerializer: HTTPResponseSerializer, @unchecked Sendable {
    private let serializer: HTTPResponseSerializer

    init(_ serializer: HTTPResponseSerializer) {
        self.serializer = serializer
        super.init()
    }

    /// For Foundation's sake: nothing to ask.
    override init() {
        serializer = .anyStatus
        super.init()
    }

    /// It is never archived.
    required init?(coder: NSCoder) { nil }

    override func validate(_ response: URLResponse?, data: Data?) throws {
        try serializer.validate(response, data: data)
    }
}

extension ContentSerializer: OwnResponseSerializer {
    static var ownClass: HTTPResponseSerializer.Type { ContentSerializer.self }
    var callsNobodyElse: Bool { serializer.waitsForNobody }

    func object(of response: SerializedResponse, data: Data?) throws -> Any? {
        do {
            try serializer.check(response, data: data)
        } catch let error as ResponseSerializationError {
            throw error.carrying(data)
        }
        return data
    }
}
