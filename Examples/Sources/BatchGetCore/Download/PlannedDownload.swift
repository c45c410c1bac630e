// SPDX-License-Identifier: MIT
internal import Foundation
internal import OperationNetworking
internal import Synchronization

/// One file that is put together from what several requests bring, or brought no faster than is wanted: does what a
/// `DownloadPlan` says.
final class PlannedDownload: Sendable {
    /// What all files of a run have in common.
    struct Circumstances: Sendable {
        let directory: OutputDirectory
        let options: DownloadOptions
        let manager: HTTPRequestOperationManager
        let queue: RequestOperationQueue
        let limits: RateLimits
        let places: Places
        let board: DownloadBoard
    }

    /// How it ended.
    enum End: Sendable {
        case done
        case failed(String)
        case cancelled
    }

    private static let noteInterval = Duration.seconds(1)

    let entry: ManifestEntry
    private let index: Int
    private let circumstances: Circumstances
    private let urls: [URL]
    private let settings: DownloadPlan.Settings
    private let onEnd: @Sendable (End, _ bytes: Int64?, _ statusCode: Int?) -> Void
    private let state: Mutex<State>
    /// Where the content is digested and put into place, which takes its time.
    private let files = DispatchQueue(label: "batchget.file")

    /// - Parameter onEnd: called once, when the files are let go of.
    init(
        _ entry: ManifestEntry, index: Int, _ circumstances: Circumstances,
        onEnd: @escaping @Sendable (End, _ bytes: Int64?, _ statusCode: Int?) -> Void
    ) {
        self.entry = entry
        self.index = index
        self.circumstances = circumstances
        self.onEnd = onEnd
        urls = entry.sources
        settings = circumstances.options.settings(of: entry)
        state = Mutex(State(plan: DownloadPlan(sourceCount: entry.sources.count, settings: settings)))
    }

    /// Whether an entry needs more than one request to one place.
    static func isNeeded(for entry: ManifestEntry, _ options: DownloadOptions) -> Bool {
        options.settings(of: entry).split > 1 || entry.sources.count > 1 || entry.size != nil
            || entry.checksum.map { $0.algorithm != .sha256 } == true || options.rateLimit > 0
            || options.rateLimitPerHost > 0 || entry.settings.rateLimit ?? 0 > 0
    }

    // MARK: Inputs

    func start() {
        guard !state.withLock({ $0.isCancelled }) else { return end(.cancelled) }
        do throws(PartFile.Failure) {
            let part = try circumstances.directory.part(of: entry)
            let remains = part.remains(at: urls)
            let plan = DownloadPlan(sourceCount: urls.count, settings: settings, remains: remains)
            if plan.remains == nil { try part.clear() }
            let rate = entry.settings.rateLimit ?? 0
            // Both under one lock: whoever cancels later finds the part, and ends it.
            let isCancelled = state.withLock { state in
                state.part = part
                state.plan = plan
                state.bucket = rate > 0 ? TokenBucket(rate: rate, at: .now) : nil
                return state.isCancelled
            }
            if isCancelled { return end(.cancelled) }
        } catch {
            return end(.failed(error.message))
        }
        report()
        proceed()
    }

    /// Ends it; what is there stays. Before its start it ends with that.
    func cancel() {
        let tasks = state.withLock { state in
            state.isCancelled = true
            return state.part == nil || state.isCompleting ? nil : Array(state.tasks.values)
        }
        guard let tasks else { return }
        tasks.isEmpty ? end(.cancelled) : tasks.forEach { $0.cancel() }
    }

    /// Others need fewer places than before.
    func placeBecameFree() { proceed() }

    // MARK: What the plan says

    private func proceed() {
        let actions: [DownloadPlan.Action] = state.withLock { state in
            guard state.part != nil, state.givenUp.isEmpty, state.withheld == 0, !state.isCancelled, !state.isOver
            else { return [] }
            return state.plan.next { circumstances.places.isFree(for: host($0)) }
        }
        perform(actions)
    }

    private func perform(_ actions: [DownloadPlan.Action]) {
        for action in actions {
            switch action {
            case .request(let request): begin(request)
            case .cancel(let number):
                let task = state.withLock { state in
                    let task = state.tasks[number]
                    if task != nil { state.givenUp.insert(number) }
                    return task
                }
                task?.cancel()
            case .complete(let size):
                state.withLock { $0.isCompleting = true }
                files.async { self.complete(size) }
            case .fail(let failure): end(.failed(failure.text))
            }
        }
    }

    private func begin(_ request: DownloadPlan.Request) {
        let isExtra = state.withLock { !$0.tasks.isEmpty }
        let host = host(request.source)
        if isExtra { circumstances.places.take(host) }
        // It is entered before it can end: both under the lock.
        let isCancelled = state.withLock { state in
            state.tasks[request.number] = Task {
                let (failure, attempts) = await fetch(request, isExtra: isExtra)
                if isExtra { _ = circumstances.places.release(host) }
                didEnd(request.number, failure, attempts: attempts)
            }
            return state.isCancelled
        }
        if isCancelled { cancel() }
    }

    private func didEnd(_ number: Int, _ failure: DownloadPlan.Failure?, attempts: Int) {
        let (actions, isLast) = state.withLock { state in
            state.tasks[number] = nil
            state.givenUp.remove(number)
            let actions = state.isCancelled ? [] : state.plan.didEnd(number, failure, attempts: attempts)
            return (actions, state.isCancelled && state.tasks.isEmpty && !state.isCompleting)
        }
        if isLast { return end(.cancelled) }
        perform(actions)
        proceed()
    }

    // MARK: Requests

    private func host(_ source: Int) -> String { urls[source].host?.lowercased() ?? "" }

    /// Brings what a request is for into the file.
    ///
    /// - Returns: nil when its response is complete, or it has what it was for; and how often it was sent.
    private func fetch(
        _ request: DownloadPlan.Request, isExtra: Bool
    ) async -> (failure: DownloadPlan.Failure?, attempts: Int) {
        do {
            if request.losses > 0 { try await Task.sleep(for: wait(after: request.losses)) }
            let operation = try makeOperation(request, isExtra: isExtra)
            let failure = await receive(operation, request)
            let attempts = operation.metrics?.attempts.count ?? 1
            // With attempts left, the policy ends what may pass for one reason: a `Retry-After` that is too long.
            if case .status(_, let text) = failure, failure?.mayPass == true,
                attempts < operation.retryPolicy?.maximumAttempts ?? 0
            {
                return (.later(text), attempts)
            }
            return (failure, attempts)
        } catch is CancellationError {
            return (.stale, 0)
        } catch {
            return (.lost(error.localizedDescription, mayPass: false), 1)
        }
    }

    private func makeOperation(_ request: DownloadPlan.Request, isExtra: Bool) throws -> HTTPRequestOperation {
        var fields = entry.fields
        if let range = request.range {
            fields["Range"] = range
            fields["If-Range"] = request.validator
        }
        let operation = try circumstances.manager.makeOperation(
            method: "GET", urls[request.source].absoluteString, headers: fields)
        operation.name = entry.id
        // Files that wait come before further ranges of one that has begun.
        if isExtra { operation.queuePriority = .low }
        var policy = circumstances.options.retryPolicy(of: entry)
        policy.maximumAttempts = max(1, policy.maximumAttempts - request.losses)
        operation.retryPolicy = policy
        return operation
    }

    private func receive(
        _ operation: HTTPRequestOperation, _ request: DownloadPlan.Request
    ) async -> DownloadPlan.Failure? {
        let host = host(request.source)
        var hasHead = false
        let chunks = operation.chunks
        circumstances.queue.addOperation(operation)
        do {
            for try await data in chunks {
                if !hasHead {
                    hasHead = true
                    if let failure = judge(operation, request) { return failure }
                }
                let isWanted: Bool
                do throws(PartFile.Failure) {
                    isWanted = try take(data, of: request.number)
                } catch {
                    return .local(error.message)
                }
                // The last piece is waited for, too: a file that comes in one piece has no other.
                let delay = delay(after: data.count, from: host)
                guard isWanted else {
                    if delay > .zero { try? await Task.sleep(for: delay) }
                    state.withLock { $0.withheld -= 1 }
                    return nil
                }
                if delay > .zero { try await Task.sleep(for: delay) }
            }
            // A response without content has a head, too.
            return hasHead ? nil : judge(operation, request)
        } catch is CancellationError {
            return .stale
        } catch {
            return Task.isCancelled ? .stale : RangeRequest.failure(error, of: operation)
        }
    }

    /// Whether the response is what it should be; nil: it is.
    private func judge(_ operation: HTTPRequestOperation, _ request: DownloadPlan.Request) -> DownloadPlan.Failure? {
        guard let head = RangeRequest.head(of: operation) else {
            return .lost("there was no response", mayPass: false)
        }
        let verdict = state.withLock { state in
            state.statusCode = head.statusCode
            let verdict = state.plan.didReceive(head, of: request.number)
            return verdict == .write ? state.clearIfNew() ?? verdict : verdict
        }
        guard case .refuse(let failure) = verdict else {
            report()
            proceed()
            return nil
        }
        return failure
    }

    /// Writes content to where it belongs.
    ///
    /// - Returns: whether more is wanted; else the request is among those withheld.
    private func take(_ data: Data, of number: Int) throws(PartFile.Failure) -> Bool {
        let (part, room) = state.withLock { state in
            let room = state.givenUp.contains(number) ? nil : state.plan.room(of: number)
            if state.part == nil || room == nil { state.withheld += 1 }
            return (state.part, room)
        }
        guard let part, let room else { return false }
        let count = Int(min(Int64(data.count), room.count))
        var failure: PartFile.Failure?
        data.withUnsafeBytes { bytes in
            do throws(PartFile.Failure) {
                try part.write(UnsafeRawBufferPointer(rebasing: bytes.prefix(count)), at: room.offset)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        let isWanted = state.withLock { state in
            state.received += Int64(count)
            let isWanted = state.plan.didWrite(count, of: number)
            if !isWanted { state.withheld += 1 }
            return isWanted
        }
        report()
        noteFromTimeToTime()
        return isWanted
    }

    // MARK: Times

    /// How long one waits who took so much.
    private func delay(after count: Int, from host: String) -> Duration {
        let own = state.withLock { $0.bucket?.take(count, at: .now) ?? .zero }
        return max(own, circumstances.limits.take(count, from: host))
    }

    /// As long as the retry policy would wait: up to twice as long each time, at random.
    private func wait(after losses: Int) -> Duration {
        guard
            case .exponential(let initial, let factor, let maximum) =
                circumstances.options.retryPolicy(of: entry).backoff
        else { return .zero }
        var longest = initial
        for _ in 1..<max(2, min(losses, 32)) { longest = min(longest * factor, maximum) }
        return .seconds(longest * Double.random(in: 0..<1))
    }

    private func report() {
        let (received, total, expected) = state.withLock { ($0.received, $0.plan.received, $0.plan.total) }
        circumstances.board.progress(index, received: Int(received), total: total, expected: expected ?? -1)
    }

    private func noteFromTimeToTime() {
        let now = ContinuousClock.now
        let isDue = state.withLock { state in
            guard !state.isNoting, state.lastNote.map({ now - $0 >= Self.noteInterval }) ?? true else { return false }
            state.isNoting = true
            return true
        }
        guard isDue else { return }
        writeNote()
        state.withLock { state in
            state.isNoting = false
            state.lastNote = now
        }
    }

    private func writeNote() {
        let (part, remains) = state.withLock { ($0.isOver ? nil : $0.part, $0.plan.remains) }
        if let part, let remains { part.note(remains, at: urls) }
    }

    // MARK: The end

    /// All bytes are there: verifies them, and puts the file into place.
    private func complete(_ size: Int64) {
        guard let part = state.withLock({ $0.part }) else { return }
        do {
            if let checksum = entry.checksum, !(try verify(checksum, part)) { return }
            guard !state.withLock({ $0.isCancelled }) else { return end(.cancelled) }
            try part.commit(size: size)
            end(.done, bytes: size)
        } catch let error as PartFile.Failure {
            end(.failed(error.message))
        } catch {
            end(.failed(error.localizedDescription))
        }
    }

    /// False: the end has been told, or it begins anew.
    private func verify(_ checksum: Checksum, _ part: PartFile) throws -> Bool {
        let digest = try part.digest(checksum.algorithm) { _ in !state.withLock { $0.isCancelled } }
        guard let digest else {
            end(.cancelled)
            return false
        }
        guard digest != checksum.digest else { return true }
        if state.withLock({ $0.plan.isContinued }) {
            try beginAnew(part)
            return false
        }
        // Nothing of it is any good, and no note of it is to be written.
        state.withLock { $0.part = nil }
        part.remove()
        let name = checksum.algorithm.rawValue
        end(.failed("the \(name) digest is \(digest.hexadecimal), and should be \(checksum.digest.hexadecimal)"))
        return false
    }

    /// What an earlier run left may have been of another file: all of it is had once more.
    private func beginAnew(_ part: PartFile) throws(PartFile.Failure) {
        try part.clear()
        // Both under one lock: whoever cancels before leaves the end to this, whoever cancels later does not.
        let isCancelled = state.withLock { state in
            state.plan.didFailVerification()
            state.beginnings = state.plan.beginnings
            state.isCompleting = false
            return state.isCancelled
        }
        if isCancelled { return end(.cancelled) }
        report()
        proceed()
    }

    private func end(_ end: End, bytes: Int64? = nil) {
        if case .done = end {} else { writeNote() }
        let (isFirst, part, statusCode) = state.withLock { state in
            defer {
                state.isOver = true
                state.part = nil
            }
            return (!state.isOver, state.part, state.statusCode)
        }
        guard isFirst else { return }
        if case .done = end {} else { part?.removeIfEmpty() }
        onEnd(end, bytes, statusCode)
    }
}
