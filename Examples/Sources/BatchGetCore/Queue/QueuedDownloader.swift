// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworking
internal import OperationNetworkingDurable
internal import Synchronization

/// Downloads the entries of a manifest, and what others have put there, through a queue that several runs have in common,
/// one after the other or at once, on one machine or many.
package final class QueuedDownloader: BatchRunner {
    private struct State {
        var isInterrupted = false
        /// What the queue does; nil: nothing yet.
        var run: Task<Void, any Error>?
        /// The places on the board of the requests that are open or were begun here.
        var indices: [DurableRequest.ID: Int] = [:]
        /// The places on the board of all entries, by their ids.
        var entries: [String: Int] = [:]
        /// The bytes of a part that was there before, until its rest comes.
        var parts: [Int: Int64] = [:]
        /// The groups that were cancelled, and the ids of the entries whose failure was the reason.
        var failedGroups: [String: String] = [:]
    }

    private let entries: [ManifestEntry]
    private let location: QueueLocation
    private let options: DownloadOptions
    private let board: DownloadBoard
    private let present: PresentFiles
    private let onEnd: @Sendable (DownloadStatus) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - entries: of a manifest that was checked; none: only what the queue has.
    ///   - onEnd: called once for each entry that comes to its end, one call at a time.
    package init(
        _ entries: [ManifestEntry], queue location: QueueLocation, to directory: OutputDirectory,
        options: DownloadOptions, board: DownloadBoard, onEnd: @escaping @Sendable (DownloadStatus) -> Void
    ) {
        self.entries = entries
        self.location = location
        self.options = options
        self.board = board
        self.onEnd = onEnd
        present = PresentFiles(entries, in: directory, options: options, board: board)
        let indices = Dictionary(entries.enumerated().map { ($1.id, $0) }) { first, _ in first }
        state.withLock { $0.entries = indices }
    }

    /// Puts into the queue what is not there, and sends what is open until nothing is, of other runs either.
    ///
    /// - Throws: what is wrong with the queue, as one line.
    package func run() async throws {
        let store = try await location.open()
        do {
            let queue = makeQueue(store)
            try await add(to: queue)
            try await send(queue)
            if !isInterrupted { try await settle(queue) }
        } catch is CancellationError {
        } catch {
            await store.close()
            throw error
        }
        await store.close()
        for index in board.snapshot.indices { end(index, .cancelled(.interrupted)) }
    }

    /// Gives back what runs; partial files stay. `run()` returns once they are closed.
    package func interrupt() {
        let run = state.withLock { state in
            state.isInterrupted = true
            return state.run
        }
        run?.cancel()
    }

    private var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

    private func makeQueue(_ store: any RequestStore) -> DurableRequestQueue {
        let manager = options.makeManager()
        let operations = RequestOperationQueue()
        operations.maxConcurrentOperationCount = options.jobs
        manager.operationQueue = operations
        options.limitConnections()
        var configuration = DurableRequestQueue.Configuration()
        configuration.maximumConcurrentRequests = options.jobs
        configuration.maximumRequestsPerHost = options.jobsPerHost > 0 ? options.jobsPerHost : nil
        configuration.secretProvider = CommandLineSecrets(fields: manager.requestSerializer.httpRequestHeaders)
        configuration.destinationResolver = { [directory = present.directory] in
            try QueuedEntry.destination($0, in: directory)
        }
        // Whoever starts a run again that was killed is not to wait for long.
        configuration.leaseDuration = 10
        configuration.eventCapacity = 1 << 20
        return DurableRequestQueue(store: store, manager: manager, configuration: configuration)
    }

    // MARK: Adding

    private struct Newest {
        var number = 0
        var id: DurableRequest.ID
        var result: DurableRequestResult?

        /// Whether the entry needs a request of its own.
        var isWanted: Bool {
            switch result?.state {
            case nil, .failed?, .skipped?, .cancelled?: true
            case .waiting?, .scheduled?, .ready?, .running?, .succeeded?: false
            }
        }
    }

    private func add(to queue: DurableRequestQueue) async throws {
        var newest = try await newestRequests(queue)
        var requests: [DurableRequest] = []
        var indices: [DurableRequest.ID: Int] = [:]
        var isThere: Set<String> = []
        for index in entries.indices where newest[index].isWanted || newest[index].result?.state == .succeeded {
            if newest[index].result?.state == .succeeded {
                end(index, .skipped, bytes: present.size(index) ?? newest[index].result?.contentLength)
            } else if let size = present.wantedSize(index, isInterrupted: { self.isInterrupted }) {
                end(index, .skipped, bytes: size)
                isThere.insert(entries[index].id)
            } else if newest[index].result != nil {
                newest[index].number += 1
                newest[index].id = try QueuedEntry.requestID(entries[index], number: newest[index].number)
            }
        }
        if isInterrupted { throw CancellationError() }
        let ids = Dictionary(entries.indices.map { (entries[$0].id, newest[$0].id) }) { first, _ in first }
        for index in entries.indices {
            let entry = entries[index]
            if !board[index].state.isFinal { indices[newest[index].id] = index }
            guard newest[index].isWanted, !isThere.contains(entry.id) else { continue }
            var request = DurableRequest(URLRequest(url: entry.url), id: newest[index].id)
            request.request.allHTTPHeaderFields = entry.fields
            request.request.timeoutInterval = options.timeout
            request.request.httpShouldHandleCookies = false
            request.group = entry.group
            request.dependencies = entry.after.filter { !isThere.contains($0) }.compactMap { ids[$0].map { .init($0) } }
            request.destination = QueuedEntry.storedDestination(of: entry)
            request.retryPolicy = options.durableRetryPolicy(of: entry)
            request.secretReference = CommandLineSecrets.reference
            request.context = try JSONEncoder().encode(QueuedEntry(entry))
            requests.append(request)
        }
        state.withLock { $0.indices = indices }
        try await queue.add(requests)
    }

    /// What the queue has of each entry.
    private func newestRequests(_ queue: DurableRequestQueue) async throws -> [Newest] {
        var found = try entries.map { Newest(id: try QueuedEntry.requestID($0, number: 0)) }
        // Asked for side by side, calls share transactions.
        for start in stride(from: 0, to: entries.count, by: Self.lookups) {
            if isInterrupted { throw CancellationError() }
            let part = start..<min(start + Self.lookups, entries.count)
            try await withThrowingTaskGroup(of: (Int, Newest).self) { group in
                for index in part {
                    group.addTask { [entry = entries[index], first = found[index]] in
                        var newest = first
                        var id = first.id
                        while let result = try await queue.result(of: id) {
                            newest = Newest(
                                number: newest.result == nil ? 0 : newest.number + 1, id: id, result: result)
                            guard newest.isWanted else { break }
                            id = try QueuedEntry.requestID(entry, number: newest.number + 1)
                        }
                        return (index, newest)
                    }
                }
                for try await (index, newest) in group { found[index] = newest }
            }
        }
        return found
    }

    private static let lookups = 64

    // MARK: Sending

    private func send(_ queue: DurableRequestQueue) async throws {
        let events = queue.events
        let run = Task { try await queue.run() }
        let isInterrupted = state.withLock { state in
            state.run = run
            return state.isInterrupted
        }
        if isInterrupted { run.cancel() }
        // They end with the run.
        for await event in events { await handle(event, queue) }
        try await run.value
    }

    private func handle(_ event: DurableRequestEvent, _ queue: DurableRequestQueue) async {
        switch event {
        case .started(let id, _):
            guard let index = await index(of: id, queue) else { return }
            let part = present.partSize(board[index].entry)
            state.withLock { $0.parts[index] = part }
            board.begin(index, .active)
        case .progress(let id, let received, let expected):
            guard let index = state.withLock({ $0.indices[id] }) else { return }
            // What is told first has come behind the part, or the server began anew.
            let part = state.withLock { $0.parts.removeValue(forKey: index) }
            let before = part.map { received >= $0 ? $0 : 0 } ?? 0
            board.progress(index, received: Int(received - before), total: received, expected: expected)
        case .finished(let id, let result), .failed(let id, let result): await end(id, result, queue)
        case .skipped(let id), .cancelled(let id):
            guard let result = try? await queue.result(of: id) else { return }
            await end(id, result, queue)
        case .lost(let id), .retried(let id, _, _):
            guard let index = state.withLock({ $0.indices[id] }) else { return }
            board.begin(index, .waiting)
        }
    }

    /// The place of a request on the board; one that another run has put into the queue gets one.
    private func index(of id: DurableRequest.ID, _ queue: DurableRequestQueue) async -> Int? {
        if let index = state.withLock({ $0.indices[id] }) { return index }
        guard let result = try? await queue.result(of: id), let entry = QueuedEntry.entry(result) else { return nil }
        let index = board.add(entry)
        state.withLock { state in
            state.indices[id] = index
            if state.entries[entry.id] == nil { state.entries[entry.id] = index }
        }
        return index
    }

    // MARK: Ends

    private func end(_ id: DurableRequest.ID, _ result: DurableRequestResult, _ queue: DurableRequestQueue) async {
        guard let index = state.withLock({ $0.indices[id] }) else { return }
        let entry = board[index].entry
        switch result.state {
        case .succeeded:
            let size = present.size(of: entry) ?? result.contentLength
            end(index, .done, bytes: size, statusCode: result.statusCode)
        case .failed:
            end(index, .failed(result.failure?.description ?? "failed"), statusCode: result.statusCode)
            guard options.cancelsGroupOnFailure, let group = entry.group else { return }
            state.withLock { state in
                if state.failedGroups[group] == nil { state.failedGroups[group] = entry.id }
            }
            // A queue that fails is told of by its run.
            _ = try? await queue.cancel(group: group)
        case .skipped:
            let upstream = entry.after.first { id in
                guard let index = state.withLock({ $0.entries[id] }) else { return false }
                return board[index].state.isFinal && !board[index].state.isSuccess
            }
            end(index, .cancelled(.dependency(upstream ?? entry.after.first ?? "another one")))
        case .cancelled:
            let failed = state.withLock { state in entry.group.flatMap { state.failedGroups[$0] } }
            end(index, .cancelled(failed.map { .group($0) } ?? .elsewhere))
        case .waiting, .scheduled, .ready, .running: break
        }
    }

    /// Tells of those that other runs have sent.
    private func settle(_ queue: DurableRequestQueue) async throws {
        let open = state.withLock { $0.indices }.filter { !board[$0.value].state.isFinal }
            .sorted { $0.value < $1.value }
        for (id, _) in open {
            guard let result = try await queue.result(of: id) else { continue }
            await end(id, result, queue)
        }
    }

    private func end(_ index: Int, _ outcome: DownloadState, bytes: Int64? = nil, statusCode: Int? = nil) {
        guard !board[index].state.isFinal else { return }
        onEnd(board.end(index, outcome, bytes: bytes, statusCode: statusCode))
    }
}

extension DurableRequestResult {
    /// The length of the file as the response says it; nil: it does not.
    fileprivate var contentLength: Int64? {
        statusCode == 200 ? field("Content-Length").flatMap { Int64($0) } : nil
    }
}
