// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import NetworkingSupport

/// The source of a `BodyPump`'s bytes: called on the pump's queue only, where it may block.
protocol BodyProducer: AnyObject {
    /// Fills `buffer` as far as is convenient: the count, 0 at the end. An error ends the body.
    func produce(into buffer: UnsafeMutableRawBufferPointer) throws -> Int
    /// No more will be asked for.
    func finish()
}

/// Carries a body from a producer that may block to the network thread, which must not.
///
/// Two or more buffers travel in a circle: the producer's queue fills them, the network thread empties them. The bytes
/// themselves are touched by one side at a time and copied outside of the lock.
// Sendable because `exchange` has its own lock, `current` and `position` belong to the network thread, and the producer
// to the queue.
final class BodyPump: @unchecked Sendable {
    /// Bytes read at a time.
    static let chunkSize = 256 * 1024
    /// Buffers in the circle. The queue is set to work when half of them are free: fewer hops for the same bytes.
    private let depth: Int

    /// A buffer and how much of it is filled.
    // Sendable because it is handed from one side to the other through the lock, and touched by its owner only.
    private final class Chunk: @unchecked Sendable {
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: BodyPump.chunkSize, alignment: 16)
        var count = 0
        deinit { bytes.deallocate() }
    }

    private struct Exchange {
        var free: [Chunk] = []
        var full: [Chunk] = []
        /// Buffers made so far.
        var chunkCount = 0
        /// After `full`: no more.
        var isEnded = false
        var failure: (any Error)?
        /// The network thread has found nothing and wants to be told.
        var isAwaited = false
        var wakeUp: @Sendable () -> Void
        /// A run of `fill` is under way or on its way.
        var isFilling = false
        var isClosed = false
    }

    private let exchange: Locked<Exchange>
    private let queue: DispatchQueue
    private let producer: ProducerBox
    /// Network thread. Being read, or read to its end, if it is the first: which is kept until the second is begun, so
    /// that what fits into it can be read again.
    private var current: Chunk?
    /// Network thread. `current` is the first, or will be.
    private var isInFirst = true
    /// Network thread. Bytes of `current` that have been read.
    private var position = 0

    /// Keeps a producer that is not Sendable; touched on the pump's queue only.
    // Sendable because of that.
    private final class ProducerBox: @unchecked Sendable {
        var producer: (any BodyProducer)?
        init(_ producer: any BodyProducer) { self.producer = producer }
    }

    /// - Parameters:
    ///   - queue: Serial. The producer is made by `makeProducer` on the calling thread and used there only.
    ///   - depth: Buffers in the circle, at least two.
    init(
        queue: DispatchQueue, depth: Int = 2, wakeUp: @escaping @Sendable () -> Void,
        makeProducer: () -> any BodyProducer
    ) {
        self.queue = queue
        self.depth = max(depth, 2)
        exchange = Locked(Exchange(wakeUp: wakeUp))
        producer = ProducerBox(makeProducer())
        fillIfIdle()
    }

    /// Network thread.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyRead {
        var copied = 0
        while copied < buffer.count {
            guard let chunk = currentWithBytes() else {
                if copied > 0 { break }
                guard let answer = answerWithoutBytes() else { continue }
                return answer
            }
            let count = min(buffer.count - copied, chunk.count - position)
            let source = UnsafeRawBufferPointer(rebasing: chunk.bytes[position..<position + count])
            UnsafeMutableRawBufferPointer(rebasing: buffer[copied...]).copyMemory(from: source)
            copied += count
            position += count
            if position == chunk.count, !isInFirst { giveBack(chunk) }
        }
        return .bytes(copied)
    }

    /// Network thread. True if no more was read yet than what the producer gave first.
    var hasBeginning: Bool { isInFirst }

    /// Network thread. Goes back to the first byte, which is still there if there is the beginning.
    func restart(wakeUp: @escaping @Sendable () -> Void) {
        guard isInFirst else { return }
        position = 0
        exchange.withLock {
            $0.wakeUp = wakeUp
            $0.isAwaited = false
        }
    }

    /// No more reads will come. The producer is released as soon as it does not block.
    func close() {
        current = nil
        let shouldFinish = exchange.withLock { exchange -> Bool in
            guard !exchange.isClosed else { return false }
            exchange.isClosed = true
            exchange.full = []
            exchange.free = []
            return true
        }
        if shouldFinish { queue.async { [producer] in Self.finish(producer) } }
    }

    private static func finish(_ box: ProducerBox) {
        box.producer?.finish()
        box.producer = nil
    }

    // MARK: The network thread's side

    /// Returns the buffer with the next bytes; nil: no bytes are there at present.
    private func currentWithBytes() -> Chunk? {
        if let current, position < current.count { return current }
        guard let next = takeFull() else { return nil }
        if let first = current {
            isInFirst = false
            giveBack(first)
        }
        current = next
        return next
    }

    private func takeFull() -> Chunk? {
        exchange.withLock { exchange in
            guard !exchange.full.isEmpty else { return nil }
            return exchange.full.removeFirst()
        }
    }

    private func giveBack(_ chunk: Chunk) {
        current = nil
        position = 0
        let half = depth / 2
        let isWorthwhile = exchange.withLock { exchange -> Bool in
            exchange.free.append(chunk)
            return exchange.free.count >= half || exchange.full.isEmpty
        }
        if isWorthwhile { fillIfIdle() }
    }

    /// Nil: a buffer has been filled since.
    private func answerWithoutBytes() -> BodyRead? {
        exchange.withLock { exchange -> BodyRead? in
            guard exchange.full.isEmpty else { return nil }
            if let failure = exchange.failure { return .failed(failure) }
            if exchange.isEnded { return .end }
            exchange.isAwaited = true
            return .wait
        }
    }

    // MARK: The queue's side

    private func fillIfIdle() {
        let shouldFill = exchange.withLock { exchange -> Bool in
            guard !exchange.isFilling, !exchange.isEnded, !exchange.isClosed, exchange.failure == nil else {
                return false
            }
            exchange.isFilling = true
            return true
        }
        if shouldFill { queue.async { [self] in fill() } }
    }

    /// Fills buffers until none is free.
    private func fill() {
        while let chunk = takeFree() {
            guard let producer = producer.producer else { return }
            let result = Result { try producer.produce(into: chunk.bytes) }
            let wakeUp = exchange.withLock { exchange -> (@Sendable () -> Void)? in
                switch result {
                case .success(let count) where count > 0 && count <= chunk.bytes.count:
                    chunk.count = count
                    exchange.full.append(chunk)
                case .success:
                    exchange.isEnded = true
                case .failure(let error):
                    exchange.failure = error
                }
                guard exchange.isAwaited else { return nil }
                exchange.isAwaited = false
                return exchange.wakeUp
            }
            wakeUp?()
        }
    }

    private func takeFree() -> Chunk? {
        let depth = depth
        return exchange.withLock { exchange in
            if !exchange.isClosed, !exchange.isEnded, exchange.failure == nil {
                if let chunk = exchange.free.popLast() { return chunk }
                if exchange.chunkCount < depth {
                    exchange.chunkCount += 1
                    return Chunk()
                }
            }
            exchange.isFilling = false
            return nil
        }
    }
}
