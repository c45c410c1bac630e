// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking

/// Of Foundation's class, whose responses the library keeps beside.
private func useCache(in directory: String) {
    OperationURLCache.defaultDirectory = URL(fileURLWithPath: directory + "/own")
    URLCache.shared = URLCache(memoryCapacity: 1 << 20, diskCapacity: 1 << 20, diskPath: directory)
}

/// As on a full disk from here on, and not from the program's start: ThreadSanitizer writes a file of its own then.
func fillDisk() {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: 0, rlim_max: 0)
    guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { exit(2) }
}

/// Sends requests one after the other, and exits with 0 when all were answered, by a server or by what is in the cache.
func runSending(_ directory: String, _ text: String, _ methods: ArraySlice<String>) -> Never {
    guard let url = URL(string: text) else { exit(2) }
    useCache(in: directory)
    let queue = DispatchQueue(label: "fixture")
    for method in methods {
        var request = URLRequest(url: url)
        request.httpMethod = method
        let operation = HTTPRequestOperation(request: request)
        operation.completionQueue = queue
        operation.responseSerializer = HTTPResponseSerializer()
        operation.start()
        operation.waitUntilFinished()
        if let error = operation.error {
            FileHandle.standardError.write(Data("\(method): \(error)\n".utf8))
            exit(1)
        }
    }
    exit(0)
}

/// Counts on one queue.
// Sendable because everything mutable is touched on `queue` only.
private final class CachedRun: @unchecked Sendable {
    let queue = DispatchQueue(label: "fixture")
    private let manager = HTTPRequestOperationManager()
    private let url: String
    private var left: Int
    private var ended = 0
    private var hits = 0
    private var threads = 0
    private let count: Int

    init(_ url: String, _ count: Int) {
        self.url = url
        self.count = count
        left = count
        NetworkEngine.maximumConnectionsPerHost = 64
        manager.operationQueue.maxConcurrentOperationCount = 64
        manager.completionQueue = queue
        manager.responseSerializer = HTTPResponseSerializer()
    }

    func next() {
        guard left > 0 else { return }
        left -= 1
        manager.get(
            url, success: { operation, _ in self.end(operation.metrics?.cacheOutcome == .hit) },
            failure: { _, error in
                FileHandle.standardError.write(Data("\(error)\n".utf8))
                exit(1)
            })
    }

    private func end(_ isHit: Bool) {
        ended += 1
        if isHit { hits += 1 }
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task"))?.count ?? 0
        threads = max(threads, tasks)
        guard ended == count else { return next() }
        print(threads, hits)
        exit(0)
    }
}

func runCached(_ directory: String, _ url: String, _ count: Int) -> Never {
    useCache(in: directory)
    let run = CachedRun(url, count)
    run.queue.async { for _ in 0..<64 { run.next() } }
    dispatchMain()
}
