// SPDX-License-Identifier: MIT
internal import CCurl
internal import Glibc

/// The events that the epoll set watches for libcurl, socket by socket.
///
/// libcurl stops watching a connection whenever a transfer on it ends, and watches it again when the next begins: two
/// system calls for every request. The table leaves an idle connection in the set, and takes it out only when something
/// arrives on it or it is closed. That is done for sockets which the engine opens and closes itself, so that none
/// leaves the set unnoticed; for libcurl's other descriptors the set is what libcurl says.
///
/// Network thread only.
final class SocketTable {
    /// To be watched for something to read, or for room to write.
    static let readable = EPOLLIN.rawValue
    static let writable = EPOLLOUT.rawValue
    /// To be watched for the peer's end.
    static let ended = EPOLLRDHUP.rawValue

    private struct Entry {
        /// The events that the set watches; 0: the socket is not in it.
        var watched: UInt32 = 0
        /// The events that libcurl wants to know of; 0: none.
        var wanted: UInt32 = 0
        /// Opened by the engine.
        var isConnection = false
        /// Requests share it, and the server may speak unasked: HTTP/2.
        var isMultiplexed = false
        /// The server limits what it takes, so that there may be room to write and nothing that may be written: HTTP/2.
        var hasWindows = false
        /// The number of times in a row that room to write was of no use.
        var vainWrites = 0
        /// The time until which room to write is not looked for; 0: it is looked for.
        var quietUntil: UInt64 = 0
        /// Turns of reading in a row that were cut short and of use to no transfer, and the time of the last one.
        var vainReads = 0
        var vainReadTime: UInt64 = 0
        /// The judgement of what came on it, and the credit that was not counted yet.
        var use = ReadUse()
        var credit: Int64 = 0
        /// Reads since the latest look at `use`.
        var uncheckedReads = 0
        /// Too much was of no use.
        var isFlooded = false
        /// It is not to be used again.
        var isGivenUp = false
        /// The driver that uses it, by its address; 0: none, or several.
        var user: UInt = 0
        /// Our port of it, once a transfer on it has ended; 0: not known, or it has none.
        var localPort: Int32 = 0
        /// The verdict that the handshake on it waits for. The socket is not watched meanwhile, because it can always
        /// be written to.
        var holder: ObjectIdentifier?
        /// The pool and the origin that it was opened for.
        var owner = Owner(pool: 0, origin: -1)
    }

    /// The pool and the origin that a connection was opened for, by the engine's numbers.
    struct Owner: Hashable {
        let pool: UInt32
        let origin: Int
    }

    /// By descriptor. Not checked for overlapping accesses: nothing is called while one is changed.
    @exclusivity(unchecked) private var entries: [Entry] = []
    /// Connections that are open, or being made.
    @exclusivity(unchecked) private(set) var connectionCount = 0

    /// Takes note that a connection's socket was made.
    func noteOpened(_ socket: Int32, for owner: Owner = Owner(pool: 0, origin: -1)) {
        guard let index = index(of: socket) else { return }
        if !entries[index].isConnection { connectionCount += 1 }
        entries[index] = Entry(isConnection: true, owner: owner)
    }

    /// Takes note that a connection's socket is about to be closed. True: it has to leave the set before.
    func noteClosing(_ socket: Int32) -> Bool {
        guard let index = index(of: socket) else { return false }
        if entries[index].isConnection { connectionCount -= 1 }
        let port = Port(pool: entries[index].owner.pool, number: entries[index].localPort)
        if socketsByPort[port] == socket { socketsByPort[port] = nil }
        if let holder = entries[index].holder { heldSockets[holder] = nil }
        defer { entries[index] = Entry() }
        return entries[index].watched != 0
    }

    // MARK: Watching

    /// A change of the set for one socket.
    enum Change: Equatable {
        case none
        /// The events to watch from now on.
        case add(UInt32), modify(UInt32)
        case remove
    }

    /// Takes note of the events that libcurl wants to know of, and returns the change of the set.
    ///
    /// - Parameter holder: Until `endHold(by:)` the set does not watch the socket.
    func want(_ interest: UInt32, _ socket: Int32, heldBy holder: ObjectIdentifier? = nil) -> Change {
        guard let index = index(of: socket) else { return .none }
        let entry = entries[index]
        entries[index].wanted = interest
        entries[index].quietUntil = 0
        if let holder, interest != 0 {
            entries[index].holder = holder
            heldSockets[holder] = socket
            entries[index].watched = 0
            return entry.watched == 0 ? .none : .remove
        }
        if interest == 0 {
            guard entry.isConnection, entry.watched != 0 else {
                entries[index].watched = 0
                return .remove
            }
            if entry.watched == Self.readable { return .none }
            // A socket that may be written to would be ready all the time.
            entries[index].watched = Self.readable
            return .modify(Self.readable)
        }
        if entry.isConnection, entry.watched == interest { return .none }
        entries[index].watched = interest
        return entry.watched == 0 ? .add(interest) : .modify(interest)
    }

    private var heldSockets: [ObjectIdentifier: Int32] = [:]

    /// Takes note that a verdict is there. Returns the socket that was not watched until now, and the events to watch;
    /// nil: no socket is to be watched.
    func endHold(by holder: ObjectIdentifier) -> (socket: Int32, interest: UInt32)? {
        guard let socket = heldSockets.removeValue(forKey: holder), let index = index(of: socket),
            entries[index].holder == holder
        else { return nil }
        entries[index].holder = nil
        let entry = entries[index]
        guard entry.watched == 0, entry.wanted != 0 else { return nil }
        entries[index].watched = entry.wanted
        return (socket, entry.wanted)
    }

    /// Takes note that the socket is not in the set.
    func noteRefused(_ socket: Int32) {
        guard let index = index(of: socket) else { return }
        entries[index].watched = 0
    }

    /// The meaning of an event on a socket.
    enum Event: Equatable {
        /// libcurl waits for it.
        case wanted
        /// It concerns no transfer at present: the socket is to leave the set.
        case unwanted
        /// On a connection that requests share and that may be idle: the server may send something, which libcurl reads
        /// when it looks next. The socket is to be watched for the end alone.
        case unasked
        /// The server has ended such a connection: the socket is to leave the set.
        case hungUp
        /// Something on a connection that has nothing to receive, which must not be taken for the next answer: the
        /// socket is to leave the set, and the connection is not to be used again.
        case unsolicited
    }

    func event(on socket: Int32) -> Event {
        guard let index = index(of: socket), entries[index].wanted == 0 else { return .wanted }
        let entry = entries[index]
        if entry.isConnection, entry.isMultiplexed, entry.watched == Self.readable {
            entries[index].watched = Self.ended
            return .unasked
        }
        entries[index].watched = 0
        if entry.isMultiplexed, entry.watched == Self.ended { return .hungUp }
        guard entry.isConnection, entry.user == 0, !entry.isMultiplexed else { return .unwanted }
        return .unsolicited
    }

    // MARK: Room to write that is of no use

    /// The number of times that libcurl is told of room to write and writes nothing.
    private static let vainWriteLimit = 4
    /// Nanoseconds after which it is told again. To wait for the server to send is not enough: libcurl may take in a
    /// window without using it at once.
    private static let quietTime: UInt64 = 10_000_000

    /// The connections on which room to write is not looked for. Some may be watched again already.
    private var quietSockets: [Int32] = []
    /// The time at which to look for it again on one of them; `.max`: no look is due.
    private(set) var nextLook = UInt64.max

    /// Takes note that libcurl was told of room to write, and of nothing else; `isVain`: it had no use for it. After a
    /// few times the set stops watching for room, because libcurl goes on asking while the server's window is closed.
    func noteWriting(on socket: Int32, isVain: Bool, now: UInt64) -> Change {
        guard let index = index(of: socket), entries[index].hasWindows else { return .none }
        guard isVain else {
            entries[index].vainWrites = 0
            return .none
        }
        entries[index].vainWrites = min(entries[index].vainWrites + 1, Self.vainWriteLimit)
        let entry = entries[index]
        guard entry.vainWrites == Self.vainWriteLimit, entry.wanted == Self.readable | Self.writable,
            entry.watched == entry.wanted
        else { return .none }
        entries[index].watched = Self.readable
        entries[index].quietUntil = now &+ Self.quietTime
        quietSockets.append(socket)
        nextLook = min(nextLook, entries[index].quietUntil)
        return .modify(Self.readable)
    }

    /// Takes note that something came on a connection: the server may have opened its window.
    func noteReading(on socket: Int32) -> Change {
        guard !quietSockets.isEmpty, let index = index(of: socket), entries[index].quietUntil != 0 else { return .none }
        entries[index].vainWrites = 0
        return endQuiet(index)
    }

    /// Returns the connections on which to look for room to write again.
    func takeRested(now: UInt64) -> [(socket: Int32, change: Change)] {
        var rested: [(Int32, Change)] = []
        var resting: [Int32] = []
        nextLook = .max
        for socket in quietSockets {
            guard let index = index(of: socket), entries[index].quietUntil != 0 else { continue }
            if entries[index].quietUntil <= now {
                rested.append((socket, endQuiet(index)))
            } else {
                resting.append(socket)
                nextLook = min(nextLook, entries[index].quietUntil)
            }
        }
        quietSockets = resting
        return rested
    }

    private func endQuiet(_ index: Int) -> Change {
        entries[index].quietUntil = 0
        guard entries[index].watched == Self.readable, entries[index].wanted & Self.writable != 0 else { return .none }
        entries[index].watched = entries[index].wanted
        return .modify(entries[index].wanted)
    }

    // MARK: Things to read that are of no use

    /// The number of turns of reading in a row that are accepted: half a second altogether.
    private static let vainReadLimit = 100
    /// Nanoseconds without one after which they are counted anew. Long, because many connections may take their turns.
    private static let vainReadPause: UInt64 = 5_000_000_000

    /// Takes note that a turn of reading was cut short.
    ///
    /// - Parameter lastUse: The time at which something last came, or was sent, that a transfer on the connection waits
    ///   for.
    /// - Returns: True if too many were cut short, and of use to no transfer.
    func noteLongRead(on socket: Int32, lastUse: UInt64, now: UInt64) -> Bool {
        guard let index = index(of: socket) else { return false }
        let last = entries[index].vainReadTime
        if lastUse >= last || now &- last > Self.vainReadPause { entries[index].vainReads = 0 }
        entries[index].vainReads += 1
        entries[index].vainReadTime = now
        return isFlooded(socket)
    }

    func isFlooded(_ socket: Int32) -> Bool {
        index(of: socket).map { entries[$0].isFlooded || entries[$0].vainReads > Self.vainReadLimit } ?? false
    }

    /// Useful reads between two looks at what all reads brought.
    private static let readsPerLook = 64

    /// Takes note of a read from a connection. True: it is time to look at what the reads brought.
    func noteRead(on socket: Int32, isVain: Bool) -> Bool {
        guard let index = index(of: socket), entries[index].isConnection else { return false }
        entries[index].uncheckedReads += 1
        guard isVain || entries[index].uncheckedReads >= Self.readsPerLook else { return false }
        entries[index].uncheckedReads = 0
        return true
    }

    /// Adds credit for what was of use: see `ReadUse.look`.
    func addCredit(_ credit: Int64, to socket: Int32) {
        guard let index = index(of: socket) else { return }
        entries[index].credit &+= credit
    }

    /// Takes note that a transfer left the connection before its response had ended.
    func noteAbandoned(on socket: Int32) {
        guard let index = index(of: socket) else { return }
        entries[index].use.noteAbandoned()
    }

    /// True if too much of what came on a connection was of no use.
    ///
    /// - Parameter isJudged: False: what came since the latest look may be of use later.
    func look(at socket: Int32, bytesRead: UInt64, isVain: Bool, isJudged: Bool, now: UInt64) -> Bool {
        guard let index = index(of: socket) else { return false }
        let credit = entries[index].credit
        entries[index].credit = 0
        guard isJudged else {
            entries[index].use.forgive(bytesRead: bytesRead, now: now)
            return false
        }
        let isFlooded = entries[index].use.look(bytesRead: bytesRead, credit: credit, isVain: isVain, now: now)
        entries[index].isFlooded = entries[index].isFlooded || isFlooded
        return isFlooded
    }

    /// Our port of a connection; 0: not known.
    func localPort(of socket: Int32) -> Int32 { index(of: socket).map { entries[$0].localPort } ?? 0 }

    /// The open connection of a pool with this port at our end.
    func socket(ofPort number: Int32, in pool: UInt32) -> Int32? { socketsByPort[Port(pool: pool, number: number)] }

    // MARK: Use

    /// Takes note that a driver is on a connection.
    func noteUse(of socket: Int32, by user: UInt) {
        guard let index = index(of: socket), entries[index].isConnection else { return }
        entries[index].user = user
    }

    /// Takes note that a driver's transfer has ended. True: the connection is not to be used again.
    func noteEnd(of user: UInt, on socket: Int32) -> Bool {
        guard let index = index(of: socket), entries[index].user == user else { return false }
        entries[index].user = 0
        return entries[index].isGivenUp && !entries[index].isMultiplexed
    }

    /// A connection's pool, and its port at our end: libcurl names the connection that a request is about to go out on
    /// by that port, not by its socket.
    private struct Port: Hashable {
        let pool: UInt32
        let number: Int32
    }
    private var socketsByPort: [Port: Int32] = [:]

    func noteLocalPort(_ number: Int32, of socket: Int32) {
        guard number > 0, let index = index(of: socket), entries[index].isConnection,
            entries[index].localPort != number
        else { return }
        entries[index].localPort = number
        socketsByPort[Port(pool: entries[index].owner.pool, number: number)] = socket
    }

    /// True if `predicate` holds for the open connection of a pool with this port at our end. Without a port: if it
    /// holds for any idle connection of the pool.
    func holds(ofPort number: Int32, in pool: UInt32, _ predicate: (Int32) -> Bool) -> Bool {
        guard number <= 0 else { return socketsByPort[Port(pool: pool, number: number)].map(predicate) ?? false }
        return entries.indices.contains { index in
            entries[index].isConnection && entries[index].owner.pool == pool && isIdle(entries[index])
                && predicate(Int32(index))
        }
    }

    /// The number of the pool that a connection was opened for.
    func pool(of socket: Int32) -> Int? {
        guard let index = index(of: socket), entries[index].isConnection else { return nil }
        return Int(entries[index].owner.pool)
    }

    /// True if the engine opened the socket.
    func isConnection(_ socket: Int32) -> Bool {
        guard let index = index(of: socket) else { return false }
        return entries[index].isConnection
    }

    func noteMultiplexed(_ socket: Int32) {
        guard let index = index(of: socket), entries[index].isConnection else { return }
        entries[index].isMultiplexed = true
        entries[index].hasWindows = true
    }

    func noteWindows(_ socket: Int32) {
        guard let index = index(of: socket), entries[index].isConnection else { return }
        entries[index].hasWindows = true
    }

    func isMultiplexed(_ socket: Int32) -> Bool {
        guard let index = index(of: socket) else { return false }
        return entries[index].isMultiplexed
    }

    /// Gives up the connections to an origin. Returns those that are idle; the others are reported by `noteEnd` or,
    /// where requests share them, by `givenUp(in:)`.
    func giveUp(origin: Int) -> [Int32] {
        var idle: [Int32] = []
        for index in entries.indices where entries[index].isConnection && entries[index].owner.origin == origin {
            entries[index].isGivenUp = true
            if isIdle(entries[index]) { idle.append(Int32(index)) }
        }
        return idle
    }

    /// The shared connections of a pool that are not to be used again.
    func givenUp(in pool: UInt32) -> [Int32] {
        entries.indices.filter { entries[$0].isGivenUp && entries[$0].isMultiplexed && entries[$0].owner.pool == pool }
            .map { Int32($0) }
    }

    /// The number of idle connections of each pool.
    var idleConnections: [UInt32: Int] {
        var counts: [UInt32: Int] = [:]
        for entry in entries where entry.isConnection && entry.wanted == 0 && entry.user == 0 {
            counts[entry.owner.pool, default: 0] += 1
        }
        return counts
    }

    /// The connections in the set.
    var watchedConnections: [Int32] {
        entries.indices.filter { entries[$0].isConnection && entries[$0].watched != 0 }.map { Int32($0) }
    }

    private func isIdle(_ entry: Entry) -> Bool { entry.wanted == 0 && entry.user == 0 && !entry.isMultiplexed }

    private func index(of socket: Int32) -> Int? {
        guard socket >= 0 else { return nil }
        let index = Int(socket)
        if index >= entries.count {
            entries.append(contentsOf: repeatElement(Entry(), count: max(index + 1 - entries.count, 64)))
        }
        return index
    }
}

// Belongs to the network thread.
@available(*, unavailable)
extension SocketTable: Sendable {}
