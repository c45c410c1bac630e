public import Foundation

/// Why a `CookieFile` could not be read or written.
public struct CookieFileError: Error, Sendable, CustomStringConvertible, LocalizedError {
    /// The kinds of failures.
    public enum Code: Sendable {
        /// The system did not let the file be read.
        case notReadable
        /// The system did not let the file be written.
        case notWritable
        /// Something that others can read or could have put there: a link, a file of another user, or one with
        /// permissions for others.
        case notPrivate
        /// The file holds something else than cookies, or too much.
        case damaged
        /// There is no folder for the program's data.
        case noFolder
    }

    /// The kind of failure.
    public let code: Code
    /// Which file, what is wrong and what to do. Never contains a cookie.
    public let description: String

    /// `description`.
    public var errorDescription: String? { description }
}
