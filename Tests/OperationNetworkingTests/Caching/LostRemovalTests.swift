// SPDX-License-Identifier: MIT
import Dispatch
import Foundation
import NetworkingSupport
import NetworkingTransport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

/// Removals, and responses that take the place of others, while files are read or written.
@Suite("Removing while files are read or written", .timeLimit(.minutes(1))) struct LostRemovalTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Makes a store as the next process has it.
    private func store(_ capacity: Int = 1 << 20) -> ResponseStore {
        let path = directory.path
        return ResponseStore(memoryCapacity: 1 << 20, disk: DiskStore(capacity: capacity) { path })
    }

    private static func key(_ name: String, trust: String = "") throws -> CacheKey {
        try #require(CacheKey(try RequestTarget("http://example.com/\(name)"), trust: trust))
    }

    private static func response(_ content: String, isInMemoryOnly: Bool = false) -> StoredResponse {
        var response = StoredResponse(
            head: CacheRuleTests.head("Cache-Control: max-age=60"), content: Data(content.utf8), requestTime: 1,
            responseTime: 2)
        response.isInMemoryOnly = isInMemoryOnly
        return response
    }

    /// Waits until all changes so far are made, to files, too.
    private func settle(_ store: ResponseStore) async {
        repeat {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                Runtime.current.onCachingThread { continuation.resume() }
            }
        } while store.state.withLock({ $0.isWriting })
    }

    private func interrupt(_ disk: DiskStore, with work: (@Sendable () -> Void)?) {
        disk.state.withLock { $0.interlude = work }
    }

    // MARK: Looking

    @Test("A removal during the first look reaches what the look has not found yet")
    func firstLook() async throws {
        let keys = try ["a", "b"].map { try Self.key("x", trust: $0) }
        let writer = store()
        for key in keys { writer.store(Self.response("old"), for: key) }
        await settle(writer)
        let first = keys[0].digest
        let known = writer.disk.state.withLock { $0.places[first] }
        let place = try #require(known)
        let reader = store()
        reader.disk.findFolder()
        reader.disk.state.withLock { _ = $0.put(place) }
        reader.remove(keys[0])
        await settle(reader)
        let next = store()
        for key in keys { #expect(next.response(for: key) == nil) }
    }

    @Test("What is removed before the first look is not found by it")
    func beforeLook() async throws {
        let (key, beside) = (try Self.key("x", trust: "a"), try Self.key("y"))
        let writer = store()
        for key in [key, beside] { writer.store(Self.response("old"), for: key) }
        await settle(writer)
        let disk = store().disk
        #expect(disk.forget(key.resource).isEmpty)
        disk.look()
        #expect(disk.holds(key.digest) == .absent && disk.holds(beside.digest) == .present)
        let next = store()
        #expect(next.response(for: key) == nil && next.response(for: beside) != nil)
    }

    @Test("A removal while a look reads a file is not undone by it")
    func duringLook() async throws {
        let key = try Self.key("x")
        let reader = store()
        reader.disk.look()
        let writer = store()
        writer.store(Self.response("old"), for: key)
        await settle(writer)
        interrupt(reader.disk) { reader.remove(key) }
        reader.disk.look()
        interrupt(reader.disk, with: nil)
        #expect(reader.disk.holds(key.digest) == .absent)
        await settle(reader)
        #expect(store().response(for: key) == nil)
    }

    // MARK: Making room

    @Test("A removal while room is made does not leave what moves, and others move")
    func makingRoom() async throws {
        let capacity = 200_000
        let responses = store(capacity)
        let disk = responses.disk
        let (key, beside) = (try Self.key("used"), try Self.key("beside"))
        let content = String(repeating: "x", count: 1000)
        for key in [key, beside] {
            #expect(disk.add([(key.digest, Self.response(content))]) == 1)
            disk.noteUse(of: key.digest)
        }
        let calls = Locked(0)
        interrupt(disk) {
            calls.withLock { $0 += 1 }
            responses.remove(key)
        }
        for number in 0..<400 where calls.withLock({ $0 }) == 0 {
            let digest = try Self.key("\(number)").digest
            #expect(disk.add([(digest, Self.response(content))]) == 1)
        }
        interrupt(disk, with: nil)
        #expect(calls.withLock { $0 } > 0)
        await settle(responses)
        #expect(disk.response(for: key.digest) == nil && disk.response(for: beside.digest) != nil)
        let next = store(capacity)
        #expect(next.response(for: key) == nil && next.response(for: beside) != nil)
    }

    @Test("Without capacity for a moment the files stay known: what is there is found, and can be removed")
    func capacities() async throws {
        let (kept, removed) = (try Self.key("kept"), try Self.key("removed"))
        let responses = store()
        for key in [kept, removed] { responses.store(Self.response("old"), for: key) }
        await settle(responses)
        let disk = responses.disk
        #expect(disk.setCapacity(0))
        #expect(disk.response(for: kept.digest) == nil && disk.holds(kept.digest) == .absent)
        responses.remove(removed)
        await settle(responses)
        #expect(!disk.setCapacity(1 << 20))
        #expect(disk.response(for: kept.digest) != nil && disk.response(for: removed.digest) == nil)
        #expect(store().response(for: removed) == nil)
        responses.remove(kept)
        await settle(responses)
        #expect(store().response(for: kept) == nil)
    }

    // MARK: In memory only

    @Test("A response that is to stay in memory takes the place of one that is being written")
    func beingWritten() async throws {
        let key = try Self.key("x")
        let responses = store()
        let disk = responses.disk
        let end = DispatchSemaphore(value: 0)
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            Thread.detachNewThread {
                disk.access.withLock { _ in
                    continuation.resume()
                    end.wait()
                }
            }
        }
        responses.store(Self.response("old"), for: key)
        do {
            // Its turn has come when the folder is looked for, and it is written when the files are free.
            try await eventually("the write") { disk.folder != nil }
        } catch {
            end.signal()
            throw error
        }
        responses.store(Self.response("new", isInMemoryOnly: true), for: key)
        end.signal()
        await settle(responses)
        #expect(responses.response(for: key)?.content == Data("new".utf8))
        #expect(store().response(for: key) == nil)
    }

    @Test("A response that is to stay in memory replaces an older one in files that were not looked at yet")
    func unknownFiles() async throws {
        let key = try Self.key("x")
        let writer = store()
        writer.store(Self.response("old"), for: key)
        await settle(writer)
        let responses = store()
        responses.store(Self.response("new", isInMemoryOnly: true), for: key)
        await settle(responses)
        #expect(responses.response(for: key)?.content == Data("new".utf8))
        #expect(store().response(for: key) == nil)
    }

    // MARK: Other processes

    @Test("What another store removes while this one removes, too, is found by the next look")
    func removalsAtOnce() throws {
        let (one, other) = (store().disk, store().disk)
        let (a, b) = (try Self.key("a").digest, try Self.key("b").digest)
        #expect(one.add([(a, Self.response("a")), (b, Self.response("b"))]) == 2)
        other.look()
        let others = try #require(other.forget(b))
        let place = try #require(one.forget(a))
        interrupt(one) { other.erase(others) }
        one.erase(place)
        interrupt(one, with: nil)
        #expect(one.look().contains(b))
        #expect(one.holds(b) == .absent)
        // Nothing is read once more.
        #expect(one.state.withLock { $0.segments.values.allSatisfy { !$0.isStale } })
    }

    @Test("What another store removes is found, although this one adds to the file before it looks")
    func removalBeforeAdding() async throws {
        let (one, other) = (store().disk, store().disk)
        let (a, b) = (try Self.key("a").digest, try Self.key("b").digest)
        #expect(one.add([(a, Self.response("a"))]) == 1)
        other.look()
        let place = try #require(other.forget(a))
        let written = try modified(place.segment.text)
        // Of changes within one tick of the file system's clock only the last one is seen.
        try await eventually("a later time") {
            try directory.write("", to: "clock")
            return try modified("clock") > written
        }
        other.erase(place)
        #expect(one.add([(b, Self.response("b"))]) == 1)
        #expect(one.look().contains(a))
        #expect(one.holds(a) == .absent && one.holds(b) == .present)
        #expect(one.state.withLock { $0.segments.count } == 1)
    }

    private func modified(_ name: String) throws -> Date {
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.file(name).path)
        return try #require(attributes[.modificationDate] as? Date)
    }
}
