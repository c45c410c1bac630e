// SPDX-License-Identifier: MIT
internal import NetworkingSupport

/// News for one queue, delivered one at a time and in order, as a pure value: the owner has a job sent to the queue for
/// each, and guards the lane with its lock.
///
/// The number of waiting items is bounded, because the queue may never run: the oldest is dropped. An item that equals
/// the one delivered before is left out.
struct DeliveryLane<News: Equatable> {
    static var limit: Int { 64 }

    private var news: [News] = []
    private var told: News?
    /// A job is under way to the queue, or running.
    private var isScheduled = false
    /// The number of the job under way: a job with another number was sent to a queue that is the lane's no more.
    private(set) var job: UInt = 0
    /// Opened when the present item has been delivered.
    private var running: Latch?

    /// True: a job has to be sent to the queue.
    mutating func append(_ item: News) -> Bool {
        if news.count == Self.limit { news.removeFirst() }
        news.append(item)
        defer { isScheduled = true }
        return !isScheduled
    }

    /// The queue is another one from now on. True: a job has to be sent to it, because the one under way to the earlier
    /// queue, which may never run, does nothing any more.
    mutating func redirect() -> Bool {
        guard running == nil else { return false }
        job &+= 1
        isScheduled = !news.isEmpty
        return isScheduled
    }

    /// Returns the item to deliver now, in the job, and the latch to open then. Nil: nothing; the job is over.
    ///
    /// - Parameter job: its number when it was sent. Nil: the queue is always the same.
    mutating func begin(_ job: UInt? = nil) -> (item: News, end: Latch)? {
        guard job == nil || job == self.job else { return nil }
        while let item = news.first {
            news.removeFirst()
            guard item != told else { continue }
            told = item
            let latch = Latch()
            running = latch
            return (item, latch)
        }
        isScheduled = false
        return nil
    }

    /// The item has been delivered. True: another job has to be sent to the queue.
    mutating func end() -> Bool {
        running = nil
        isScheduled = !news.isEmpty
        return isScheduled
    }

    /// Drops the waiting items. The item that is being delivered at this moment opens the latch when it has been.
    mutating func clear() -> Latch? {
        news = []
        told = nil
        return running
    }
}
