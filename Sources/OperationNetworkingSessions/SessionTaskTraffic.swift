// SPDX-License-Identifier: MIT
internal import FoundationNetworking

/// The bytes that a task has sent and received, and of which its client has not heard yet, as a value.
struct SessionTaskTraffic: Sendable {
    private(set) var counts = SessionTaskCounts()
    var expectation = SessionTaskExpectation()
    private var sent = MergedReport()
    private var received = MergedReport()

    mutating func expect(toSend count: Int64) { counts.expectedToSend = count }

    mutating func expect(toReceive count: Int64) { counts.expectedToReceive = count }

    /// - Parameter isReported: the client wants to hear of it.
    /// - Returns: whether a report is to be scheduled.
    mutating func noteSent(total: Int64, expected: Int64, isReported: Bool) -> Bool {
        let count = total - counts.sent
        counts.sent = total
        counts.expectedToSend = expected
        return isReported && sent.add(max(0, count))
    }

    /// - Parameter isReported: the client wants to hear of it.
    /// - Returns: whether a report is to be scheduled.
    mutating func noteReceived(total: Int64, expected: Int64, isReported: Bool) -> Bool {
        let count = max(0, total - counts.received)
        counts.received = total
        counts.expectedToReceive = expected
        return isReported && received.add(count)
    }

    /// A piece of content has come. It is not to be reported by that.
    mutating func noteReceived(_ count: Int) { counts.received &+= Int64(count) }

    /// - Returns: whether a report is to be scheduled.
    mutating func report(received count: Int64) -> Bool { received.add(count) }

    /// Content goes on at an offset: what is before it was received.
    mutating func goOn(at offset: Int64, expected: Int64) {
        counts.received = offset
        counts.expectedToReceive = expected
    }

    /// Takes the bytes sent that are to be reported.
    mutating func takeSent() -> (new: Int64, counts: SessionTaskCounts) { (sent.take(), counts) }

    /// Takes the bytes received that are to be reported.
    mutating func takeReceived() -> (new: Int64, counts: SessionTaskCounts) { (received.take(), counts) }
}

/// Byte counts that wait to be reported: what comes while the client is busy is reported together.
private struct MergedReport {
    private var pending: Int64 = 0
    private var isScheduled = false

    /// True: the report is to be scheduled.
    mutating func add(_ count: Int64) -> Bool {
        pending &+= count
        defer { isScheduled = true }
        return !isScheduled
    }

    /// Takes the count that is to be reported.
    mutating func take() -> Int64 {
        isScheduled = false
        defer { pending = 0 }
        return pending
    }
}

/// The values that `countOfBytesClientExpects…` shows.
struct SessionTaskExpectation {
    var toSend = NSURLSessionTransferSizeUnknown
    var toReceive = NSURLSessionTransferSizeUnknown
}

/// The values that `countOfBytes…` shows.
struct SessionTaskCounts: Sendable {
    var sent: Int64 = 0
    var expectedToSend: Int64 = 0
    var received: Int64 = 0
    var expectedToReceive: Int64 = 0
}
