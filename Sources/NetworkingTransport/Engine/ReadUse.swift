// SPDX-License-Identifier: MIT

/// Compares what came on a connection with what of it was of use to a transfer: for servers that send what belongs to
/// no response.
///
/// Judged by bytes, since nothing else is known of frames and messages that libcurl keeps to itself, and by the reads
/// that brought nothing. A little at a time is always accepted: pings, or padding.
struct ReadUse {
    /// Bytes of no use that are accepted at once, and the number of them that are forgotten in a second.
    private static let (byteLimit, bytesPerSecond) = (4_194_304.0, 65_536.0)
    /// The same limits for reads that brought nothing.
    private static let (readLimit, readsPerSecond) = (10_000.0, 50.0)
    /// The number of such reads that one useful read makes up for.
    private static let readsPerUse = 100.0
    /// The number of useless bytes that a useful byte makes up for: it may have come alone in a padded frame, and
    /// libcurl hands over several of them in one piece.
    static let framing: Int64 = 512
    /// Bytes that a server may have on their way to a transfer that is gone: a stream's window, as libcurl opens it.
    private static let abandonedBytes = 33_554_432.0

    /// Bytes read from the connection at the latest look; nil: there was none.
    private var bytesRead: UInt64?
    private var vainBytes = 0.0
    private var vainReads = 0.0
    /// Bytes of no use that are accepted in addition.
    private var grace = 0.0
    private var time: UInt64 = 0

    /// Takes note that a transfer left before its response had ended.
    mutating func noteAbandoned() { grace += Self.abandonedBytes }

    /// Judges what was read since the latest look.
    ///
    /// - Parameters:
    ///   - bytesRead: Bytes read from the connection since it was opened.
    ///   - credit: The credit for what was of use since the latest look.
    ///   - isVain: True: the latest read brought nothing.
    ///   - now: The time in nanoseconds.
    /// - Returns: True if too much was of no use.
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
        // With HTTP/2 libcurl reads for one transfer, and hands over to others later.
        if isVain, credit == 0 { vainReads += 1 } else { vainReads = max(0, vainReads - Self.readsPerUse) }
        return vainBytes > Self.byteLimit || vainReads > Self.readLimit
    }

    /// Leaves out of the judgement what was read since the latest look.
    mutating func forgive(bytesRead: UInt64, now: UInt64) {
        self.bytesRead = bytesRead
        time = now
    }
}
