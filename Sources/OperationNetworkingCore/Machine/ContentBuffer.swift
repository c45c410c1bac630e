// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

/// The content of responses on its way from the network to an end that may be slower, as a pure value: what waits, in
/// order, and the bounds at which the transfer pauses and goes on.
///
/// One side writes, the other takes an item at a time with `next()` and says with `release()` that it is done with it.
struct ContentBuffer {
    /// What comes out, in order.
    enum Item {
        case content(Data)
        /// The content of another response begins.
        case beginning(Representation?, ContentForm)
    }

    enum Acceptance {
        case accepted
        case pause
        case fail(TransferError)
    }

    /// What depends on the other end.
    struct End {
        /// Bytes that are kept before the transfer pauses.
        let highWater: Int
        /// Bytes that are left when it goes on.
        let lowWater: Int
        /// Bytes of one item of content, at most.
        let itemSize: Int
        /// The end of a sentence that begins with "the content was decoded faster than".
        let pace: String
        /// The user's way out.
        let remedy: String

        /// A writer to a file or stream, for which a call costs more than a byte.
        static let writer = End(
            highWater: 1 << 20, lowWater: 1 << 18, itemSize: 1 << 18, pace: "it could be written",
            remedy: "set the output stream before the operation begins")
        /// A task that reads.
        static let reader = End(
            highWater: 1 << 19, lowWater: 1 << 17, itemSize: 1 << 16, pace: "it was read",
            remedy: "ask for the operation's stream before it begins")
    }

    let end: End
    private var items: [Item] = []
    /// The content that comes after `items`, which is being filled.
    private var tail = Data()
    /// True if an item has become full: space for a whole one is made at once then.
    private var isLarge = false
    /// Bytes in `items` and `tail`.
    private var keptBytes = 0
    /// Bytes that were taken by `next()` and are not yet released.
    private var takenBytes = 0
    /// Bytes that may wait in place of a pause; nil: it may pause.
    private var limit: Int?
    private var isPaused = false
    /// The number of responses whose content has begun: what is known of an earlier one says nothing of the present.
    private(set) var response: UInt = 0
    /// Bytes taken of the present response, as they came.
    private(set) var bytesAccepted: Int64 = 0
    /// True if content of any response was taken.
    private(set) var isTouched: Bool
    /// True if the present content is coded.
    private(set) var isCoded = false
    /// True if what comes is compared with what has gone to the other end, which cannot take it back.
    private(set) var isRepeating = false

    /// - Parameter offset: bytes that the other end has already.
    init(_ end: End, offset: Int64 = 0) {
        self.end = end
        bytesAccepted = offset
        isTouched = offset > 0
    }

    /// Bytes that wait, or are being worked on at the other end.
    var pendingBytes: Int { keptBytes + takenBytes }

    var isEmpty: Bool { items.isEmpty && tail.isEmpty }

    /// True if a range that begins after `bytesAccepted` may be appended. Coded content has no such rest.
    var canContinue: Bool { !isRepeating && !isCoded }

    // MARK: The side that writes

    /// Takes all the bytes, or none.
    mutating func write(_ bytes: UnsafeRawBufferPointer) -> Acceptance {
        guard !bytes.isEmpty else { return .accepted }
        if let limit {
            guard bytes.count <= limit - pendingBytes else { return .fail(tooSlow(limit)) }
        } else if pendingBytes >= end.highWater {
            isPaused = true
            return .pause
        }
        skip(bytes.count)
        keptBytes += bytes.count
        var rest = bytes[...]
        while !rest.isEmpty {
            if tail.isEmpty, isLarge { tail.reserveCapacity(end.itemSize) }
            let piece = rest.prefix(max(0, end.itemSize - tail.count))
            tail.append(contentsOf: UnsafeRawBufferPointer(rebasing: piece))
            rest = rest.dropFirst(piece.count)
            guard tail.count >= end.itemSize else { continue }
            isLarge = true
            closeTail()
        }
        return .accepted
    }

    /// Counts content that is not wanted.
    mutating func skip(_ count: Int) {
        isTouched = true
        bytesAccepted &+= Int64(count)
    }

    /// The content of another response begins.
    ///
    /// - Parameter isKept: what waits cannot be thrown away, and what has come will be compared with what comes.
    mutating func begin(_ representation: Representation?, as form: ContentForm, isKept: Bool) {
        if isKept { closeTail() } else { drop() }
        isRepeating = isKept && isTouched
        items.append(.beginning(representation, form))
        response &+= 1
        bytesAccepted = 0
        isCoded = form.isCoded
        limit = if case .decoded(let limit) = form { limit } else { nil }
    }

    /// Takes content of the present response that was collected elsewhere, decoded.
    ///
    /// - Parameter accepted: the number of its bytes as they came.
    mutating func takeOver(_ content: Data, accepted: Int64) {
        isTouched = isTouched || accepted > 0
        bytesAccepted = accepted
        keptBytes += content.count
        closeTail()
        if !content.isEmpty { items.append(.content(content)) }
    }

    /// Throws away what waits.
    mutating func drop() {
        items = []
        tail = Data()
        keptBytes = 0
    }

    /// Returns true if the transfer was paused, which it need not be any more.
    mutating func endPause() -> Bool {
        defer { isPaused = false }
        return isPaused
    }

    /// Gives back what waits of the present response, and the form in which it came.
    mutating func takeBackPresent() -> (content: [Data], form: ContentForm) {
        closeTail()
        var content: [Data] = []
        // What came before it is of another response.
        while let last = items.popLast() {
            switch last {
            case .beginning(_, let form): return (content.reversed(), form)
            case .content(let data):
                content.append(data)
                keptBytes -= data.count
            }
        }
        return (content.reversed(), .plain)
    }

    private mutating func closeTail() {
        guard !tail.isEmpty else { return }
        items.append(.content(tail))
        tail = Data()
    }

    private func tooSlow(_ limit: Int) -> TransferError {
        TransferError(
            .tooLarge,
            message: "the content was decoded faster than \(end.pace), beyond the limit of \(limit) bytes in memory; "
                + end.remedy)
    }

    // MARK: The other side

    /// Takes the next item; nil: there is none now. The one before it was released.
    mutating func next() -> Item? {
        if items.isEmpty { closeTail() }
        guard let item = items.first else { return nil }
        items.removeFirst()
        if case .content(let data) = item {
            keptBytes -= data.count
            takenBytes = data.count
        }
        return item
    }

    /// The item that was taken is done with. Returns true if the transfer was paused, and may go on.
    mutating func release() -> Bool {
        takenBytes = 0
        return pendingBytes <= end.lowWater && endPause()
    }

    /// What has gone to the other end has come again.
    mutating func didRepeat() {
        // Not where more content is to begin, which will be compared anew.
        guard !items.contains(where: { if case .beginning = $0 { true } else { false } }) else { return }
        isRepeating = false
    }
}
