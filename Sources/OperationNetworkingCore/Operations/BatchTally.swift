// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import NetworkingSupport

/// The count of a batch: which members have completed, and which reports are due.
///
/// Members hold it from the moment on from which they are counted, and it holds a member only once that has completed:
/// a batch that is never run is released with its members.
final class BatchTally: Sendable {
    private struct State {
        var completionQueue: DispatchQueue?
        var progressBlock: (@Sendable (Int, Int) -> Void)?
        var bytesBlock: (@Sendable (OperationBatch.Bytes) -> Void)?
        var bytes: BatchBytes
        var isBytesReportScheduled = false
        var completionBlock: (@Sendable ([URLConnectionOperation]) -> Void)?
        /// Called once the completion block has returned.
        var followers: [@Sendable () -> Void] = []
        var isComplete = false
        /// Members and nested batches whose end is not in, and one for the enqueueing itself.
        var outstanding: Int
        var finishedCount = 0
        /// The members that have completed, each in its place.
        var completed: [URLConnectionOperation?]
        /// Serial, on top of the completion queue, so that counts arrive in order even if that is concurrent. Nil until
        /// the batch is tracked.
        var delivery: DispatchQueue?
        /// The target queue of `delivery`.
        var target: DispatchQueue?
    }

    /// A member before it has completed.
    private struct Member {
        weak let operation: URLConnectionOperation?
    }

    /// One unit for each member.
    let progress: Progress
    private let members: [Member]
    private let state: Locked<State>

    /// - Parameter batches: nested batches, whose ends are waited for as well.
    init(_ members: [URLConnectionOperation], batches: Int) {
        // A child of the thread's present progress, if there is one.
        progress = ProgressChanges.perform { Progress(totalUnitCount: Int64(members.count)) }
        self.members = members.map { Member(operation: $0) }
        state = Locked(
            State(
                bytes: BatchBytes(count: members.count), outstanding: 1 + members.count + batches,
                completed: Array(repeating: nil, count: members.count)))
        progress.cancellationHandler = { [weak self] in self?.cancelMembers() }
    }

    /// True if the members' ends are followed.
    var isTracked: Bool { state.withLock { $0.delivery != nil } }

    var completionQueue: DispatchQueue? {
        get { state.withLock { $0.completionQueue } }
        set { state.withLock { $0.completionQueue = newValue } }
    }

    /// The queue that the blocks are called on; nil until the batch is tracked.
    var deliveryTarget: DispatchQueue? { state.withLock { $0.target } }

    func setProgressBlock(_ block: (@Sendable (Int, Int) -> Void)?) {
        _ = state.withLock { Self.exchange(&$0.progressBlock, block) }
    }

    var bytes: OperationBatch.Bytes { state.withLock { $0.bytes.sum } }

    func setBytesBlock(_ block: (@Sendable (OperationBatch.Bytes) -> Void)?) {
        _ = state.withLock { Self.exchange(&$0.bytesBlock, block) }
    }

    func setCompletionBlock(_ block: (@Sendable ([URLConnectionOperation]) -> Void)?) {
        _ = state.withLock { Self.exchange(&$0.completionBlock, block) }
    }

    /// Returns what was there, to be released after the lock: with a block may go an object whose `deinit` comes back here.
    private static func exchange<Value>(_ place: inout Value, _ new: Value) -> Value {
        defer { place = new }
        return place
    }

    /// Fixes the queue that the blocks are called on, and returns it. Nil: that was done before.
    ///
    /// - Parameter queue: the completion queue if the batch has none; nil: the main queue.
    func beginTracking(inheriting queue: DispatchQueue?) -> DispatchQueue? {
        state.withLock { state -> DispatchQueue? in
            guard state.delivery == nil else { return nil }
            let target = state.completionQueue ?? queue ?? .sharedMain
            state.target = target
            state.delivery = DispatchQueue(label: "OperationNetworking.batch", target: target)
            return target
        }
    }

    /// Follows the end of a member. From now on it holds the tally.
    func follow(_ member: URLConnectionOperation, at index: Int) {
        if state.withLock({ $0.bytesBlock != nil }), !member.isFinished {
            member.addDownloadProgressBlock { [self] _, total, expected in
                noteBytes { $0.note(received: total, of: expected, at: index) }
            }
            member.addUploadProgressBlock { [self] _, total, _ in noteBytes { $0.note(sent: total, at: index) } }
        }
        let waits = member.afterCompletion { [self] member in memberDidComplete(member, at: index) }
        if !waits { memberDidComplete(member, at: index) }
    }

    /// Counts bytes, and reports them. Bytes that come before the report are part of it.
    private func noteBytes(_ note: (inout BatchBytes) -> Void) {
        let delivery = state.withLock { state -> DispatchQueue? in
            note(&state.bytes)
            guard state.bytesBlock != nil, !state.isBytesReportScheduled else { return nil }
            state.isBytesReportScheduled = true
            return state.delivery
        }
        deliver(on: delivery) { [self] in
            let (block, bytes) = state.withLock { state in
                state.isBytesReportScheduled = false
                return (state.bytesBlock, state.bytes.sum)
            }
            block?(bytes)
        }
    }

    private func memberDidComplete(_ member: URLConnectionOperation, at index: Int) {
        let delivery = state.withLock { state in
            state.completed[index] = member
            return state.delivery
        }
        deliver(on: delivery) { [self] in
            let (count, block) = state.withLock { state in
                state.finishedCount += 1
                return (state.finishedCount, state.progressBlock)
            }
            ProgressChanges.perform { progress.completedUnitCount = Int64(count) }
            block?(count, members.count)
        }
        noteBytes { $0.end(index) }
        settle()
    }

    /// One of the ends that the completion waits for has come.
    func settle() {
        let delivery = state.withLock { state -> DispatchQueue? in
            state.outstanding -= 1
            return state.outstanding == 0 ? state.delivery : nil
        }
        deliver(on: delivery) { [self] in complete() }
    }

    private func deliver(on queue: DispatchQueue?, _ work: @escaping @Sendable () -> Void) {
        if let queue { Runtime.current.on(queue, work) }
    }

    private func complete() {
        let ended = state.withLock { state in
            defer {
                state.progressBlock = nil
                state.bytesBlock = nil
                state.completionBlock = nil
                state.completed = []
            }
            return state
        }
        ended.completionBlock?(ended.completed.compactMap { $0 })
        let followers = state.withLock { state in
            defer { state.followers = [] }
            state.isComplete = true
            return state.followers
        }
        for follower in followers { follower() }
    }

    /// Calls `follower` once the completion block has returned; at once when it has.
    func whenComplete(_ follower: @escaping @Sendable () -> Void) {
        let isComplete = state.withLock { state in
            if !state.isComplete { state.followers.append(follower) }
            return state.isComplete
        }
        if isComplete { follower() }
    }

    /// Cancels the members, last first: cancelling an upstream makes those that depend on it ready, and they would be
    /// started for nothing.
    private func cancelMembers() {
        for member in members.reversed() { member.operation?.cancel() }
    }
}
