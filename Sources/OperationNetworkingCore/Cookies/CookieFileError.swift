// SPDX-License-Identifier: MIT
internal import Foundation

/// An error of reading or writing a `CookieFile`.
public struct CookieFileError: NetworkingError {
    /// The kinds of failures.
    public struct Code: RawRepresentable, Hashable, Sendable {
        /// The number an `NSError` shows.
        public let rawValue: Int

        /// A code by its number.
        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The system did not let the file be read (1).
        public static let notReadable = Code(rawValue: 1)
        /// The system did not let the file be written (2).
        public static let notWritable = Code(rawValue: 2)
        /// The file can be read by others, or others could have put it there (3). It is a link, another user's, or has
        /// permissions for others.
        public static let notPrivate = Code(rawValue: 3)
        /// The file holds something else than cookies, or too much (4).
        public static let damaged = Code(rawValue: 4)
        /// There is no folder for the program's data (5).
        public static let noFolder = Code(rawValue: 5)
    }

    /// The kind of failure.
    public let code: Code
    /// A sentence with the file, what is wrong with it, and what to do. Never contains a cookie.
    public let reason: String
    /// The error of the system or the encoder. `nil` when there is nothing more to say than ``reason``.
    public var underlyingError: (any Error)?
}
