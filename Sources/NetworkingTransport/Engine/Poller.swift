// SPDX-License-Identifier: MIT
internal import CCurl
internal import Glibc

/// Owns the epoll set that the run loop watches: every curl socket, the mailbox, one timer, and what else is watched.
///
/// The 64 bits of data of an event name the descriptor, and the pool that registered it.
final class Poller {
    /// Stands in an event's data for the mailbox and the timer, which belong to no pool.
    static let enginePool: UInt32 = .max
    /// Stands in an event's data for descriptors that are watched for others than libcurl.
    static let watchPool: UInt32 = .max - 1

    let descriptor: Int32
    private let timer: Int32
    /// Events taken from the set at a time.
    private let batchSize: Int
    private let events: UnsafeMutablePointer<epoll_event>
    /// Network thread. The sockets that are in the set for libcurl.
    let sockets = SocketTable()
    /// Network thread. The time at which the timer will fire; `.max`: not armed.
    private var armedDeadline = UInt64.max
    /// Network thread. The number of times that the timer was set.
    private(set) var timerSettings = 0

    /// Nil: a descriptor could not be made (see errno).
    init?(mailbox: EngineMailbox, batchSize: Int) {
        self.batchSize = batchSize
        guard mailbox.descriptor >= 0 else { return nil }
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        timer = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC) | Int32(TFD_NONBLOCK))
        events = .allocate(capacity: batchSize)
        guard timer >= 0,
            control(EPOLL_CTL_ADD, timer, EPOLLIN.rawValue, pool: Self.enginePool),
            control(EPOLL_CTL_ADD, mailbox.descriptor, EPOLLIN.rawValue, pool: Self.enginePool)
        else { return nil }
    }

    deinit {
        _ = close(descriptor)
        if timer >= 0 { _ = close(timer) }
        events.deallocate()
    }

    /// Adds, changes or removes a descriptor.
    func control(_ operation: Int32, _ descriptor: Int32, _ interest: UInt32, pool: UInt32) -> Bool {
        var event = epoll_event()
        event.events = interest
        event.data.u64 = UInt64(pool) << 32 | UInt64(UInt32(bitPattern: descriptor))
        return epoll_ctl(self.descriptor, operation, descriptor, &event) == 0
    }

    /// Takes what is ready now, without waiting; at most `batchSize`.
    func poll() -> Int { Int(max(epoll_wait(descriptor, events, Int32(batchSize), 0), 0)) }

    /// An event of the last batch.
    func event(_ index: Int) -> (descriptor: Int32, pool: UInt32, readiness: UInt32) {
        let data = events[index].data.u64
        return (
            Int32(bitPattern: UInt32(truncatingIfNeeded: data)), UInt32(truncatingIfNeeded: data >> 32),
            events[index].events
        )
    }

    func isTimer(_ descriptor: Int32) -> Bool { descriptor == timer }

    /// Takes note that the timer has fired.
    func acknowledgeTimer() {
        var count: UInt64 = 0
        _ = read(timer, &count, MemoryLayout<UInt64>.size)
        armedDeadline = .max
    }

    /// Makes sure that the set becomes ready at `deadline` at the latest. An armed timer is moved forward only: firing
    /// early costs a pass of the loop, setting the timer each time a deadline moves costs more than everything else.
    func wake(at deadline: UInt64) {
        guard deadline < armedDeadline else { return }
        var specification = itimerspec()
        specification.it_value.tv_sec = Int(deadline / 1_000_000_000)
        specification.it_value.tv_nsec = Int(deadline % 1_000_000_000)
        guard timerfd_settime(timer, Int32(TFD_TIMER_ABSTIME), &specification, nil) == 0 else { return }
        armedDeadline = deadline
        timerSettings += 1
    }
}

// Belongs to the network thread.
@available(*, unavailable)
extension Poller: Sendable {}
