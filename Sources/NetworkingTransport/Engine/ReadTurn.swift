// SPDX-License-Identifier: MIT
internal import NetworkingSupport

/// For how long one call of libcurl's may read before other sockets have their turn.
///
/// libcurl and OpenSSL read on for as long as they find something that is not content: HTTP/2 frames without any, messages
/// of TLS. A server that sends those as fast as they are read would have the network thread for itself. Of content libcurl
/// reads a hundred pieces at a time, which may be hundreds of thousands of chunks.
// Sendable because all of it is confined to the network thread.
final class ReadTurn: @unchecked Sendable {
    /// Nanoseconds.
    private static let duration: UInt64 = 5_000_000
    /// Reads and pieces of content between two looks at the clock. A record of TLS takes two, a response few.
    private static let readsPerLook = 4

    private let clock: () -> UInt64
    // Unchecked: asked for every piece of content, and nobody is called while they change.
    @exclusivity(unchecked) private var reads = 0
    /// 0: the clock has not been looked at in this turn.
    @exclusivity(unchecked) private var end: UInt64 = 0
    /// Something was left unread.
    @exclusivity(unchecked) private(set) var isOver = false
    /// Something was read or sent that a transfer waits for.
    @exclusivity(unchecked) private(set) var isUseful = false

    init(clock: @escaping () -> UInt64 = { MonotonicClock.now }) { self.clock = clock }

    func begin() {
        reads = 0
        end = 0
        isOver = false
        isUseful = false
    }

    func noteUse() { isUseful = true }

    /// Whether there is time to read once more.
    func continues() -> Bool {
        reads &+= 1
        guard reads % Self.readsPerLook == 0 else { return true }
        let now = clock()
        if end == 0 { end = now &+ Self.duration }
        guard now >= end else { return true }
        // Looks again, however often it is tried.
        reads &-= 1
        isOver = true
        return false
    }
}
