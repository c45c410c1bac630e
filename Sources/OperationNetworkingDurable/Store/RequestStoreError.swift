// SPDX-License-Identifier: MIT
public import OperationNetworkingCore

/// An error of a ``RequestStore``, which says what is wrong, where, and what to do. Nothing that was added or recorded
/// is lost by one.
public struct RequestStoreError: NetworkingError {
    /// The kinds of failures.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The number an `NSError` shows.
        public let rawValue: Int

        /// A code by its number.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// A request depends on one that is not in the store, or no longer (1).
        public static let unknownDependency = Code(rawValue: 1)
        /// Requests of one addition wait for each other (2).
        public static let dependencyCycle = Code(rawValue: 2)
        /// The store was made by a later version of the library (3).
        public static let newerVersion = Code(rawValue: 3)
        /// The file is no database, or one of another program (4).
        public static let notAStore = Code(rawValue: 4)
        /// The store is damaged (5).
        public static let damaged = Code(rawValue: 5)
        /// The store cannot be written to. The file or the file system is read-only, or permissions are missing (6).
        public static let readOnly = Code(rawValue: 6)
        /// There is no space left for the store (7).
        public static let full = Code(rawValue: 7)
        /// Another process has held the store for too long (8).
        public static let busy = Code(rawValue: 8)
        /// Reading, writing or syncing failed (9).
        public static let inputOutput = Code(rawValue: 9)
        /// The store cannot be opened, or its server cannot be reached (10).
        public static let cannotOpen = Code(rawValue: 10)
        /// The connection to the store's server was lost (11).
        public static let connectionLost = Code(rawValue: 11)
        /// The store was closed (12).
        public static let closed = Code(rawValue: 12)
        /// Too large a value, or one that a store cannot hold (13).
        public static let unsuitableValue = Code(rawValue: 13)
        /// Anything else. ``RequestStoreError/reason`` has the engine's words (14).
        public static let engine = Code(rawValue: 14)
    }

    /// The kind of failure.
    public let code: Code
    /// The file, or the server without user name and password. Empty: the error is about no place.
    public let place: String
    /// The engine's own code, as SQLite's extended result code. Nil: there is none.
    public let engineCode: Int?
    /// The requests that the error is about.
    public let ids: [DurableRequest.ID]
    /// One sentence about the error, and what to do.
    public let reason: String

    /// An error. Stores make them.
    ///
    /// - Parameters:
    ///   - code: the kind of failure.
    ///   - place: the file or server.
    ///   - problem: what went wrong, without a full stop.
    ///   - advice: what to do, beginning with a small letter.
    ///   - engineCode: the engine's own code.
    ///   - ids: the requests that it is about.
    public init(
        _ code: Code, place: String = "", problem: String, advice: String, engineCode: Int? = nil,
        ids: [DurableRequest.ID] = []
    ) {
        self.code = code
        self.place = place
        self.engineCode = engineCode
        self.ids = ids
        reason = (place.isEmpty ? "" : "\(place): ") + "\(problem); \(advice)"
    }
}
