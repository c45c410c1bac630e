// SPDX-License-Identifier: MIT
public import Dispatch
internal import Foundation
internal import NetworkingSupport

// The way from a new status to its receivers.

extension NetworkReachabilityManager {
    /// The work that a new status causes, to be done without the lock.
    struct News {
        let blocks: BlockJob?
        let sendsNotification: Bool
        let resumed: [StatusBuffer.Resumption]
    }

    /// A job of the block's lane, and the queue that it is for.
    struct BlockJob {
        let queue: DispatchQueue
        let number: UInt
    }

    /// The queue for the block and the observers. `nil`, the default, stands for the main queue, which the program must
    /// run. What waits on the earlier queue is delivered on the new one. The notification is posted on the main queue
    /// in any case.
    public var completionQueue: DispatchQueue? {
        get { state.withLock { $0.completionQueue } }
        set {
            let job = state.withLock { state -> BlockJob? in
                guard state.completionQueue !== newValue else { return nil }
                state.completionQueue = newValue
                return state.blockLane.redirect() ? state.blockJob : nil
            }
            if let job { schedule(job) }
        }
    }

    /// Sets a block that is called with the first status after each start, and with every other one. AF:
    /// `setReachabilityStatusChangeBlock:`.
    ///
    /// - Parameter block: called on `completionQueue`, or the main queue; one call at a time, in order, and never twice
    ///   in succession with the same status unless monitoring was started again. Where the queue is not run for long,
    ///   the oldest of more than 64 changes are left out. Nil: nothing is called.
    @preconcurrency
    public func setReachabilityStatusChangeBlock(_ block: (@Sendable (Status) -> Void)?) {
        let old = state.withLock { state in
            defer { state.block = block }
            return state.block
        }
        // Not under the lock: it may be the last reference to something of the user's.
        withExtendedLifetime(old) {}
    }

    /// Carries out what a new status demands.
    func send(_ news: News) {
        for resumption in news.resumed { resumption.perform() }
        if let job = news.blocks { schedule(job) }
        if news.sendsNotification { scheduleNotification() }
    }

    private func schedule(_ job: BlockJob) {
        let number = job.number
        Runtime.current.on(job.queue) { [weak self] in self?.callBlocks(number) }
    }

    private func callBlocks(_ number: UInt) {
        let call = state.withLock { state in
            state.blockLane.begin(number).map { ($0.item, $0.end, state.block, state.observers.map { $0.handler }) }
        }
        guard let (status, end, block, observers) = call else { return }
        DeliveryThread.deliver(until: end) {
            block?(status)
            for observer in observers { observer(status) }
        }
        let next = state.withLock { state -> BlockJob? in state.blockLane.end() ? state.blockJob : nil }
        if let next { schedule(next) }
    }

    private func scheduleNotification() {
        Runtime.current.on(.sharedMain) { [weak self] in self?.postNotification() }
    }

    private func postNotification() {
        guard let (status, end) = state.withLock({ $0.notificationLane.begin() }) else { return }
        DeliveryThread.deliver(until: end) {
            NotificationCenter.default.post(
                name: .networkingReachabilityDidChange, object: self,
                userInfo: [NetworkingReachabilityNotificationStatusItem: status.rawValue])
        }
        if state.withLock({ $0.notificationLane.end() }) { scheduleNotification() }
    }
}

extension NetworkReachabilityManager.State {
    /// The job to send when the block's lane says that one has to be. Together with what it said: afterwards the queue
    /// may be another one.
    fileprivate var blockJob: NetworkReachabilityManager.BlockJob {
        NetworkReachabilityManager.BlockJob(queue: completionQueue ?? .sharedMain, number: blockLane.job)
    }

    /// Notes down a status for all receivers: the order of these calls is the order of delivery.
    mutating func tell(_ status: NetworkReachabilityManager.Status) -> NetworkReachabilityManager.News {
        var resumed: [StatusBuffer.Resumption] = []
        for key in streams.keys {
            if let resumption = streams[key]?.append(status) { resumed.append(resumption) }
        }
        return NetworkReachabilityManager.News(
            blocks: blockLane.append(status) ? blockJob : nil, sendsNotification: notificationLane.append(status),
            resumed: resumed)
    }
}
