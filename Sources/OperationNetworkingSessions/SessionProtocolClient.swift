// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworkingCore

/// An event from an object of a protocol class.
enum SessionProtocolEvent: Sendable {
    case response(URLResponse)
    case data(Data)
    case redirect(URLRequest, URLResponse)
    case end((any Error)?)
}

/// The client of one object of a user's protocol class.
final class SessionProtocolClient: NSObject, URLProtocolClient, Sendable {
    private let loader: SessionProtocolLoader
    let task: SessionTask
    /// The request that the object loads.
    let request: URLRequest
    let type: URLProtocol.Type

    /// True if the request is the one that the task shows.
    private let isOriginal: Bool

    init(
        _ loader: SessionProtocolLoader, _ task: SessionTask, _ request: URLRequest, _ type: URLProtocol.Type,
        isOriginal: Bool
    ) {
        self.loader = loader
        self.task = task
        self.request = request
        self.type = type
        self.isOriginal = isOriginal
    }

    func makeObject() -> URLProtocol {
        let face = task.face
        // As by Foundation: a class may have its own way to be made for a task, which knows no other request than that.
        if isOriginal { return type.init(task: face, cachedResponse: nil, client: self) }
        let object = type.init(request: request, cachedResponse: nil, client: self)
        object.task = face
        return object
    }

    func urlProtocol(
        _ object: URLProtocol, didReceive response: URLResponse, cacheStoragePolicy: URLCache.StoragePolicy
    ) {
        loader.take(.response(response), from: self)
    }

    func urlProtocol(_ object: URLProtocol, didLoad data: Data) {
        loader.take(.data(data), from: self)
    }

    func urlProtocolDidFinishLoading(_ object: URLProtocol) {
        loader.take(.end(nil), from: self)
    }

    func urlProtocol(_ object: URLProtocol, didFailWithError error: any Error) {
        loader.take(.end(error), from: self)
    }

    func urlProtocol(
        _ object: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse
    ) {
        loader.take(.redirect(request, redirectResponse), from: self)
    }

    /// The answer goes to the challenge's sender, which is the class's.
    func urlProtocol(_ object: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {
        guard task.withState({ $0.interests.contains(.challenges) }) else {
            challenge.sender?.performDefaultHandling(for: challenge)
            return
        }
        let once = FirstAnswer<(URLSession.AuthChallengeDisposition, URLCredential?)> { [task] answer in
            switch (answer.0, answer.1) {
            case (.useCredential, let credential?): challenge.sender?.use(credential, for: challenge)
            case (.useCredential, nil): challenge.sender?.continueWithoutCredential(for: challenge)
            case (.rejectProtectionSpace, _): challenge.sender?.rejectProtectionSpaceAndContinue(with: challenge)
            case (.cancelAuthenticationChallenge, _):
                challenge.sender?.cancel(challenge)
                task.cancel()
            default: challenge.sender?.performDefaultHandling(for: challenge)
            }
        }
        task.client.task(task, didReceive: challenge) { once.give(($0, $1)) }
    }

    // Foundation on Linux does nothing either.
    func urlProtocol(_ object: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {}
    func urlProtocol(_ object: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse) {}
}
