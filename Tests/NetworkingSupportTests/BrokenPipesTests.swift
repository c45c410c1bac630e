// SPDX-License-Identifier: MIT
import Foundation
import Glibc
import NetworkingSupport
import Synchronization
import Testing

@Suite("Broken pipes", .timeLimit(.minutes(1)), .serialized) struct BrokenPipesTests {
    /// Signals that a thread of the process was given.
    private static let signals = Atomic<Int>(0)

    /// - Returns: signals that came meanwhile.
    private func counting(_ body: () -> Void) -> Int {
        let before = signal(SIGPIPE) { _ in Self.signals.wrappingAdd(1, ordering: .relaxed) }
        defer { signal(SIGPIPE, before) }
        let count = Self.signals.load(ordering: .relaxed)
        body()
        return Self.signals.load(ordering: .relaxed) - count
    }

    private func brokenPipe() throws -> Int32 {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        close(ends[0])
        return ends[1]
    }

    private var isBlocked: Bool {
        var mask = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &mask)
        return sigismember(&mask, SIGPIPE) == 1
    }

    @Test("A write without a reader is an error, and nothing else")
    func error() throws {
        let end = try brokenPipe()
        defer { close(end) }
        let count = counting {
            let code = Data("x".utf8).withUnsafeBytes { BrokenPipes.write($0, to: end) }
            #expect(code == EPIPE)
            BrokenPipes.areErrors { BrokenPipes.areErrors { _ = write(end, "x", 1) } }
        }
        #expect(count == 0 && !isBlocked)
    }

    @Test("Elsewhere the signal comes as before, and one that was there before is left there")
    func leftAlone() throws {
        let end = try brokenPipe()
        defer { close(end) }
        #expect(counting { _ = write(end, "x", 1) } == 1)
        let count = counting {
            var set = sigset_t()
            sigemptyset(&set)
            sigaddset(&set, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &set, nil)
            pthread_kill(pthread_self(), SIGPIPE)
            BrokenPipes.areErrors { _ = write(end, "x", 1) }
            #expect(isBlocked)
            pthread_sigmask(SIG_UNBLOCK, &set, nil)
        }
        #expect(count == 1)
    }

    @Test("All bytes are written")
    func whole() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reader, writer) = (ends[0], ends[1])
        let content = Data(count: 1_000_000)
        DispatchQueue.global().async {
            _ = content.withUnsafeBytes { BrokenPipes.write($0, to: writer) }
            close(writer)
        }
        let read = try FileHandle(fileDescriptor: reader, closeOnDealloc: true).readToEnd()
        #expect(read == content)
    }
}
