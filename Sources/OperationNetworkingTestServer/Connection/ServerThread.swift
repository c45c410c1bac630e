// SPDX-License-Identifier: MIT
internal import CLinux
internal import Foundation
internal import Glibc
internal import NetworkingSupport

/// The thread that a server's sockets are served on.
// Sendable because everything mutable is touched on the thread only, but for `inbox`, which is locked.
final class ServerThread: @unchecked Sendable {
    /// Something that is served: the listener, a connection.
    protocol Client: AnyObject {
        /// nil: it is closed, and not asked again.
        var descriptor: Int32? { get }
        /// For `poll`; 0: nothing at present.
        var awaitedEvents: Int16 { get }
        func handle(_ events: Int16)
        /// From now on there is no descriptor.
        func close()
    }

    private struct Inbox {
        var work: [@Sendable () -> Void] = []
        var isEnded = false
    }

    private struct Alarm {
        let time: UInt64
        let work: () -> Void
    }

    private let inbox = Locked(Inbox())
    /// An eventfd.
    private let wakeDescriptor: Int32
    private let hasEnded = Latch()
    private var clients: [any Client] = []
    /// The last one first.
    private var alarms: [Alarm] = []
    private var isEnding = false
    private var identity: pthread_t?

    init() throws {
        wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        guard wakeDescriptor >= 0 else { throw HTTPStubServerError(call: "eventfd", code: errno) }
    }

    deinit { _ = Glibc.close(wakeDescriptor) }

    func start() {
        let thread = Thread { [self] in run() }
        thread.name = "HTTPStubServer"
        thread.start()
    }

    // MARK: From any thread

    /// Has work done on the thread; not at all, and returns false, when that has ended or is about to.
    @discardableResult
    func perform(_ work: @escaping @Sendable () -> Void) -> Bool {
        let (isTaken, isFirst) = inbox.withLock { inbox in
            guard !inbox.isEnded else { return (false, false) }
            inbox.work.append(work)
            return (true, inbox.work.count == 1)
        }
        if isFirst { wake() }
        return isTaken
    }

    /// Waits until `end()` has come to its end.
    func waitForEnd() { hasEnded.wait() }

    private func wake() {
        var one: UInt64 = 1
        // It can fail only where the counter is full, and so readable.
        _ = write(wakeDescriptor, &one, MemoryLayout<UInt64>.size)
    }

    // MARK: On the thread

    func assertIsCurrent() {
        precondition(identity.map { pthread_equal($0, pthread_self()) != 0 } ?? false, "not on the server's thread")
    }

    func add(_ client: any Client) {
        assertIsCurrent()
        clients.append(client)
    }

    /// Has work done after some time.
    func after(_ seconds: TimeInterval, _ work: @escaping () -> Void) {
        assertIsCurrent()
        let delay = UInt64(max(0, min(seconds, 1e9)) * 1e9)
        let alarm = Alarm(time: MonotonicClock.now + delay, work: work)
        let index = alarms.firstIndex { $0.time <= alarm.time } ?? alarms.endIndex
        alarms.insert(alarm, at: index)
    }

    /// Closes all clients, and lets the thread end after what it is doing.
    func end() {
        assertIsCurrent()
        isEnding = true
    }

    private func run() {
        identity = pthread_self()
        // An error reports a client that has gone; the signal goes to the thread that writes.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        while !isEnding { turn() }
        // Callers that wait for their work are not left waiting.
        for work in takeWork(isLast: true) { work() }
        for client in clients { client.close() }
        clients = []
        alarms = []
        hasEnded.open()
    }

    private func turn() {
        let served = clients
        var polled = [pollfd(fd: wakeDescriptor, events: Int16(POLLIN), revents: 0)]
        // A negative descriptor is passed over.
        polled += served.map { pollfd(fd: $0.descriptor ?? -1, events: $0.awaitedEvents, revents: 0) }
        guard poll(&polled, nfds_t(polled.count), timeout) >= 0 || errno == EINTR else { return isEnding = true }
        var count: UInt64 = 0
        _ = read(wakeDescriptor, &count, MemoryLayout<UInt64>.size)
        for (client, state) in zip(served, polled.dropFirst()) where state.revents != 0 && client.descriptor != nil {
            client.handle(state.revents)
        }
        for work in takeWork(isLast: false) { work() }
        while let alarm = alarms.last, alarm.time <= MonotonicClock.now {
            alarms.removeLast()
            alarm.work()
        }
        clients.removeAll { $0.descriptor == nil }
    }

    private func takeWork(isLast: Bool) -> [@Sendable () -> Void] {
        inbox.withLock { inbox in
            inbox.isEnded = isLast
            defer { inbox.work = [] }
            return inbox.work
        }
    }

    /// Milliseconds until the next alarm; -1: no alarm is set.
    private var timeout: Int32 {
        guard let next = alarms.last else { return -1 }
        let now = MonotonicClock.now
        guard next.time > now else { return 0 }
        return Int32(clamping: (next.time - now + 999_999) / 1_000_000)
    }
}
