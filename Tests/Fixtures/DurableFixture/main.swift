// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import OperationNetworkingDurable

// A worker that tests start and kill, and a measurement.
//
//   DurableFixture work STORE [LEASE-SECONDS [CONCURRENT]]     until the store is empty; prints each recorded end
//   DurableFixture add STORE URL COUNT                         adds COUNT requests for URL, in batches
//   DurableFixture bench STORE URL COUNT [CONCURRENT]          adds, runs and prints figures
//
// STORE is a file, or a connection string of PostgreSQL's that begins with "postgresql:".

func residentMegabytes() -> Int {
    // As a stream: its size is 0 to those who ask for it.
    let file = FileHandle(forReadingAtPath: "/proc/self/statm")
    let pages = String(decoding: file?.readDataToEndOfFile() ?? Data(), as: UTF8.self).split(separator: " ").dropFirst()
        .first
    return (pages.flatMap { Int($0) } ?? 0) * 4096 / (1 << 20)
}

func fail(_ text: String) -> Never {
    FileHandle.standardError.write(Data((text + "\n").utf8))
    exit(1)
}

func makeQueue(_ store: any RequestStore, lease: Double, concurrent: Int) -> DurableRequestQueue {
    let manager = HTTPRequestOperationManager(baseURL: nil)
    manager.responseSerializer = HTTPResponseSerializer()
    let operations = RequestOperationQueue()
    operations.maxConcurrentOperationCount = concurrent
    operations.maxConcurrentOperationsPerHost = concurrent
    manager.operationQueue = operations
    var configuration = DurableRequestQueue.Configuration()
    configuration.leaseDuration = lease
    configuration.maximumConcurrentRequests = concurrent
    configuration.maximumLosses = 1_000_000
    configuration.retryPolicy = DurableRetryPolicy(maximumAttempts: 1000, initialDelay: 0.05, maximumDelay: 0.5)
    return DurableRequestQueue(store: store, manager: manager, configuration: configuration)
}

func add(_ count: Int, _ url: URL, to queue: DurableRequestQueue) async throws {
    var added = 0
    while added < count {
        let size = min(5000, count - added)
        try await queue.add((0..<size).map { _ in DurableRequest(URLRequest(url: url)) })
        added += size
    }
}

func seconds(since start: Date) -> String { String(format: "%.2f", Date().timeIntervalSince(start)) }

let arguments = CommandLine.arguments
guard arguments.count >= 3 else { fail("usage: DurableFixture work|add|bench STORE …") }
func number(_ place: Int, _ other: Double) -> Double {
    arguments.count > place ? Double(arguments[place]) ?? other : other
}

do {
    let store: any RequestStore =
        arguments[2].hasPrefix("postgresql:")
        ? try await PostgresRequestStore(arguments[2]) : try SQLiteRequestStore(url: URL(fileURLWithPath: arguments[2]))
    switch arguments[1] {
    case "work":
        let queue = makeQueue(store, lease: number(3, 30), concurrent: Int(number(4, 8)))
        let events = queue.events
        let printer = Task {
            for await event in events {
                guard case .finished(let id, _) = event else { continue }
                FileHandle.standardOutput.write(Data("\(id)\n".utf8))
            }
        }
        try await queue.run()
        await printer.value
    case "add", "bench":
        guard arguments.count >= 5, let url = URL(string: arguments[3]), let count = Int(arguments[4]) else {
            fail("usage: DurableFixture add|bench STORE URL COUNT")
        }
        let queue = makeQueue(store, lease: 30, concurrent: Int(number(5, 64)))
        let start = Date()
        try await add(count, url, to: queue)
        print("added \(count) in \(seconds(since: start)) s; resident \(residentMegabytes()) MiB")
        guard arguments[1] == "bench" else { break }
        let run = Date()
        try await queue.run()
        let rate = Double(count) / Date().timeIntervalSince(run)
        print("ran \(count) in \(seconds(since: run)) s: \(Int(rate))/s; resident \(residentMegabytes()) MiB")
        print(try await queue.counts())
    default: fail("usage: DurableFixture work|add|bench STORE …")
    }
    await store.close()
} catch {
    fail("\(error)")
}
