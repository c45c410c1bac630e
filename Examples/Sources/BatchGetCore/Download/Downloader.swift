// SPDX-License-Identifier: MIT
internal import Foundation
internal import OperationNetworking
internal import Synchronization

/// Downloads the entries of a manifest: one operation for each, a batch for each group.
///
/// An entry that takes more than one request has a `PlannedDownload`, and a `GateOperation` that stands for it among the
/// others.
package final class Downloader: BatchRunner {
    /// The request of an entry that comes after another one.
    struct Dependant: Sendable {
        let index: Int
        let operation: HTTPRequestOperation
    }

    struct State {
        var isInterrupted = false
        /// All operations; nil until they are made.
        var batch: OperationBatch?
        var groups: [String: OperationBatch] = [:]
        /// The groups that were cancelled, and the ids of the entries whose failure was the reason.
        var failedGroups: [String: String] = [:]
        /// Those that have not ended, by index.
        var planned: [Int: PlannedDownload] = [:]
        /// Those of them that have begun.
        var begun: Set<Int> = []
        /// Entries that were cancelled because the entry of the id failed.
        var failedUpstreams: [Int: String] = [:]
        /// The requests of entries that come after a planned one, by the index of that.
        var dependants: [Int: [Dependant]] = [:]
    }

    let entries: [ManifestEntry]
    let directory: OutputDirectory
    let options: DownloadOptions
    let board: DownloadBoard
    let onEnd: @Sendable (DownloadStatus) -> Void
    let indices: [String: Int]
    let state = Mutex(State())
    /// Where everything about operations is told, one thing after the other.
    let events = DispatchQueue(label: "batchget.events")
    private let queue = RequestOperationQueue()
    let places: Places

    /// - Parameters:
    ///   - entries: of a manifest that was checked; the folders are there.
    ///   - onEnd: called once for each entry that comes to its end, one call at a time.
    package init(
        _ entries: [ManifestEntry], to directory: OutputDirectory, options: DownloadOptions, board: DownloadBoard,
        onEnd: @escaping @Sendable (DownloadStatus) -> Void
    ) {
        self.entries = entries
        self.directory = directory
        self.options = options
        self.board = board
        self.onEnd = onEnd
        places = Places(limit: options.jobs, perHost: options.jobsPerHost)
        indices = Dictionary(entries.enumerated().map { ($1.id, $0) }) { first, _ in first }
    }

    /// Downloads what is not there. Returns when every entry has come to its end.
    package func run() async {
        let missing = await withCheckedContinuation { continuation in
            events.async { continuation.resume(returning: self.check()) }
        }
        queue.maxConcurrentOperationCount = options.jobs
        queue.maxConcurrentOperationsPerHost = options.jobsPerHost
        options.limitConnections()
        let members = makeMembers(missing)
        let operations = members.compactMap { member in member.request.map { (member.index, $0) } }
        let observations = operations.map { index, operation in
            operation.observeState { [board] _, new in
                if new == .executing { board.begin(index, .active) }
            }
        }
        let batch = makeBatch(operations)
        // Their requests wait in the other queue; each has a file open.
        let gates = RequestOperationQueue()
        gates.maxConcurrentOperationCount = max(Self.leastOpenFiles, options.jobs)
        gates.addOperations(members.compactMap(\.gate), waitUntilFinished: false)
        batch.enqueue(on: queue)
        _ = await batch.value()
        await withCheckedContinuation { continuation in
            gates.addBarrierBlock { continuation.resume() }
        }
        withExtendedLifetime(observations) {}
        state.withLock { state in
            state.batch = nil
            state.groups = [:]
        }
    }

    /// Files that are put together from ranges at once, at least: most wait for their place.
    private static let leastOpenFiles = 64

    /// Cancels everything; partial files stay. `run()` returns once they are closed.
    package func interrupt() {
        let (batch, planned) = state.withLock { state in
            state.isInterrupted = true
            return (state.batch, Array(state.planned.values))
        }
        batch?.cancel()
        for download in planned { download.cancel() }
    }

    var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

    /// Ends the entries whose files are there.
    ///
    /// - Returns: the indices of the others.
    private func check() -> [Int] {
        let present = PresentFiles(entries, in: directory, options: options, board: board)
        return entries.indices.filter { index in
            guard let size = present.wantedSize(index, isInterrupted: { isInterrupted }) else { return true }
            onEnd(board.end(index, .skipped, bytes: size))
            return false
        }
    }

    // MARK: Operations

    /// What stands for an entry: its request, or the gate of a planned download.
    private struct Member {
        let index: Int
        var request: HTTPRequestOperation?
        var gate: GateOperation?

        var operation: Operation? { request ?? gate }
    }

    private func makeMembers(_ missing: [Int]) -> [Member] {
        let manager = options.makeManager()
        manager.completionQueue = events
        let planned = options.makeManager()
        planned.completionQueue = events
        planned.interceptors = [LostContentInterceptor()]
        let circumstances = PlannedDownload.Circumstances(
            directory: directory, options: options, manager: planned, queue: queue,
            limits: RateLimits(total: options.rateLimit, perHost: options.rateLimitPerHost), places: places,
            board: board)
        var members: [Int: Member] = [:]
        for index in missing {
            if PlannedDownload.isNeeded(for: entries[index], options) {
                members[index] = Member(index: index, gate: makeGate(index, circumstances))
                continue
            }
            do {
                members[index] = Member(index: index, request: try makeOperation(index, manager))
            } catch {
                onEnd(board.end(index, .failed(error.reason)))
            }
        }
        cancelDependants(among: missing, &members)
        for index in missing {
            guard let operation = members[index]?.operation else { continue }
            places.take(host(of: index))
            for id in entries[index].after {
                guard let dependency = indices[id].flatMap({ members[$0]?.operation }) else { continue }
                operation.addDependency(dependency)
            }
        }
        state.withLock { state in
            for (index, member) in members {
                for id in entries[index].after {
                    guard let upstream = indices[id], members[upstream]?.gate != nil, let request = member.request
                    else {
                        continue
                    }
                    state.dependants[upstream, default: []].append(Dependant(index: index, operation: request))
                }
            }
        }
        return missing.compactMap { members[$0] }
    }

    func host(of index: Int) -> String { entries[index].url.host?.lowercased() ?? "" }

    /// Ends what comes after an entry for which no operation could be made.
    private func cancelDependants(among missing: [Int], _ members: inout [Int: Member]) {
        guard members.count < missing.count else { return }
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            for index in missing where members[index] != nil {
                let absent = entries[index].after.first { id in
                    indices[id].map { members[$0] == nil && !board[$0].state.isSuccess } ?? false
                }
                guard let absent else { continue }
                members[index] = nil
                onEnd(board.end(index, .cancelled(.dependency(absent))))
                hasChanged = true
            }
        }
    }

    private func makeOperation(_ index: Int, _ manager: HTTPRequestOperationManager) throws -> HTTPRequestOperation {
        let entry = entries[index]
        let operation = try manager.makeOperation(method: "GET", entry.url.absoluteString, headers: entry.fields)
        operation.retryPolicy = options.retryPolicy(of: entry)
        operation.setCompletionBlockWithSuccess(
            { [self] operation, _ in didEnd(index, operation, error: nil) },
            failure: { [self] operation, error in didEnd(index, operation, error: error) })
        operation.name = entry.id
        operation.downloadDestination = DownloadDestination(
            fileURL: directory.url(of: entry), sha256: entry.checksum?.digest)
        operation.dependencyFailurePolicy = .cancel
        // What became of an entry is on the board before those that come after it hear of it.
        operation.dependentsWaitForCompletionBlocks = true
        operation.setDownloadProgressBlock { [board] received, total, expected in
            board.progress(index, received: received, total: total, expected: expected)
        }
        return operation
    }

    /// Batches for the groups, and one around all.
    private func makeBatch(_ operations: [(index: Int, operation: HTTPRequestOperation)]) -> OperationBatch {
        let grouped = Dictionary(grouping: operations) { entries[$0.index].group }
        var groups: [String: OperationBatch] = [:]
        for case (let name?, let members) in grouped {
            groups[name] = OperationBatch(members.map(\.operation), name: name)
            groups[name]?.completionQueue = events
        }
        // All of them are named first: they are enqueued in the order of the manifest, not group by group.
        let batch = OperationBatch(operations.map(\.operation), batches: Array(groups.values))
        batch.completionQueue = events
        let isInterrupted = state.withLock { state in
            state.batch = batch
            state.groups = groups
            return state.isInterrupted
        }
        // Operations that are cancelled already finish when they are enqueued.
        if isInterrupted { batch.cancel() }
        return batch
    }
}
