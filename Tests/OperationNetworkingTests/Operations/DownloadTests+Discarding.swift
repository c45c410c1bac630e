// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import NetworkingSupport
import TestServer
import Testing

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

extension DownloadTests {
    @Test("A download that nobody will continue removes its part, once it has ended")
    func discarded() async throws {
        server.respond(
            to: "/file", ScriptedResponse.ranged(Self.content, etag: "\"a\"").ending(.stall, afterBodyBytes: 50_000))
        for _ in 0..<2 {
            let operation = await download(run: false)
            operation.start()
            try await eventually { bytes("target.bin.part")?.count == 50_000 }
            operation.discardPartialDownload()
            #expect(bytes("target.bin.part")?.count == 50_000, "it is under way")
            // Another one of the same target does not take away what this one writes to.
            let other = await download(run: false)
            other.cancel()
            await other.run()
            other.discardPartialDownload()
            #expect(bytes("target.bin.part")?.count == 50_000)
            operation.cancel()
            await operation.completed()
            #expect(names == ["target.bin.part", "target.bin.part.json"])
            operation.discardPartialDownload()
            #expect(names == [])
        }
        try leavePartial(Self.content.prefix(100), validator: "\"a\"", total: 200_000)
        let stranger = await download(path: "/other", run: false)
        stranger.cancel()
        await stranger.run()
        stranger.discardPartialDownload()
        #expect(names == ["target.bin.part", "target.bin.part.json"], "another URL's")
    }

    @Test("Right after a cancellation the part goes as soon as nothing is written to it, before the completion")
    func discardedAfterCancel() async throws {
        server.respond(
            to: "/file", ScriptedResponse.ranged(Self.content, etag: "\"a\"").ending(.stall, afterBodyBytes: 50_000))
        for round in 0..<20 {
            let operation = await download(run: false)
            // A completion that comes while the part is being discarded says nothing.
            let wasDiscarded = Locked(false)
            let seen = Recorder<[String]>()
            operation.completionBlock = { seen.append(wasDiscarded.withLock { $0 } ? names : []) }
            operation.start()
            try await eventually { bytes("target.bin.part")?.count == 50_000 }
            if round % 2 == 1 { operation.pause() }
            operation.cancel()
            operation.discardPartialDownload()
            wasDiscarded.withLock { $0 = true }
            operation.discardPartialDownload()
            await operation.completed()
            #expect(operation.isCancelledError && names == [])
            try await eventually { seen.count == 1 }
            #expect(seen.values == [[]])
        }
    }

    @Test("Before the beginning only a cancelled operation discards a part, and after a success there is none")
    func discardedBeforeAndAfter() async throws {
        server.respond(to: "/file", .ranged(Self.content, etag: "\"a\""))
        let there = ["target.bin.part", "target.bin.part.json"]
        try leavePartial(Self.content.prefix(100), validator: "\"a\"", total: 200_000)
        let cancelled = await download(run: false)
        cancelled.discardPartialDownload()
        #expect(names == there)
        cancelled.cancel()
        cancelled.discardPartialDownload()
        #expect(names == there, "it has not ended")
        await cancelled.run()
        #expect(names == [])
        try leavePartial(Self.content.prefix(100), validator: "\"a\"", total: 200_000)
        let operation = await download(run: false)
        operation.discardPartialDownload()
        await operation.run()
        #expect(operation.error == nil && server.requests.map { $0["Range"] } == ["bytes=100-"])
        operation.discardPartialDownload()
        operation.discardPartialDownload()
        #expect(names == ["target.bin"] && bytes("target.bin") == Self.content)
        HTTPRequestOperation.make(server.url("/file")).discardPartialDownload()
    }

    @Test("A download that is paused and then dropped goes away, and leaves its part to the next one")
    func droppedWhilePaused() async throws {
        let index = Tally()
        server.respond(to: "/file") { _ in
            let response = ScriptedResponse.ranged(Self.content, etag: "\"a\"")
            return index.increment() == 1 ? response.ending(.stall, afterBodyBytes: 50_000) : response
        }
        weak var dropped: HTTPRequestOperation?
        do {
            let operation = await download(run: false)
            operation.start()
            try await eventually { operation.response != nil && bytes("target.bin.part")?.count == 50_000 }
            operation.pause()
            dropped = operation
        }
        try await eventually("released") { dropped == nil }
        try await eventually("the part is let go of") {
            let file = open(target.path + ".part", O_RDWR | O_CLOEXEC)
            defer { close(file) }
            return flock(file, LOCK_EX | LOCK_NB) == 0
        }
        let next = await download()
        #expect(next.error == nil && bytes("target.bin") == Self.content && names == ["target.bin"])
        #expect(server.requests.map { $0["Range"] } == [nil, "bytes=50000-"])
    }

    @Test("A download that is paused between two attempts and then dropped leaves its part to the next one, too")
    func droppedBetweenAttempts() async throws {
        let index = Tally()
        server.respond(to: "/file") { _ in
            index.increment() == 1 ? .status(503) : .ranged(Self.content, etag: "\"a\"")
        }
        try leavePartial(Self.content.prefix(100), validator: "\"a\"", total: 200_000)
        weak var dropped: HTTPRequestOperation?
        do {
            let operation = await download(run: false)
            operation.retryPolicy = RetryPolicy(backoff: .constant(3600))
            operation.start()
            try await eventually { operation.retryCount == 1 }
            operation.pause()
            #expect(operation.isPaused)
            dropped = operation
        }
        try await eventually("released") { dropped == nil }
        try await eventually("the part is let go of") {
            let file = open(target.path + ".part", O_RDWR | O_CLOEXEC)
            defer { close(file) }
            return flock(file, LOCK_EX | LOCK_NB) == 0
        }
        let next = await download()
        #expect(next.error == nil && bytes("target.bin") == Self.content && names == ["target.bin"])
        #expect(server.requests.map { $0["Range"] } == ["bytes=100-", "bytes=100-"])
    }
}
