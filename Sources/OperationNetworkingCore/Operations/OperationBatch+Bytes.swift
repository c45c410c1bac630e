// SPDX-License-Identifier: MIT
internal import NetworkingSupport

extension OperationBatch {
    /// The bytes that all members of a batch have sent and received together.
    public struct Bytes: Sendable, Equatable {
        /// Content received so far.
        public var received: Int64 = 0
        /// Content that all members will have received. `nil` while the length of some response is not known.
        public var expectedToReceive: Int64?
        /// Content of requests sent so far.
        public var sent: Int64 = 0
    }

    /// The bytes sent and received so far. Counted when a block was set by ``setBytesBlock(_:)``; 0 otherwise.
    public var bytes: Bytes { tally.bytes }

    /// Sets a block that is called with the bytes that the members send and receive. Counts that come while it runs are
    /// merged.
    ///
    /// To be set before the batch is enqueued. A member's own progress blocks go on being called when they were set
    /// before that, too. Called on `completionQueue`, or the main queue, for the last time before the completion block.
    public func setBytesBlock(_ block: (@Sendable (_ bytes: Bytes) -> Void)?) {
        tally.setBytesBlock(block)
    }
}

/// The bytes of a batch's members, each in its place.
struct BatchBytes {
    private struct Member {
        var received: Int64 = 0
        /// −1: unknown.
        var expected: Int64 = -1
    }

    private var members: [Member]
    private var sentByMember: [Int64]
    /// The sums.
    private(set) var sum = OperationBatch.Bytes()
    /// The number of members whose length is not known, and the bytes that the others expect.
    private var unknownCount: Int
    private var expected: Int64 = 0

    init(count: Int) {
        members = Array(repeating: Member(), count: count)
        sentByMember = Array(repeating: 0, count: count)
        unknownCount = count
    }

    mutating func note(received: Int64, of length: Int64, at index: Int) {
        guard members.indices.contains(index) else { return }
        let old = members[index]
        members[index] = Member(received: received, expected: length)
        sum.received &+= received &- old.received
        if old.expected >= 0 { expected &-= old.expected } else { unknownCount -= 1 }
        if length >= 0 { expected &+= length } else { unknownCount += 1 }
        sum.expectedToReceive = unknownCount == 0 ? expected : nil
    }

    mutating func note(sent: Int64, at index: Int) {
        guard sentByMember.indices.contains(index) else { return }
        sum.sent &+= sent &- sentByMember[index]
        sentByMember[index] = sent
    }

    /// Nothing more comes for a member.
    mutating func end(_ index: Int) {
        guard members.indices.contains(index) else { return }
        let received = members[index].received
        note(received: received, of: received, at: index)
    }
}
