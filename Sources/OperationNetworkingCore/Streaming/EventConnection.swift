// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingTransport

/// One operation whose response brings events.
///
/// Used by one task at a time.
final class EventConnection {
    let operation: URLConnectionOperation
    private let reader: ResponseReader
    private let limit: Int
    private var splitter: LineSplitter
    private var parser: ServerSentEventParser
    private var isChecked = false

    init(_ access: ResponseStreamAccess, limit: Int, lastEventID: String? = nil, reconnectionTime: Int? = nil) {
        operation = access.operation
        // Nil: the first of a program that perhaps goes on where it was before.
        let lastEventID =
            lastEventID ?? access.operation.request.value(forHTTPHeaderField: "Last-Event-ID") ?? ""
        reader = ResponseReader(access)
        self.limit = limit
        splitter = LineSplitter(limit: limit)
        parser = ServerSentEventParser(limit: limit, lastEventID: lastEventID, reconnectionTime: reconnectionTime)
    }

    /// Seconds; nil: the server has not said.
    var reconnectionTime: TimeInterval? { parser.reconnectionTime.map { Double($0) / 1000 } }

    /// The next event; nil at the end.
    func next() async throws -> ServerSentEvent? {
        do {
            while true {
                while let line = try splitter.next() {
                    if let event = try parser.take(line) { return event }
                }
                let data = try await reader.next()
                try check()
                guard let data else { return nil }
                splitter.add(data)
            }
        } catch {
            reader.stop()
            throw error
        }
    }

    /// Throws if the response is not a stream of events.
    private func check() throws(ResponseStreamError) {
        guard !isChecked, let response = operation.response as? HTTPURLResponse, response.statusCode != 204 else {
            return
        }
        isChecked = true
        guard response.statusCode == 200, SerializedResponse(response).mediaType == "text/event-stream" else {
            let type = response.value(forHTTPHeaderField: "Content-Type")
            throw .notAnEventStream(statusCode: response.statusCode, contentType: type.map { String($0.prefix(100)) })
        }
    }

    // MARK: Again

    /// Returns true if another request makes sense: not when the server has said that it has no events.
    func mayConnectAgain(after failure: (any Error)?) -> Bool {
        guard let failure else { return (operation.response as? HTTPURLResponse)?.statusCode != 204 }
        guard !operation.isCancelled, let error = failure as? URLError else { return false }
        switch error.code {
        case .networkConnectionLost, .timedOut, .cannotConnectToHost, .cannotFindHost, .notConnectedToInternet,
            .dnsLookupFailed:
            return true
        default:
            return false
        }
    }

    /// The connection for another request.
    func successor(in queue: RequestOperationQueue?) throws -> EventConnection {
        guard let copy = operation.copy() as? URLConnectionOperation else { throw ResponseStreamError.alreadyRead }
        copy.setLastEventID(parser.lastEventID)
        let access = ResponseStreamAccess(copy)
        queue?.addOperation(copy)
        return EventConnection(
            access, limit: limit, lastEventID: parser.lastEventID, reconnectionTime: parser.reconnectionTime)
    }
}
