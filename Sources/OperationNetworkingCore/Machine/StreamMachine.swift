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
    /// The verdict of the operation's serializer on the response.
    enum Verdict {
        case pending
        /// The same, but the operation fails: until there is a verdict, what is kept is not dropped, nor the end
        /// reached.
        case awaited
        case admitted, refused
    }

    private var buffer = ContentBuffer(.reader)
    private(set) var verdict = Verdict.pending
    /// Something was read.
    private var wasRead = false
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

    /// Distinguishes responses: a verdict on an earlier one says nothing.
    var response: UInt { buffer.response }
    var bytesAccepted: Int64 { buffer.bytesAccepted }
    var isTouched: Bool { buffer.isTouched }
    var canContinue: Bool { buffer.canContinue }

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
            buffer.skip(bytes.count)
            return .accepted
        }
        return switch buffer.write(bytes) {
        case .accepted: .accepted
        case .pause: .pause
        case .fail(let error): .fail(error)
        }
    }

    /// Content comes from its first byte.
    mutating func begin(_ form: ContentForm) {
        buffer.begin(nil, as: form, isKept: wasRead)
        isComplete = false
        verdict = .pending
    }

    /// Content that was collected elsewhere until now, decoded, and of which more is to come in `form`.
    mutating func takeOver(_ content: Data, accepted: Int64, _ form: ContentForm) {
        begin(form)
        buffer.takeOver(content, accepted: accepted)
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
        let (content, form) = buffer.takeBackPresent()
        return (content, form, buffer.endPause())
    }

    /// All content is here.
    mutating func complete() { isComplete = true }

    /// True if, after `complete()`, the content has arrived where it belongs without being read.
    var needsNoReader: Bool { isComplete && (verdict == .refused || (isUnwanted && verdict == .admitted)) }

    /// No more content will come, nor is any wanted from the network.
    mutating func discard() {
        isDiscarded = true
        _ = buffer.endPause()
        if verdict == .pending || verdict == .refused { buffer.drop() }
    }

    /// The operation is about to fail, and the verdict is waited for.
    mutating func keepUndecided() {
        if verdict == .pending { verdict = .awaited }
    }

    /// The verdict is not waited for any more.
    mutating func giveUpUndecided() {
        guard verdict == .awaited else { return }
        verdict = .pending
        if isDiscarded { buffer.drop() }
    }

    /// Another response takes the place of this one. False: some of this one was read.
    mutating func forgetUnread() -> Bool {
        if canRestart { buffer.drop() }
        return canRestart
    }

    /// The content that was read is not what it should be: nothing more is read.
    mutating func fail() {
        discard()
        buffer.drop()
    }

    /// The operation has ended.
    mutating func end() { isOver = true }

    // MARK: The reader's side

    /// A sequence was made.
    mutating func addReader() { readers += 1 }

    /// A sequence went away. True: the transfer was paused for the last one, and need not be any more.
    mutating func removeReader() -> Bool {
        readers -= 1
        guard isUnwanted else { return false }
        wasDropped = wasDropped || buffer.pendingBytes > 0
        buffer.drop()
        return buffer.endPause()
    }

    /// A task begins to read. False: another task has, or content was dropped.
    mutating func claim() -> Bool {
        guard !isClaimed, !wasDropped else { return false }
        isClaimed = true
        return true
    }

    enum Reading {
        /// - hasSpace: the transfer was paused, and may go on.
        case item(ContentBuffer.Item, hasSpace: Bool)
        case wait
        /// Everything was read: see whether it is the whole.
        case commit
        /// The operation has ended, and with it the content.
        case end
    }

    mutating func read() -> Reading {
        if verdict == .admitted {
            if let item = buffer.next() {
                if case .content = item { wasRead = true }
                return .item(item, hasSpace: buffer.release())
            }
            if isComplete, !isDiscarded, !wasCommitted {
                wasCommitted = true
                return .commit
            }
        }
        return isOver && verdict != .awaited ? .end : .wait
    }

    /// So much waits that a reader that waits should not wait for more.
    var isPlenty: Bool { buffer.pendingBytes >= buffer.end.lowWater }

    /// True if `read()` would answer with anything but `wait`.
    var isReadable: Bool {
        if isOver, verdict != .awaited { return true }
        guard verdict == .admitted else { return false }
        return !buffer.isEmpty || (isComplete && !isDiscarded && !wasCommitted)
    }

    /// The content that was read of an earlier response has come again.
    mutating func didRepeat() { buffer.didRepeat() }
}
