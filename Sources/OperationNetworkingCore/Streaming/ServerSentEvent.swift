// SPDX-License-Identifier: MIT
public import Foundation

/// An event of a stream in the format `text/event-stream` (WHATWG HTML, "Server-sent events").
public struct ServerSentEvent: Sendable, Hashable {
    /// The last event ID as it is with this event. It is the latest `id` field that came, in this event or before, or
    /// empty.
    public var id: String
    /// The event's type, the `event` field, or "message" without such a field.
    public var event: String
    /// The `data` fields' values, joined by line feeds.
    public var data: String
    /// Seconds to wait before a reconnection, if this event's `retry` field says so.
    public var retry: TimeInterval?

    /// An event, for tests of code that takes them.
    public init(id: String = "", event: String = "message", data: String, retry: TimeInterval? = nil) {
        self.id = id
        self.event = event
        self.data = data
        self.retry = retry
    }
}
