// SPDX-License-Identifier: MIT
internal import NetworkingSupport

/// The limit of the time for which one libcurl call may read before other sockets have their turn.
///
/// libcurl and OpenSSL read on for as long as they find something that is not content: HTTP/2 frames without any,
/// messages of TLS. A server that sends those as fast as they are read would keep the network thread to itself. Of
/// content libcurl reads a hundred pieces at a time, which may be hundreds of thousands of chunks.
// Sendable because all of it is confined to the network thread.
final class ReadTurn: @unchecked Sendable {
    /// The duration of a turn, in nanoseconds.
    private static let duration: UInt64 = 5_000_000
    /// Reads and pieces of content between two looks at the clock. A response takes few.
    private static let stepsPerLook = 4
    /// The reads of one TLS record: its head, and the rest.
    private static let readsPerRecord = 2

    private let clock: () -> UInt64
    // Unchecked: used for every piece of content, and no other code is called while they change.
    @exclusivity(unchecked) private var steps = 0
    /// 0: the clock has not been looked at in this turn.
    @exclusivity(unchecked) private var end: UInt64 = 0
    @exclusivity(unchecked) private var isOver = false
    /// The source that was read from last, and the number of reads from it in a row.
    @exclusivity(unchecked) private var source: OpaquePointer?
    @exclusivity(unchecked) private var readsOfSource = 0
    /// The first source that was not read from; nil: there was time for everything.
    @exclusivity(unchecked) private(set) var refusedSource: OpaquePointer?

    init(clock: @escaping () -> UInt64 = { MonotonicClock.now }) { self.clock = clock }

    func begin() {
        steps = 0
        end = 0
        isOver = false
        source = nil
        refusedSource = nil
    }

    /// True if there is time for one more piece.
    func continues() -> Bool {
        guard !isOver else { return false }
        steps &+= 1
        guard steps % Self.stepsPerLook == 0 else { return true }
        let now = clock()
        if end == 0 { end = now &+ Self.duration }
        isOver = now >= end
        return !isOver
    }

    /// True if a connection's source may be read. One record of each always may, because libcurl takes an idle
    /// connection that cannot be read for dead.
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
