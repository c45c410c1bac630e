// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

/// The way of a response's content to the one task that reads it, as a pure value: what the network brings in, what
/// waits, and when it is over.
///
/// | input                | before the verdict            | admitted                      | refused      |
/// |----------------------|-------------------------------|-------------------------------|--------------|
/// | content              | kept, or the transfer pauses  | kept, or the transfer pauses  | `divert`     |
/// | content begins anew  | forgotten, or compared (1)    | the same, before a verdict    | before a verdict |
/// | read                 | waits                         | content, then `commit` (2)    | waits        |
/// | all content is here  | waits for the verdict         | waits for the reader          | complete     |
/// | there is no reader   | content is dropped, and complete when it is here                   |||
/// | the operation failed | what is kept is dropped (3)   | what is kept can be read      | –            |
/// | the operation ended  | a read ends, when there is nothing left to read                    |||
///
/// 1. What was read cannot be taken back: the reader compares what comes with it.
/// 2. Once. The operation ends after it.
/// 3. Unless the verdict is waited for, after a connection was lost.
struct StreamMachine {
    /// An item to read, in order.
    enum Item {
        case content(Data)
        /// The content of another response begins.
        case beginning(ContentForm)
    }

    /// The verdict of the operation's serializer on the response.
    enum Verdict {
        case pending
        /// The same, but the operation fails: until there is a verdict, what is kept is not dropped, nor the end
        /// reached.
        case awaited
        case admitted, refused
    }

    /// Bytes that are kept before the transfer pauses, and those below which it goes on.
    static let (highWater, lowWater) = (512 * 1024, 128 * 1024)
    /// Bytes of one item that come at a time.
    static let itemSize = 64 * 1024

    private var items: [Item] = []
    /// The content that comes after `items`, which is being filled.
    private var tail = Data()
    private var pendingBytes = 0
    private(set) var verdict = Verdict.pending
    /// Distinguishes responses: a verdict on an earlier one says nothing.
    private(set) var response: UInt = 0
    /// Bytes that may be kept in place of a pause; nil: it may pause.
    private var limit: Int?
    private var isCoded = false
    private(set) var bytesAccepted: Int64 = 0
    /// Content of any response was taken.
    private(set) var isTouched = false
    /// Something was read.
    private var wasRead = false
    private var isRepeating = false
    private var isPaused = false
    /// All content is here.
    private var isComplete = false
    private var wasCommitted = false
    private var isDiscarded = false
    /// The operation has ended.
    private var isOver = false
    /// The number of sequences that are held and may yet be read.
    private var readers = 0
    private(set) var isClaimed = false
    /// Content was dropped because there was no reader.
    private var wasDropped = false

    /// There is no verdict yet.
    var isUndecided: Bool { verdict == .pending || verdict == .awaited }

    /// No reader is left, and none can begin.
    private var isUnwanted: Bool { readers == 0 }

    /// True if a range that begins after what was accepted may be appended.
    var canContinue: Bool { !isRepeating && !isCoded }

    /// True if content may come anew without being compared with what was read.
    var canRestart: Bool { !wasRead }

    // MARK: The network thread's side

    enum Acceptance {
        case accepted
        case pause
        /// The response was refused: the content belongs to the error.
        case divert
        case fail(TransferError)
    }

    mutating func write(_ bytes: UnsafeRawBufferPointer) -> Acceptance {
        guard verdict != .refused else { return .divert }
        guard !isDiscarded, !bytes.isEmpty else { return .accepted }
        if isUnwanted {
            wasDropped = true
            bytesAccepted &+= Int64(bytes.count)
            isTouched = true
            return .accepted
        }
        if let limit {
            guard bytes.count <= limit - pendingBytes else { return .fail(Self.tooSlow(limit)) }
        } else if pendingBytes >= Self.highWater {
            isPaused = true
            return .pause
        }
        isTouched = true
        bytesAccepted &+= Int64(bytes.count)
        pendingBytes += bytes.count
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(max(0, Self.itemSize - tail.count))
            tail.append(contentsOf: UnsafeRawBufferPointer(rebasing: piece))
            rest = rest.dropFirst(piece.count)
            if tail.count >= Self.itemSize { closeTail() }
        }
        return .accepted
    }

    private static func tooSlow(_ limit: Int) -> TransferError {
        TransferError(
            .tooLarge,
            message: "the content was decoded faster than it was read, beyond the limit of \(limit) bytes in memory; "
                + "ask for the operation's stream before it begins")
    }

    private mutating func closeTail() {
        guard !tail.isEmpty else { return }
        items.append(.content(tail))
        tail = Data()
    }

    /// Content comes from its first byte.
    mutating func begin(_ form: ContentForm) {
        if wasRead {
            closeTail()
            isRepeating = true
        } else {
            dropItems()
        }
        items.append(.beginning(form))
        bytesAccepted = 0
        isComplete = false
        response &+= 1
        verdict = .pending
        isCoded = form.isCoded
        limit = if case .decoded(let limit) = form { limit } else { nil }
    }

    /// Content that was collected elsewhere until now, decoded, and of which more is to come in `form`.
    mutating func takeOver(_ content: Data, accepted: Int64, _ form: ContentForm) {
        begin(form)
        isTouched = isTouched || accepted > 0
        bytesAccepted = accepted
        pendingBytes += content.count
        if !content.isEmpty { items.append(.content(content)) }
    }

    /// The response is one that the serializer accepts.
    mutating func admit(_ response: UInt) {
        guard isUndecided, response == self.response else { return }
        verdict = .admitted
    }

    /// The serializer does not accept the response. Returns what has come of it, and true if the transfer was paused.
    mutating func refuse(_ response: UInt) -> (content: [Data], form: ContentForm, wasPaused: Bool)? {
        guard isUndecided, response == self.response else { return nil }
        guard !isDiscarded else {
            giveUpUndecided()
            return nil
        }
        verdict = .refused
        closeTail()
        var form = ContentForm.plain
        var content: [Data] = []
        // What came before it is of another response, and can still be read.
        while let last = items.popLast() {
            if case .beginning(let own) = last {
                form = own
                break
            }
            if case .content(let data) = last { content.append(data) }
        }
        pendingBytes -= content.reduce(0) { $0 + $1.count }
        defer { isPaused = false }
        return (content.reversed(), form, isPaused)
    }

    /// All content is here.
    mutating func complete() { isComplete = true }

    /// True if, after `complete()`, the content has arrived where it belongs without being read.
    var needsNoReader: Bool { isComplete && (verdict == .refused || (isUnwanted && verdict == .admitted)) }

    /// No more content will come, nor is any wanted from the network.
    mutating func discard() {
        isDiscarded = true
        isPaused = false
        if verdict == .pending || verdict == .refused { dropItems() }
    }

    /// The operation is about to fail, and the verdict is waited for.
    mutating func keepUndecided() {
        if verdict == .pending { verdict = .awaited }
    }

    /// The verdict is not waited for any more.
    mutating func giveUpUndecided() {
        guard verdict == .awaited else { return }
        verdict = .pending
        if isDiscarded { dropItems() }
    }

    /// Another response takes the place of this one. False: some of this one was read.
    mutating func forgetUnread() -> Bool {
        if canRestart { dropItems() }
        return canRestart
    }

    /// The content that was read is not what it should be: nothing more is read.
    mutating func fail() {
        discard()
        dropItems()
    }

    /// The operation has ended.
    mutating func end() { isOver = true }

    private mutating func dropItems() {
        items = []
        tail = Data()
        pendingBytes = 0
    }

    // MARK: The reader's side

    /// A sequence was made.
    mutating func addReader() { readers += 1 }

    /// A sequence went away. True: the transfer was paused for the last one, and need not be any more.
    mutating func removeReader() -> Bool {
        readers -= 1
        guard isUnwanted else { return false }
        wasDropped = wasDropped || pendingBytes > 0
        dropItems()
        defer { isPaused = false }
        return isPaused
    }

    /// A task begins to read. False: another task has, or content was dropped.
    mutating func claim() -> Bool {
        guard !isClaimed, !wasDropped else { return false }
        isClaimed = true
        return true
    }

    enum Reading {
        /// - hasSpace: the transfer was paused, and may go on.
        case item(Item, hasSpace: Bool)
        case wait
        /// Everything was read: see whether it is the whole.
        case commit
        /// The operation has ended, and with it the content.
        case end
    }

    mutating func read() -> Reading {
        if verdict == .admitted {
            if items.isEmpty { closeTail() }
            if let item = items.first {
                items.removeFirst()
                guard case .content(let data) = item else { return .item(item, hasSpace: false) }
                wasRead = true
                pendingBytes -= data.count
                guard isPaused, pendingBytes <= Self.lowWater else { return .item(item, hasSpace: false) }
                isPaused = false
                return .item(item, hasSpace: true)
            }
            if isComplete, !isDiscarded, !wasCommitted {
                wasCommitted = true
                return .commit
            }
        }
        return isOver && verdict != .awaited ? .end : .wait
    }

    /// So much waits that a reader that waits should not wait for more.
    var isPlenty: Bool { pendingBytes >= Self.lowWater }

    /// True if `read()` would answer with anything but `wait`.
    var isReadable: Bool {
        if isOver, verdict != .awaited { return true }
        guard verdict == .admitted else { return false }
        return !items.isEmpty || !tail.isEmpty || (isComplete && !isDiscarded && !wasCommitted)
    }

    /// The content that was read of an earlier response has come again.
    mutating func didRepeat() {
        let isLast = !items.contains { if case .beginning = $0 { true } else { false } }
        if isLast { isRepeating = false }
    }
}
