internal import CCurl
internal import Glibc

/// What the epoll set watches for libcurl, socket by socket.
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

    private struct Entry {
        /// What the set watches; 0: the socket is not in it.
        var watched: UInt32 = 0
        /// What libcurl wants to know; 0: nothing.
        var wanted: UInt32 = 0
        /// Opened by the engine.
        var isConnection = false
    }

    /// By descriptor.
    private var entries: [Entry] = []

    /// A connection's socket was made.
    func noteOpened(_ socket: Int32) {
        guard let index = index(of: socket) else { return }
        entries[index] = Entry(isConnection: true)
    }

    /// A connection's socket is about to be closed. True: it has to leave the set before.
    func noteClosing(_ socket: Int32) -> Bool {
        guard let index = index(of: socket) else { return false }
        defer { entries[index] = Entry() }
        return entries[index].watched != 0
    }

    /// What the set has to be told of a socket.
    enum Change: Equatable {
        case none
        case add, modify, remove
    }

    /// libcurl's wish changed.
    func want(_ interest: UInt32, _ socket: Int32) -> Change {
        guard let index = index(of: socket) else { return .none }
        let entry = entries[index]
        entries[index].wanted = interest
        if interest == 0 {
            // A socket that may be written to would be ready all the time.
            if entry.isConnection, entry.watched == Self.readable { return .none }
            entries[index].watched = 0
            return .remove
        }
        if entry.isConnection, entry.watched == interest { return .none }
        entries[index].watched = interest
        return entry.watched == 0 ? .add : .modify
    }

    /// The set refused.
    func noteRefused(_ socket: Int32) {
        guard let index = index(of: socket) else { return }
        entries[index].watched = 0
    }

    /// Whether libcurl wants to hear of the socket. If not, it is to leave the set.
    func isWanted(_ socket: Int32) -> Bool {
        guard let index = index(of: socket), entries[index].wanted == 0 else { return true }
        entries[index].watched = 0
        return false
    }

    /// The connections in the set.
    var watchedConnections: [Int32] {
        entries.indices.filter { entries[$0].isConnection && entries[$0].watched != 0 }.map { Int32($0) }
    }

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
