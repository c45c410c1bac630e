public import Foundation

/// An error of reading or writing a `CookieFile`.
public struct CookieFileError: Error, Sendable, CustomStringConvertible, LocalizedError {
    /// The kinds of failures.
    public enum Code: Sendable {
        /// The system did not let the file be read.
        case notReadable
        /// The system did not let the file be written.
        case notWritable
        /// The file can be read by others, or others could have put it there. It is a link, another user's, or has
        /// permissions for others.
        case notPrivate
        /// The file holds something else than cookies, or too much.
        case damaged
        /// There is no folder for the program's data.
        case noFolder
    }

    /// The kind of failure.
    public let code: Code
    /// A sentence with the file, what is wrong with it, and what to do. Never contains a cookie.
    public let description: String

    /// `description`.
    public var errorDescription: String? { description }
}
