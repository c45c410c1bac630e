// SPDX-License-Identifier: MIT

/// What came on a connection, against what of it was of use to a transfer: for servers that send what belongs to no response.
///
/// Judged by bytes, since those are all that is known of frames and messages that libcurl keeps to itself, and by the reads
/// that brought nothing. A little at a time is put up with for ever: questions whether we are there, or padding.
struct ReadUse {
    /// Bytes of no use that are put up with at once, and how many of them are forgotten in a second.
    private static let (byteLimit, bytesPerSecond) = (4_194_304.0, 65_536.0)
    /// The same of reads that brought nothing.
    private static let (readLimit, readsPerSecond) = (10_000.0, 50.0)
    /// How many such reads are forgiven for one that brought something.
    private static let readsPerUse = 100.0
    /// What a byte that was of use makes up for: it may have come alone in a padded frame, and libcurl hands over several of
    /// them in one piece.
    static let framing: Int64 = 512
    /// Bytes that a server may have on their way to a transfer that is gone: a stream's window, as libcurl opens it.
    private static let abandonedBytes = 33_554_432.0

    /// Bytes read from the connection at the latest look; nil: there was none.
    private var bytesRead: UInt64?
    private var vainBytes = 0.0
    private var vainReads = 0.0
    /// Bytes that are put up with beside.
    private var grace = 0.0
    private var time: UInt64 = 0

    /// A transfer left before its response had ended.
    mutating func noteAbandoned() { grace += Self.abandonedBytes }

    /// - Parameters:
    ///   - bytesRead: that were read from the connection since it was opened.
    ///   - credit: for what was of use since the latest look.
    ///   - isVain: the latest read brought nothing.
    ///   - now: in nanoseconds.
    /// - Returns: whether too much was of no use.
    mutating func look(bytesRead: UInt64, credit: Int64, isVain: Bool, now: UInt64) -> Bool {
        defer {
            self.bytesRead = bytesRead
            time = now
        }
        guard let last = self.bytesRead, bytesRead >= last, now >= time else { return false }
        let seconds = Double(now - time) / 1_000_000_000
        vainBytes = max(0, vainBytes - seconds * Self.bytesPerSecond)
        vainBytes = max(0, vainBytes + Double(bytesRead - last) - Double(credit))
        vainReads = max(0, vainReads - seconds * Self.readsPerSecond)
        if vainBytes > Self.byteLimit {
            let forgiven = min(grace, vainBytes)
            grace -= forgiven
            vainBytes -= forgiven
        }
        if isVain { vainReads += 1 } else { vainReads = max(0, vainReads - Self.readsPerUse) }
        return vainBytes > Self.byteLimit || vainReads > Self.readLimit
    }

    /// What was read since the latest look is not judged.
    mutating func forgive(bytesRead: UInt64, now: UInt64) {
        self.bytesRead = bytesRead
        time = now
    }
}
