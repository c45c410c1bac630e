// SPDX-License-Identifier: MIT
public import Foundation

/// An error of reading the content of a response as a stream. Errors of the request itself are the operation's.
public enum ResponseStreamError: Error, LocalizedError, CustomNSError, CustomStringConvertible, Equatable, Sendable,
    _BridgedError
{
    /// Another reader has the operation's stream, or had it, or the stream was released unread after content had come.
    /// A response comes once: make another operation, with `copy()` for example.
    case alreadyRead
    /// The content goes to the operation's `outputStream` or `downloadDestination`. Set neither.
    case contentGoesElsewhere
    /// A line, or a line of an event, is longer than ``ResponseLines/maximumLineLength``, which is given in bytes.
    case lineTooLong(limit: Int)
    /// The lines of an event are together longer than ``ServerSentEvents/maximumEventLength``, given in bytes.
    case eventTooLong(limit: Int)
    /// Events were asked for, and the response does not have status 200 and the content type `text/event-stream`, but
    /// this status and type.
    case notAnEventStream(statusCode: Int, contentType: String?)

    /// The library's and the type's name.
    public static var errorDomain: String { "OperationNetworking.ResponseStreamError" }

    /// ``description`` under Foundation's key.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: description] }

    /// The same as ``description``.
    public var errorDescription: String? { description }

    /// One sentence with what is wrong and what to do.
    public var description: String {
        switch self {
        case .alreadyRead:
            "The operation's response is read by somebody else, or was: make a copy of the operation for another look."
        case .contentGoesElsewhere:
            "The operation's response goes to its outputStream or downloadDestination: set neither to read it as a stream."
        case .lineTooLong(let limit):
            "A line of the response is longer than \(limit) bytes: raise the limit, or read chunks."
        case .eventTooLong(let limit):
            "An event of the response is longer than \(limit) bytes: raise maximumEventLength."
        case .notAnEventStream(let status, let type):
            ErrorLine.oneLine(
                "The response (status \(status), content type \(type ?? "none")) is no stream of events: ")
                + "that has status 200 and the type text/event-stream."
        }
    }
}
