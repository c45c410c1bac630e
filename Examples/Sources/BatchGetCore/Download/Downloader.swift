internal import Foundation
internal import OperationNetworking
internal import Synchronization

/// Downloads the entries of a manifest: one operation for each, a batch for each group.
package final class Downloader: Sendable {
    private struct State {
        var isInterrupted = false
        /// All operations; nil until they are made.
        var batch: OperationBatch?
        var groups: [String: OperationBatch] = [:]
        /// The groups that were cancelled, and the ids of the entries whose failure was the reason.
        var failedGroups: [String: String] = [:]
    }

    private let entries: [ManifestEntry]
    private let directory: OutputDirectory
    private let options: DownloadOptions
    private let board: DownloadBoard
    private let onEnd: @Sendable (DownloadStatus) -> Void
    private let indices: [String: Int]
    private let state = Mutex(State())
    /// Where everything about operations is told, one thing after the other.
    private let events = DispatchQueue(label: "batchget.events")

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
        indices = Dictionary(entries.enumerated().map { ($1.id, $0) }) { first, _ in first }
    }

    /// Downloads what is not there. Returns when every entry has come to its end.
    package func run() async {
        let missing = await withCheckedContinuation { continuation in
            events.async { continuation.resume(returning: self.check()) }
        }
        let operations = makeOperations(missing)
        let observations = operations.map { index, operation in
            operation.observeState { [board] _, new in
                if new == .executing { board.begin(index, .active) }
            }
        }
        let batch = makeBatch(operations)
        let queue = RequestOperationQueue()
        queue.maxConcurrentOperationCount = options.jobs
        queue.maxConcurrentOperationsPerHost = options.jobsPerHost
        // The queue's limits are the ones that count: an operation that it started is not to wait once more.
        NetworkEngine.maximumConnectionsPerHost =
            options.jobsPerHost > 0 ? min(options.jobs, options.jobsPerHost) : options.jobs
        batch.enqueue(on: queue)
        _ = await batch.value()
        withExtendedLifetime(observations) {}
        state.withLock { state in
            state.batch = nil
            state.groups = [:]
        }
    }

    /// Cancels everything; partial files stay. `run()` returns once they are closed.
    package func interrupt() {
        let batch = state.withLock { state in
            state.isInterrupted = true
            return state.batch
        }
        batch?.cancel()
    }

    private var isInterrupted: Bool { state.withLock { $0.isInterrupted } }

    // MARK: What is there already

    /// Ends the entries whose files are there.
    ///
    /// - Returns: the indices of the others.
    private func check() -> [Int] {
        entries.indices.filter { index in
            guard !isInterrupted, !options.replacesExisting, let size = directory.size(of: entries[index]),
                isWanted(index, size: size)
            else { return true }
            onEnd(board.end(index, .skipped, bytes: size))
            return false
        }
    }

    /// Whether the file that is there is the one that the manifest asks for: with a digest, if it has that; without, in
    /// any case.
    private func isWanted(_ index: Int, size: Int64) -> Bool {
        guard let expected = entries[index].sha256 else { return true }
        board.begin(index, .checking)
        // A file that cannot be read is replaced like one with another digest.
        let digest = try? directory.reading(entries[index]) { descriptor in
            try FileDigest.sha256(of: descriptor, path: directory.url(of: entries[index]).path) { position in
                board.update(index) {
                    $0.bytes = position
                    $0.totalBytes = size
                }
                return !isInterrupted
            }
        }
        guard digest != expected else { return true }
        board.update(index) { $0 = DownloadStatus(entry: $0.entry) }
        return false
    }

    // MARK: Operations

    private typealias Member = (index: Int, operation: HTTPRequestOperation)

    private func makeOperations(_ missing: [Int]) -> [Member] {
        let manager = makeManager()
        var operations: [Int: HTTPRequestOperation] = [:]
        for index in missing {
            do {
                operations[index] = try makeOperation(index, manager)
            } catch {
                onEnd(board.end(index, .failed(error.reason)))
            }
        }
        cancelDependants(among: missing, &operations)
        for index in missing {
            guard let operation = operations[index] else { continue }
            for id in entries[index].after {
                guard let upstream = indices[id], let dependency = operations[upstream] else { continue }
                operation.addDependency(dependency)
            }
        }
        return missing.compactMap { index in operations[index].map { (index, $0) } }
    }

    /// Ends what comes after an entry for which no operation could be made.
    private func cancelDependants(among missing: [Int], _ operations: inout [Int: HTTPRequestOperation]) {
        guard operations.count < missing.count else { return }
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            for index in missing where operations[index] != nil {
                let absent = entries[index].after.first { id in
                    indices[id].map { operations[$0] == nil && !board[$0].state.isSuccess } ?? false
                }
                guard let absent else { continue }
                operations[index] = nil
                onEnd(board.end(index, .cancelled(.dependency(absent))))
                hasChanged = true
            }
        }
    }

    private func makeManager() -> HTTPRequestOperationManager {
        let manager = HTTPRequestOperationManager()
        manager.completionQueue = events
        manager.responseSerializer = HTTPResponseSerializer()
        manager.requestSerializer.timeoutInterval = options.timeout
        // Like a downloader, not like a browser: nothing is kept from one run to the next.
        manager.requestSerializer.httpShouldHandleCookies = false
        // A file is kept as it is: its length is known then, and its rest can be asked for.
        manager.requestSerializer.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        for field in options.headers {
            manager.requestSerializer.setValue(field.value, forHTTPHeaderField: field.name)
        }
        manager.proxyConfiguration = options.proxies
        if !options.anchorCertificates.isEmpty {
            manager.securityPolicy.anchorCertificates = options.anchorCertificates
        }
        return manager
    }

    private func makeOperation(_ index: Int, _ manager: HTTPRequestOperationManager) throws -> HTTPRequestOperation {
        let entry = entries[index]
        let operation = try manager.operation(method: "GET", entry.url.absoluteString)
        operation.setCompletionBlockWithSuccess(
            { [self] operation, _ in didEnd(index, operation, error: nil) },
            failure: { [self] operation, error in didEnd(index, operation, error: error) })
        operation.name = entry.id
        operation.downloadDestination = DownloadDestination(fileURL: directory.url(of: entry), sha256: entry.sha256)
        operation.dependencyFailurePolicy = .cancel
        // What became of an entry is on the board before those that come after it hear of it.
        operation.dependentsWaitForCompletionBlocks = true
        operation.setDownloadProgressBlock { [board] received, total, expected in
            board.progress(index, received: received, total: total, expected: expected)
        }
        return operation
    }

    /// Batches for the groups, and one around all.
    private func makeBatch(_ operations: [Member]) -> OperationBatch {
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

    // MARK: Ends

    private func didEnd(_ index: Int, _ operation: HTTPRequestOperation, error: (any Error)?) {
        let entry = entries[index]
        let outcome = outcome(of: index, error: error)
        let size = outcome == .done ? directory.size(of: entry) : nil
        onEnd(board.end(index, outcome, bytes: size, statusCode: operation.response?.statusCode))
        guard case .failed = outcome, options.cancelsGroupOnFailure, let group = entry.group else { return }
        let batch = state.withLock { state in
            if state.failedGroups[group] == nil { state.failedGroups[group] = entry.id }
            return state.groups[group]
        }
        batch?.cancel()
    }

    private func outcome(of index: Int, error: (any Error)?) -> DownloadState {
        guard let error else { return .done }
        guard let cancelled = error as? URLError, cancelled.code == .cancelled else {
            return .failed(error.reason)
        }
        let (isInterrupted, failedGroups) = state.withLock { ($0.isInterrupted, $0.failedGroups) }
        // The library says which error of an upstream was the reason, not which upstream.
        if cancelled.userInfo[NSUnderlyingErrorKey] != nil {
            for id in entries[index].after {
                switch indices[id].map({ board[$0].state }) {
                case .failed?, .cancelled(.dependency)?: return .cancelled(.dependency(id))
                case .cancelled(.group(let failed))? where entries[index].group != nil:
                    let isSameGroup = indices[id].map { entries[$0].group } == entries[index].group
                    return .cancelled(isSameGroup ? .group(failed) : .dependency(id))
                case .cancelled(.group)?: return .cancelled(.dependency(id))
                default: continue
                }
            }
        }
        if let group = entries[index].group, let failed = failedGroups[group] { return .cancelled(.group(failed)) }
        return isInterrupted ? .cancelled(.interrupted) : .failed(cancelled.reason)
    }
}
