// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

// The state that an operation keeps outside itself: thousands of operations wait in a queue, with the same settings and
// no response.

extension URLConnectionOperation {
    /// The settings that `copy()` carries over, in addition to the request.
    ///
    /// Those that not only an operation has are in groups, which managers, sessions and background revalidations give
    /// away whole: a new setting is a field of its group, and the properties by which it is set.
    package struct Configuration {
        package var transport = Transport()
        package var identity = Identity()
        package var storages = Storages()
        package var limits = Limits()
        package var interception = Interception()
        var outputStream: OutputStream?
        var downloadDestination: DownloadDestination?
        /// The stream for content that a task reads.
        var stream: ResponseStream?
        var completionQueue: DispatchQueue?
        var completionGroup: DispatchGroup?
        var userInfo: [String: Any] = [:]
        var runLoopModes = Configuration.commonModes

        /// One for all operations.
        private static let commonModes: Set<RunLoop.Mode> = [.common]
        var uploadProgress: (@Sendable (Int, Int64, Int64) -> Void)?
        var downloadProgress: (@Sendable (Int, Int64, Int64) -> Void)?
        var informationalBlock: (@Sendable (URLConnectionOperation, HTTPURLResponse) -> Void)?
        var challengeBlock:
            (@Sendable (URLConnectionOperation, URLAuthenticationChallenge) -> AuthenticationDisposition)?
        var redirectBlock: (@Sendable (URLConnectionOperation, URLRequest, HTTPURLResponse?) -> URLRequest?)?
        var cacheBlock: (@Sendable (URLConnectionOperation, CachedURLResponse) -> CachedURLResponse?)?
        var dependencyFailurePolicy = DependencyFailurePolicy.run
        var dependentsWaitForCompletionBlocks = false
        /// Otherwise a redirect is the end, as an error.
        var followsRedirects = true
        /// Content is decoded also where the request says itself what codings it accepts.
        package var decodesOwnCodings = false
        /// The runtime that the operation runs on; nil: the common one. Not changed once it has begun.
        package var runtime: (any OperationRuntime)?

        package init() {}
    }

    /// The servers that are trusted, and the ways to them: for every request that is sent on an operation's behalf.
    package struct Transport {
        package var securityPolicy: SecurityPolicy?
        package var connections = Connections()
        package var strictTransportSecurity: StrictTransportSecurity?
        package var proxies: SharedProxyConfiguration?
        package var resendsNonIdempotentRequests = false

        package init() {}
    }

    /// The proofs of who the user is.
    package struct Identity {
        package var credential: URLCredential?
        package var clientIdentity: ClientIdentity?
        /// The origin that the identity is for, where it is a manager's; nil: that of the operation's request.
        package var identityOrigin: String?

        package init() {}
    }

    /// The things kept of earlier requests.
    package struct Storages {
        package var cookies = CookieStorageSetting()
        package var cache = CacheSetting.shared
        package var shouldUseCredentialStorage = true
        /// Nil: `URLCredentialStorage.shared`.
        package var credentialStorage: URLCredentialStorage?

        package init() {}
    }

    /// The amounts that are too much.
    package struct Limits {
        package var maximumResponseBodySize: Int64?
        package var totalTimeout: TimeInterval?

        package init() {}
    }

    /// The changes to requests before they are sent, and their repetitions.
    package struct Interception {
        package var retryPolicy: RetryPolicy?
        package var interceptors: [any RequestInterceptor] = []
        /// The origin that what identifies the manager's user is for; nil: any.
        package var authorizedOrigin: String?

        package var isEmpty: Bool { retryPolicy == nil && interceptors.isEmpty }

        package init() {}
    }

    /// The known facts of the response so far.
    struct ReceivedResponse {
        var head: ResponseHead?
        /// The URL that the response came from: the last hop's.
        var url: URL?
        /// The request that is sent in place of the operation's, once a redirect was followed.
        var request: URLRequest?
        /// The methods of all such requests: a redirect block may make a POST of one, and a server a GET of that.
        var redirectedMethods: [String] = []
        /// Built from `head` when it is asked for.
        var response: URLResponse?
        /// Field lines after the content.
        var trailers: [UInt8] = []
        var data: Data?
        var string: String?
        var error: (any Error)?
        var measured: MeasuredAttempt?

        var metrics: TransferMetrics? { measured?.metrics }
    }

    /// Settings on the heap, never changed: operations of one manager share them, and an attempt keeps them as they
    /// were.
    package final class SharedConfiguration: Sendable {
        /// The configuration of an operation until a setting is changed.
        static let initial = SharedConfiguration(Configuration())

        // Safe because nothing in it is mutable, and what it refers to is used by one attempt at a time.
        package nonisolated(unsafe) let value: Configuration
        /// True if a response that is an error may be followed by another attempt.
        let mayRetry: Bool

        package init(_ value: Configuration) {
            self.value = value
            mayRetry = !value.interception.isEmpty
        }
    }

    /// A place for a `ReceivedResponse`.
    // Sendable because only `empty` is shared, which is never changed.
    final class ReceivedResponseStorage: @unchecked Sendable {
        static let empty = ReceivedResponseStorage()

        /// Guarded by the operation's lock.
        @exclusivity(unchecked) fileprivate(set) var value = ReceivedResponse()
    }

    // For changes. Code that reads a field takes it from the storage, and copies nothing else. `_read` would not do:
    // without whole-module optimisation the compiler (Swift 6.3) reads what was yielded after the accessor has freed
    // it.

    /// Guarded by `lock`. A change makes a copy.
    var _mutableConfiguration: Configuration {
        get { _configuration.value }
        _modify {
            var value = _configuration.value
            yield &value
            _configuration = SharedConfiguration(value)
        }
    }

    /// Guarded by `lock`.
    var _mutableReceived: ReceivedResponse {
        get { _received.value }
        _modify {
            if _received === ReceivedResponseStorage.empty { _received = ReceivedResponseStorage() }
            yield &_received.value
        }
    }
}
