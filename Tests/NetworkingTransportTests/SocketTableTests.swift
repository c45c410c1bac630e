// SPDX-License-Identifier: MIT
import Glibc
import NetworkingSupport
import Testing

@testable import NetworkingTransport

@Suite("Sockets in the epoll set", .timeLimit(.minutes(1)))
struct SocketTableTests {
    private let input = SocketTable.readable
    private let output = SocketTable.writable

    @Test("An idle connection stays in the set, and costs nothing when it is wanted again")
    func idle() {
        let table = SocketTable()
        table.noteOpened(5)
        #expect(table.want(input, 5) == .add(input))
        #expect(table.event(on: 5) == .wanted)
        #expect(table.want(0, 5) == .none)
        #expect(table.want(input, 5) == .none)
        #expect(table.want(input | output, 5) == .modify(input | output))
        #expect(table.want(input, 5) == .modify(input))
    }

    @Test("A connection is flooded after a hundred turns of reading in a row that were of use to nobody")
    func floods() {
        let table = SocketTable()
        table.noteOpened(5)
        var now: UInt64 = 1_000_000_000_000
        // With nanoseconds between them; and after how many something comes that somebody waits for.
        func isFlooded(every pause: UInt64, use: Int? = nil) -> Bool {
            var (lastUse, result) = (UInt64(0), false)
            for turn in 1...300 {
                now += pause
                if let use, turn % use == 0 { lastUse = now }
                result = table.noteLongRead(on: 5, lastUse: lastUse, now: now) || result
            }
            now += 10_000_000_000
            return result
        }
        #expect(isFlooded(every: 5_000_000))
        // Many connections have their turns.
        #expect(isFlooded(every: 4_000_000_000))
        #expect(!isFlooded(every: 6_000_000_000))
        #expect(!isFlooded(every: 5_000_000, use: 90) && isFlooded(every: 5_000_000, use: 120))
        #expect(isFlooded(every: 5_000_000) && table.isFlooded(5))
        table.noteOpened(5)
        #expect(!table.isFlooded(5) && !table.isFlooded(6))
    }

    @Test("An open connection is found by its port, until it is closed")
    func ports() {
        let table = SocketTable()
        for (socket, pool) in [(Int32(5), UInt32(1)), (6, 2)] {
            table.noteOpened(socket, for: SocketTable.Owner(pool: pool, origin: 0))
            table.noteLocalPort(4000, of: socket)
        }
        func found(_ port: Int32, _ pool: UInt32) -> Int32? {
            var socket: Int32?
            _ = table.holds(ofPort: port, in: pool) {
                socket = $0
                return true
            }
            return socket
        }
        #expect(found(4000, 1) == 5 && found(4000, 2) == 6 && found(4001, 1) == nil && found(0, 1) == 5)
        table.noteUse(of: 5, by: 1)
        #expect(found(4000, 1) == 5 && found(0, 1) == nil)
        _ = table.noteClosing(5)
        #expect(found(4000, 1) == nil && found(4000, 2) == 6)
    }

    @Test("What arrives on an idle connection takes it out of the set")
    func arrival() {
        let table = SocketTable()
        table.noteOpened(5)
        _ = table.want(input, 5)
        _ = table.want(0, 5)
        #expect(table.event(on: 5) == .unsolicited)
        #expect(table.want(input, 5) == .add(input))
        #expect(table.event(on: 5) == .wanted)
    }

    @Test("A shared connection that is idle is watched for its end, whatever else arrives on it")
    func end() {
        let table = SocketTable()
        table.noteOpened(5)
        table.noteMultiplexed(5)
        _ = table.want(input, 5)
        #expect(table.event(on: 5) == .wanted)
        _ = table.want(0, 5)
        #expect(table.event(on: 5) == .unasked)
        #expect(table.want(input, 5) == .modify(input))
        _ = table.want(0, 5)
        #expect(table.event(on: 5) == .unasked)
        #expect(table.event(on: 5) == .hungUp)
        #expect(!table.noteClosing(5))
    }

    @Test("A connection that could be written to is watched for reading only when it is idle")
    func writable() {
        let table = SocketTable()
        table.noteOpened(5)
        _ = table.want(output, 5)
        #expect(table.want(0, 5) == .modify(input))
        #expect(table.want(input, 5) == .none)
    }

    @Test("Room to write that is of no use is not looked for, until something arrives or a while has passed")
    func closedWindow() {
        let table = SocketTable()
        table.noteOpened(5)
        _ = table.want(input | output, 5)
        // HTTP/1.1 has no windows.
        for _ in 0..<9 { #expect(table.noteWriting(on: 5, isVain: true, now: 1) == .none) }
        table.noteWindows(5)
        for _ in 0..<3 { #expect(table.noteWriting(on: 5, isVain: true, now: 1) == .none) }
        #expect(table.noteWriting(on: 5, isVain: false, now: 1) == .none)
        for _ in 0..<3 { #expect(table.noteWriting(on: 5, isVain: true, now: 1) == .none) }
        #expect(table.nextLook == .max)
        #expect(table.noteWriting(on: 5, isVain: true, now: 1) == .modify(input))
        #expect(table.nextLook == 10_000_001)
        #expect(table.takeRested(now: 2).isEmpty)
        let rested = table.takeRested(now: 10_000_001)
        #expect(rested.map(\.socket) == [5] && rested.map(\.change) == [.modify(input | output)])
        #expect(table.nextLook == .max)
        // One look at a time, as long as it is of no use.
        #expect(table.noteWriting(on: 5, isVain: true, now: 20_000_000) == .modify(input))
        #expect(table.noteReading(on: 5) == .modify(input | output))
        #expect(table.noteReading(on: 5) == .none)
        #expect(table.noteWriting(on: 5, isVain: true, now: 20_000_000) == .none)
        #expect(table.takeRested(now: 40_000_000).isEmpty)
    }

    @Test("A connection that is not looked at for room to write is closed, or wanted anew, as any other")
    func closedWindowEnds() {
        let table = SocketTable()
        table.noteOpened(5)
        table.noteMultiplexed(5)
        _ = table.want(input | output, 5)
        func fillUp() { for _ in 0..<4 { _ = table.noteWriting(on: 5, isVain: true, now: 1) } }
        fillUp()
        #expect(table.want(input, 5) == .none)
        #expect(table.want(input | output, 5) == .modify(input | output))
        fillUp()
        #expect(table.noteClosing(5))
        #expect(table.takeRested(now: .max).isEmpty && table.nextLook == .max)
    }

    @Test("A closed connection leaves the set before its number is used again")
    func closing() {
        let table = SocketTable()
        table.noteOpened(5)
        _ = table.want(input, 5)
        _ = table.want(0, 5)
        #expect(table.noteClosing(5))
        #expect(!table.noteClosing(5))
        table.noteOpened(5)
        #expect(table.want(input, 5) == .add(input))
    }

    @Test("A descriptor that the engine did not open is watched exactly when libcurl says so")
    func foreign() {
        let table = SocketTable()
        #expect(table.want(input, 900) == .add(input))
        #expect(table.want(input, 900) == .modify(input))
        #expect(table.want(0, 900) == .remove)
        #expect(table.want(input, 900) == .add(input))
        table.noteRefused(900)
        #expect(table.want(input, 900) == .add(input))
        #expect(table.want(input, -1) == .none)
    }

    @Test("Idle connections that the server closes disturb nothing, and are not used again")
    func closedByServer() async {
        let mayClose = Latch()
        let closed = Latch()
        let server = ScriptedServer { connection in
            guard connection.readRequest() != nil else { return }
            connection.respond("x")
            mayClose.wait()
            connection.shutDown()
            closed.open()
        }
        let engine = TransportEngine()
        defer {
            mayClose.open()
            engine.shutdown()
            server.stop()
        }
        #expect(await engine.run(TransferRequest(server.url)).text == "x")
        #expect(await engine.watchedConnections().count == 1)
        mayClose.open()
        closed.wait()
        // It would keep the network thread busy there.
        while await !engine.watchedConnections().isEmpty { await Task.yield() }
        for _ in 0..<3 {
            let record = await engine.run(TransferRequest(server.url))
            #expect(record.error == nil && record.text == "x")
            #expect(!record.timings.reusedConnection)
        }
    }

    @Test("A program that this process starts does not inherit connections")
    func inheritance() async throws {
        await withEngine(server: { $0.respondToAll("x") }) { engine, server in
            _ = await engine.run(TransferRequest(server.url))
            let flags = await engine.watchedConnections().map { fcntl($0, F_GETFD) & FD_CLOEXEC }
            #expect(flags.count == 1 && flags.allSatisfy { $0 != 0 })
        }
    }
}

extension TransportEngine {
    /// The descriptors of connections in the epoll set.
    func watchedConnections() async -> [Int32] {
        await withCheckedContinuation { continuation in
            perform { [self] in continuation.resume(returning: loop.poller?.sockets.watchedConnections ?? []) }
        }
    }
}
