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
    /// Reads and pieces of content between two looks at the clock. A response takes few.
    private static let stepsPerLook = 4
    /// The head of a record of TLS, and the rest.
    private static let readsPerRecord = 2

    private let clock: () -> UInt64
    // Unchecked: asked for every piece of content, and nobody is called while they change.
    @exclusivity(unchecked) private var steps = 0
    /// 0: the clock has not been looked at in this turn.
    @exclusivity(unchecked) private var end: UInt64 = 0
    @exclusivity(unchecked) private var isOver = false
    /// What was read from last, and how often in a row.
    @exclusivity(unchecked) private var source: OpaquePointer?
    @exclusivity(unchecked) private var readsOfSource = 0
    /// What was not read from, the first of it; nil: there was time for everything.
    @exclusivity(unchecked) private(set) var refusedSource: OpaquePointer?

    init(clock: @escaping () -> UInt64 = { MonotonicClock.now }) { self.clock = clock }

    func begin() {
        steps = 0
        end = 0
        isOver = false
        source = nil
        refusedSource = nil
    }

    /// Whether there is time for one more piece.
    func continues() -> Bool {
        guard !isOver else { return false }
        steps &+= 1
        guard steps % Self.stepsPerLook == 0 else { return true }
        let now = clock()
        if end == 0 { end = now &+ Self.duration }
        isOver = now >= end
        return !isOver
    }

    /// Whether to read from what a connection reads from. A record of each is, because libcurl takes an idle connection for
    /// dead that cannot be read.
    func mayRead(from source: OpaquePointer) -> Bool {
        if source != self.source {
            self.source = source
            readsOfSource = 0
        }
        readsOfSource &+= 1
        if continues() || readsOfSource <= Self.readsPerRecord { return true }
        if refusedSource == nil { refusedSource = source }
        return false
    }
}
