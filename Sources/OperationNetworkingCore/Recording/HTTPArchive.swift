// SPDX-License-Identifier: MIT
public import Foundation
internal import NetworkingSupport

/// Keeps what the operations of managers asked and got, and writes it as an HTTP Archive (HAR 1.2), which the developer
/// tools of browsers open.
///
/// ```swift
/// let archive = HTTPArchive()
/// archive.record(manager)
/// ```
///
/// Values of `Authorization`, `Proxy-Authorization`, `Cookie` and `Set-Cookie`, and user names and passwords in URLs, are
/// left out; queries are not. An entry is one operation: its request as it was made, and the last response.
public final class HTTPArchive: Sendable {
    private struct State {
        /// In the order in which they ended.
        var entries: [HTTPArchiveEntry] = []
    }

    private let state = Locked(State())
    /// Entries that are kept; older ones are dropped.
    let maximumEntries: Int
    /// Bytes of each content that are kept.
    let maximumBodySize: Int

    /// Makes an archive without content. It keeps sizes and types only, of the 10 000 latest operations.
    public convenience init() {
        self.init(maximumBodySize: 0)
    }

    /// An archive with the beginning of each content that was in memory.
    ///
    /// - Parameters:
    ///   - maximumBodySize: bytes of each request's and each response's content, of which longer ones are cut off.
    ///   - maximumEntries: operations that are kept, the latest; 10 000 by default.
    public init(maximumBodySize: Int, maximumEntries: Int = 10_000) {
        self.maximumBodySize = max(0, maximumBodySize)
        self.maximumEntries = max(1, maximumEntries)
    }

    /// Records the operations that a manager makes from now on, and those that it configures, when they finish. A
    /// completion block may run a moment before its operation is in the archive.
    public func record(_ manager: HTTPRequestOperationManager) {
        manager.withSettings { settings in
            if !settings.archives.contains(where: { $0 === self }) { settings.archives.append(self) }
        }
    }

    /// The archive as JSON, in the order in which requests were sent.
    ///
    /// - Throws: an `EncodingError`.
    public func data() throws -> Data {
        // Requests that overlap, and archives of several managers, are added in the order of their ends.
        try Self.encode(state.withLock { $0.entries }.sorted { $0.startedDateTime < $1.startedDateTime })
    }

    static func encode(_ entries: [HTTPArchiveEntry]) throws -> Data {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(date))
        }
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(HTTPArchiveDocument(log: .init(entries: entries)))
    }

    /// Writes the archive to a file, at once or not at all.
    ///
    /// - Throws: Foundation's error.
    public func write(to url: URL) throws {
        try data().write(to: url, options: .atomic)
    }

    /// Waits for the end of an operation.
    package func observe(_ operation: HTTPRequestOperation) {
        operation.whenFinished { [weak operation, self] in
            if let operation { add(operation.archiveEntry(maximumBodySize: maximumBodySize)) }
        }
    }

    private func add(_ entry: HTTPArchiveEntry) {
        let dropped = state.withLock { state -> HTTPArchiveEntry? in
            state.entries.append(entry)
            return state.entries.count > maximumEntries ? state.entries.removeFirst() : nil
        }
        withExtendedLifetime(dropped) {}
    }
}

/// The outermost object of HAR 1.2.
private struct HTTPArchiveDocument: Encodable {
    struct Log: Encodable {
        struct Creator: Encodable {
            var name = "OperationNetworking"
            var version = "0.1.0"
        }
        var version = "1.2"
        var creator = Creator()
        var entries: [HTTPArchiveEntry]
    }
    var log: Log
}
