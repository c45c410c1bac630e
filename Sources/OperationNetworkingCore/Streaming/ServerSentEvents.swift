// SPDX-License-Identifier: MIT
public import Foundation
internal import FoundationNetworking

/// The content of an operation's response as server-sent events (WHATWG HTML). ``URLConnectionOperation/events`` makes
/// it.
///
/// The response has to have status 200 and the content type `text/event-stream`; 204 ends the sequence. An event that
/// the response breaks off in is dropped.
public struct ServerSentEvents: AsyncSequence, Sendable {
    let access: ResponseStreamAccess

    /// Bytes that the lines of an event may have together, without comments and unknown fields. 16 777 216 (16 MiB) by
    /// default. A longer one ends the sequence with ``ResponseStreamError/eventTooLong(limit:)``, and cancels the
    /// operation. No line of any kind may be longer than that.
    public var maximumEventLength = 16 << 20
    private var reconnection: Reconnection?

    init(access: ResponseStreamAccess) {
        self.access = access
    }

    /// The limit and the delay of reconnections.
    struct Reconnection {
        /// In a row, without an event in between.
        let maximumAttempts: Int
        /// Seconds, until the server says otherwise.
        let delay: TimeInterval
    }

    /// Returns a sequence that makes the request again when the response ends or its connection is lost. The field
    /// `Last-Event-ID` tells the server the last event that came, so that it can send what was missed.
    ///
    /// Each request is a copy of the operation, in the same `RequestOperationQueue` if that has the operation when
    /// reading begins, else in none. A status of 204, one that is not accepted, and a response that is no event stream
    /// end the sequence: the first without an error.
    ///
    /// - Parameters:
    ///   - delay: seconds before another request, until a `retry` field says otherwise; 3 by default. Twice as many
    ///     after each request that brought no event, up to a minute.
    ///   - maximumAttempts: requests in a row that may bring no event before the error of the last is thrown; without
    ///     limit by default.
    public func reconnecting(after delay: TimeInterval = 3, maximumAttempts: Int = .max) -> ServerSentEvents {
        var copy = self
        copy.reconnection = Reconnection(maximumAttempts: maximumAttempts, delay: delay)
        return copy
    }

    /// An iterator. The first one to be asked for something gets the content; others throw
    /// ``ResponseStreamError/alreadyRead``.
    public func makeAsyncIterator() -> Iterator {
        Iterator(connection: EventConnection(access, limit: maximumEventLength), reconnection: reconnection)
    }

    /// Reads the events.
    public struct Iterator: AsyncIteratorProtocol {
        private var connection: EventConnection?
        private let reconnection: Reconnection?
        private let queue: RequestOperationQueue?
        /// Requests since the last event.
        private var failures = 0

        init(connection: EventConnection, reconnection: Reconnection?) {
            self.connection = connection
            self.reconnection = reconnection
            queue = reconnection == nil ? nil : connection.operation.scheduler as? RequestOperationQueue
        }

        /// The next event. `nil` at the end of the response, when the operation has finished.
        ///
        /// - Throws: as ``ResponseChunks/Iterator/next()``.
        public mutating func next() async throws -> ServerSentEvent? {
            while let present = connection {
                var failure: (any Error)?
                do {
                    if let event = try await present.next() {
                        failures = 0
                        return event
                    }
                } catch {
                    failure = error
                }
                connection = nil
                guard let reconnection, present.mayConnectAgain(after: failure) else {
                    if let failure { throw failure }
                    return nil
                }
                failures += 1
                guard failures <= reconnection.maximumAttempts else {
                    if let failure { throw failure }
                    return nil
                }
                try await Task.sleep(for: .seconds(delay(present, reconnection)))
                connection = try present.successor(in: queue)
            }
            return nil
        }

        private static let shortestDelay = 0.1

        private func delay(_ connection: EventConnection, _ reconnection: Reconnection) -> TimeInterval {
            // A server may ask for no delay, and not have one connection after the other made.
            let base = connection.reconnectionTime.map { Swift.max($0, Self.shortestDelay) } ?? reconnection.delay
            guard base > 0, base < 60 else { return base >= 60 ? Swift.min(base, 86_400) : 0 }
            return Swift.min(60, base * pow(2, Double(Swift.min(failures - 1, 10))))
        }
    }
}
