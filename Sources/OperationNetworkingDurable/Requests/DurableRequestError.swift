// SPDX-License-Identifier: MIT
public import OperationNetworkingCore

/// An error about a request that a queue cannot take, or about the use of the queue.
public struct DurableRequestError: NetworkingError {
    /// The kinds of failures.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The number an `NSError` shows.
        public let rawValue: Int

        /// A code by its number.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// A field of the request, or its URL, has a secret, which is not stored (1).
        public static let secret = Code(rawValue: 1)
        /// The body is a stream, which cannot be stored (2).
        public static let bodyStream = Code(rawValue: 2)
        /// The URL is missing, or none of HTTP's (3).
        public static let unsuitableURL = Code(rawValue: 3)
        /// The queue is running already (4).
        public static let alreadyRunning = Code(rawValue: 4)
        /// The request has a secret reference, and the queue no provider (5).
        public static let noSecretProvider = Code(rawValue: 5)
        /// The stored request, or its result, cannot be read. A later version wrote it (6).
        public static let unreadable = Code(rawValue: 6)
        /// A name or key that is too long or has bytes that are not allowed (7).
        public static let unsuitableValue = Code(rawValue: 7)
        /// The file that is to be the body is not there (8).
        public static let bodyFile = Code(rawValue: 8)
    }

    /// The kind of failure.
    public let code: Code
    /// One sentence about the error, and what to do.
    public let reason: String

    init(_ code: Code, _ problem: String, advice: String) {
        self.code = code
        reason = "\(problem); \(advice)"
    }
}
