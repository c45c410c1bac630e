// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// A random program that uses the library, run under a random interleaving.
final class Program {
    let seed: UInt64
    private let directory: URL
    private var hasFiles = false
    private let scheduler: Scheduler
    private let engine: ScriptedEngine
    private var subjects: [Subject] = []
    private var queues: [RequestOperationQueue] = []
    private var isEnqueued: [Bool] = []
    private var batches: [OperationBatch] = []
    private var batchCount = 0
    private var batchEnds: [Int: Int] = [:]
    private var actionsLeft: Int
    private let cache: ResponseCache
    private let writes = CachedSubject.Writes()
    /// All operations use the cache.
    private let isAboutCaching: Bool
    /// Of what the operations read and write.
    private let kinds: [CachedResources.Kind]
    private var log: [String] = []
    private let completionQueue = DispatchQueue(label: "simulation")

    /// - Parameter directory: empty; for files that are downloaded.
    init(seed: UInt64, directory: URL, runtime: SimulatedRuntime) {
        self.seed = seed
        self.directory = directory
        let scheduler = Scheduler(seed: seed)
        self.scheduler = scheduler
        engine = ScriptedEngine(scheduler)
        runtime.scheduler = scheduler
        runtime.engine = engine
        actionsLeft = 15 + scheduler.random.below(60)
        isAboutCaching = scheduler.random.chance(3)
        let all = CachedResources.Kind.allCases
        kinds = (0..<(1 + scheduler.random.below(2))).map { _ in all[scheduler.random.below(all.count)] }
        cache = ResponseCache.of(URLCache(memoryCapacity: 1 << 20, diskCapacity: 0, diskPath: nil))
    }

    var steps: Int { scheduler.steps }
    /// The actions of the program, for a report.
    var listing: String { log.joined(separator: "\n") }

    /// Runs the program. What was wrong; nil: nothing.
    func run() -> String? {
        setUp()
        scheduler.networkEvent = { [engine] in engine.happen() }
        scheduler.userAction = { [unowned(unsafe) self] in self.act() }
        if isAboutCaching {
            scheduler.willInterleave = { [weak self] in
                for subject in self?.subjects ?? [] { subject.look() }
            }
        }
        defer {
            scheduler.networkEvent = { false }
            scheduler.userAction = { false }
        }
        CriticalSectionsHandler.install(scheduler)
        defer { CriticalSectionsHandler.remove() }
        while actionsLeft > 0 {
            if !scheduler.step() { _ = scheduler.advanceClock() }
            if let problem = problemNow() { return problem }
        }
        if let problem = settle() { return problem }
        for (index, subject) in subjects.enumerated() {
            let name = "op\(index)"
            if let problem = subject.problemAfterEnd(
                posts: engine.posts[name] ?? 0, wasSentUnprepared: engine.unprepared.contains(name))
            {
                return problem
            }
        }
        for (index, queue) in queues.enumerated() {
            let (running, count) = queue.state.withLock { ($0.scheduler.running, $0.scheduler.count) }
            if running != 0 || count != 0 || queue.operationCount != 0 {
                return "queue \(index) holds \(count) operations, \(running) slots, lists \(queue.operationCount)"
            }
        }
        let executing = OperationActivity.shared.executing
        if executing != 0 { return "\(executing) operations are counted as executing" }
        while scheduler.step() || scheduler.advanceClock() {}
        for subject in subjects {
            if let problem = subject.problemOnDisk() { return problem }
        }
        if cache.isRevalidating { return "a revalidation is not over" }
        for (index, count) in batchEnds where count != 1 { return "batch \(index) completed \(count) times" }
        return problemAfterRelease()
    }

    func removeFiles() {
        if hasFiles { try? FileManager.default.removeItem(at: directory) }
    }

    // MARK: The world

    private func setUp() {
        for index in 0..<(1 + scheduler.random.below(2)) {
            let queue = RequestOperationQueue()
            queue.name = "queue \(index)"
            queue.maxConcurrentOperationCount = 1 + scheduler.random.below(4)
            if scheduler.random.chance(3) { queue.maxConcurrentOperationsPerHost = 1 + scheduler.random.below(2) }
            queues.append(queue)
            note(
                "queue \(index): \(queue.maxConcurrentOperationCount) slots, per host \(queue.maxConcurrentOperationsPerHost)"
            )
        }
        for index in 0..<(2 + scheduler.random.below(isAboutCaching ? 20 : 10)) { makeSubject(index) }
        engine.resources.didWrite = { [unowned(unsafe) self] url in
            // Also by one that is paused, and has its connection.
            let isRead = subjects.contains { subject in
                let operation = subject.operation
                return subject.caching?.reads(url) == true
                    && (operation.isExecuting || operation.lock.withLock { operation._machine.holdsAttempt })
            }
            if isRead || cache.isRevalidating { writes.disturbed.insert(url) }
        }
    }

    private func makePath(_ index: Int) -> String {
        guard !isAboutCaching else { return "cache/\(kinds[scheduler.random.below(kinds.count)])" }
        let paths = [
            "ok/\(index)", "ok/\(index)", "ok/\(index)", "redirect/ok/\(index)", "redirect/redirect/ok/\(index)",
            "auth/\(index)", "refuse/\(index)", "broken/\(index)", "status/\(index)", "flaky/\(index)",
            "flaky/\(index)",
        ]
        return paths[scheduler.random.below(paths.count)]
    }

    private func makeCaching(_ path: String, host: String, isWriter: Bool) -> CachedSubject? {
        let parts = path.split(separator: "/")
        guard isAboutCaching, let kind = CachedResources.Kind(rawValue: String(parts[1])) else { return nil }
        return CachedSubject(
            kind: kind, url: "http://\(host)/\(path)", isWriter: isWriter, cache: cache, scheduler: scheduler,
            resources: engine.resources, writes: writes)
    }

    private func makeSubject(_ index: Int) {
        let path = makePath(index)
        let isWriter = (path.hasPrefix("ok") || isAboutCaching) && scheduler.random.chance(4)
        let method = isWriter ? "POST" : "GET"
        let host = isAboutCaching ? "h0" : "h\(index % 2)"
        let caching = makeCaching(path, host: host, isWriter: isWriter)
        let subject = Subject(
            index: index, path: path, host: host, method: method, isSubclass: scheduler.random.chance(3),
            caching: caching, queue: completionQueue)
        var traits = caching?.listing ?? ""
        if path.hasPrefix("auth") {
            if scheduler.random.chance(2) {
                subject.operation.credential = URLCredential(user: "u", password: "p", persistence: .none)
                traits += " credential"
            } else {
                subject.operation.setWillSendRequestForAuthenticationChallengeBlock { _, _ in
                    .useCredential(URLCredential(user: "u", password: "p", persistence: .none))
                }
                traits += " challenge-block"
            }
        }
        if let operation = subject.operation as? SubclassedOperation, scheduler.random.chance(2) {
            operation.holds = true
            traits += " holds"
        }
        if scheduler.random.chance(4) {
            subject.operation.setRedirectResponseBlock { _, request, _ in request }
            traits += " redirect-block"
        }
        if scheduler.random.chance(6) {
            subject.operation.dependencyFailurePolicy = .cancel
            traits += " cancels-with-upstream"
        }
        if scheduler.random.chance(5) {
            subject.operation.dependentsWaitForCompletionBlocks = true
            traits += " dependents-wait"
        }
        if scheduler.random.chance(4) {
            subject.makeStream()
            traits += " streamed"
        } else if !isAboutCaching, method == "GET", scheduler.random.chance(8) {
            try? FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            hasFiles = true
            subject.makeFile(in: directory)
            traits += " to a file"
        }
        traits += makeRetries(of: subject.operation)
        subject.watch()
        subjects.append(subject)
        isEnqueued.append(false)
        note(
            "op\(index): \(method) \(host)/\(path)\(subject.operation is SubclassedOperation ? " subclass" : "")\(traits)"
        )
    }

    /// Has failed attempts repeated, or not.
    private func makeRetries(of operation: HTTPRequestOperation) -> String {
        var traits = ""
        if scheduler.random.chance(2) {
            let backoffs: [Backoff] = [
                .none, .constant(1), .exponential(initial: 1, factor: 2, maximum: 5), .constant(1000),
            ]
            let policy = RetryPolicy(
                maximumAttempts: 1 + scheduler.random.below(4), backoff: backoffs[scheduler.random.below(4)])
            operation.retryPolicy = policy
            traits += " retries(\(policy.maximumAttempts), \(policy.backoff))"
        }
        if scheduler.random.chance(4) {
            let interceptor = HesitantInterceptor(
                retries: scheduler.random.below(3), delay: Double(scheduler.random.below(2)))
            operation.lock.withLock { operation._mutableConfiguration.interception.interceptors = [interceptor] }
            traits += " interceptor(\(interceptor.retries), \(interceptor.delay))"
        }
        if scheduler.random.chance(6) {
            operation.totalTimeout = Double(1 + scheduler.random.below(5))
            traits += " total-timeout"
        }
        return traits
    }

    private func note(_ line: String) { log.append("[\(scheduler.steps)] \(line)") }

    // MARK: The users' threads

    private func act() -> Bool {
        guard actionsLeft > 0 else { return false }
        actionsLeft -= 1
        let index = scheduler.random.below(subjects.count)
        let subject = subjects[index]
        let operation = subject.operation
        switch scheduler.random.below(30) {
        case 0...5:
            guard !isEnqueued[index] else { return true }
            isEnqueued[index] = true
            let queue = scheduler.random.below(queues.count)
            note("queue \(queue) add op\(index)")
            queues[queue].addOperation(operation)
        case 6:
            note("op\(index) start")
            operation.start()
        case 7...9:
            note("op\(index) pause")
            operation.pause()
        case 10...13:
            note("op\(index) resume")
            operation.resume()
        case 14:
            note("op\(index) cancel")
            operation.cancel()
        case 15...18:
            depend(index)
        case 19:
            note("op\(index) priority")
            operation.queuePriority = [.veryLow, .low, .normal, .high, .veryHigh][scheduler.random.below(5)]
        case 20:
            let queue = queues[scheduler.random.below(queues.count)]
            let limit = 1 + scheduler.random.below(4)
            note("\(queue.name ?? "") slots \(limit)")
            queue.maxConcurrentOperationCount = limit
        case 21:
            let queue = queues[scheduler.random.below(queues.count)]
            note("\(queue.name ?? "") suspended \(!queue.isSuspended)")
            queue.isSuspended.toggle()
        case 22:
            addBatch()
        case 23...26:
            guard subject.isStreamed else { return true }
            if scheduler.random.chance(8) {
                note("op\(index) leaves its stream")
                subject.dropStream()
            } else {
                note("op\(index) reads")
                _ = subject.read()
            }
        case 27, 28:
            let seconds = 1 + scheduler.random.below(4)
            note("\(seconds) s pass")
            scheduler.pass(Double(seconds))
        default:
            _ = operation.isReady
            let upstream = subjects[scheduler.random.below(subjects.count)]
            note("op\(index) no longer waits for op\(upstream.index)")
            subject.upstreams.removeAll { $0 === upstream }
            subject.removing[upstream.index, default: 0] += 1
            subject.mustBePrepared = false
            operation.removeDependency(upstream.operation)
            subject.removing[upstream.index, default: 0] -= 1
            // Again: an edge that was added meanwhile, and its preparation, may be there or not.
            subject.upstreams.removeAll { $0 === upstream }
            subject.mustBePrepared = false
        }
        return true
    }

    private func depend(_ index: Int) {
        let upstream = subjects[scheduler.random.below(subjects.count)]
        let subject = subjects[index]
        // An edge backwards would be a cycle, which ends the operation: seldom.
        guard upstream.index < index || scheduler.random.chance(10) else { return }
        if scheduler.random.chance(3) {
            note("op\(index) waits for op\(upstream.index), preparing")
            subject.operation.addDependency(upstream.operation) { _, request in
                request.setValue("prepared", forHTTPHeaderField: "X")
            }
        } else {
            note("op\(index) waits for op\(upstream.index)")
            subject.operation.addDependency(upstream.operation as Operation)
        }
        scheduler.atomically {
            let dependencies = subject.operation.dependencies
            if !subject.operation.hasBegun, dependencies.contains(upstream.operation) {
                subject.upstreams.append(upstream)
                // A block counts with its dependency, which another thread may be about to add.
                let prepared = subject.operation.lock.withLock { subject.operation._preparations.all.map(\.upstream) }
                if prepared.contains(where: dependencies.contains) { subject.mustBePrepared = true }
            }
        }
    }

    private func addBatch() {
        var members: [URLConnectionOperation] = []
        for (index, subject) in subjects.enumerated() where !isEnqueued[index] && scheduler.random.chance(3) {
            guard !subject.operation.isFinished, !subject.operation.isExecuting else { continue }
            isEnqueued[index] = true
            members.append(subject.operation)
        }
        guard !members.isEmpty else { return }
        let number = batchCount
        batchCount += 1
        note("batch \(number): \(members.map { $0.name ?? "" }.joined(separator: " "))")
        let batch = OperationBatch(members)
        batch.completionQueue = completionQueue
        batchEnds[number] = 0
        nonisolated(unsafe) let program = self
        batch.setCompletionBlock { _ in program.batchEnds[number, default: 0] += 1 }
        batches.append(batch)
        batch.enqueue(on: queues[scheduler.random.below(queues.count)])
        if scheduler.random.chance(4) {
            note("batch \(number) cancel")
            batch.cancel()
        }
    }

    // MARK: Invariants

    private func problemNow() -> String? {
        for subject in subjects {
            if let problem = subject.problem { return problem }
        }
        return nil
    }

    /// Lets everything end that was asked to, and then asks the rest to.
    private func settle() -> String? {
        note("the end: everything goes on")
        for queue in queues {
            queue.isSuspended = false
            queue.maxConcurrentOperationCount = 2
        }
        for _ in 0..<1000 {
            while scheduler.step() || scheduler.advanceClock() {
                if let problem = problemNow() { return problem }
                if scheduler.steps > 200_000 { return "it never comes to rest" }
            }
            let open = subjects.filter { !$0.operation.isFinished }
            if open.isEmpty { return nil }
            var helped = false
            for subject in open where subject.operation.isPaused {
                note("op\(subject.index) resume")
                subject.operation.resume()
                helped = true
            }
            for subject in open {
                let isClaimed = subject.operation.lock.withLock { subject.operation._machine.isClaimed }
                guard !isClaimed, !subject.operation.isFinished else { continue }
                note("op\(subject.index) start")
                subject.operation.start()
                helped = true
            }
            for subject in open where subject.read() { helped = true }
            // The last read ends an operation.
            let isStuck = !helped && !scheduler.step()
            guard isStuck, scheduler.atomically({ open.allSatisfy { !$0.operation.isFinished } }) else { continue }
            return "forgotten: " + open.map { "op\($0.index) \($0.operation.state)" }.joined(separator: ", ")
        }
        return "it never ends"
    }

    private func problemAfterRelease() -> String? {
        scheduler.willInterleave = {}
        let weak = subjects.map { WeakOperation($0.operation) }
        for subject in subjects {
            subject.upstreams = []
            subject.dropStream()
        }
        subjects = []
        batches = []
        while scheduler.step() || scheduler.advanceClock() {}
        let leaked = weak.compactMap(\.operation)
        guard leaked.isEmpty else { return "kept after the end: " + leaked.map(rests).joined(separator: "; ") }
        return nil
    }

    /// What an operation that ended still holds, and what holds it.
    private func rests(of operation: HTTPRequestOperation) -> String {
        let fields = operation.lock.withLock {
            [
                "attempt": operation._attempt == nil ? 0 : 1, "content": operation._content == nil ? 0 : 1,
                "queue": operation._scheduler == nil ? 0 : 1, "at finish": operation._atFinish.count,
                "after completion": operation._afterCompletion.count, "preparations": operation._preparations.count,
                "upstreams": operation._upstreams.count, "completion": operation._completion == nil ? 0 : 1,
                "stream": operation._configuration.value.stream?.holdsAttempt == true ? 1 : 0,
                "held by the graph": operation._dependencyNode?._hold == nil ? 0 : 1,
            ]
        }
        return "\(operation.name ?? "") \(fields.filter { $0.value > 0 })"
    }

    private struct WeakOperation {
        weak var operation: HTTPRequestOperation?
        init(_ operation: HTTPRequestOperation) { self.operation = operation }
    }
}
