// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Glibc
internal import Synchronization

/// Where the signal handler writes the numbers of signals: the writing end of a pipe.
// Written once before the first handler is installed, and only read from then on.
nonisolated(unsafe) private var signalPipe: Int32 = -1

/// Turns signals that end a program into calls.
///
/// Through a handler and a pipe. A dispatch source alone would not do on Linux: it sees only signals that every thread
/// blocks, and the threads of the concurrency runtime are there before anybody could make them.
// Sendable because `source` is written once, in `begin`, and the rest is behind a lock.
package final class SignalWatch: @unchecked Sendable {
    private let received = Mutex<Int32?>(nil)
    private var source: (any DispatchSourceRead)?

    package init() {}

    /// The first signal that came.
    package var signal: Int32? { received.withLock { $0 } }

    /// Watches for signals, but not for those that were ignored already, as `nohup` does it. To be called once in a
    /// program.
    ///
    /// - Parameters:
    ///   - first: called on a queue of its own when the first signal comes.
    ///   - again: called for every further one.
    /// - Returns: whether signals are watched for; else they do what they did before.
    @discardableResult
    package func begin(
        _ numbers: [Int32], first: @escaping @Sendable (Int32) -> Void, again: @escaping @Sendable (Int32) -> Void
    ) -> Bool {
        var ends: [Int32] = [-1, -1]
        guard signalPipe < 0, pipe(&ends) == 0 else { return false }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        signalPipe = ends[1]
        let source = DispatchSource.makeReadSource(
            fileDescriptor: ends[0], queue: DispatchQueue(label: "batchget.signals"))
        let reader = ends[0]
        source.setEventHandler { [self] in
            var number: UInt8 = 0
            while read(reader, &number, 1) == 1 {
                let signal = Int32(number)
                let isFirst = received.withLock { received in
                    defer { received = received ?? signal }
                    return received == nil
                }
                isFirst ? first(signal) : again(signal)
            }
        }
        source.activate()
        self.source = source
        for number in numbers where !Self.isIgnored(number) { Self.handle(number) }
        return true
    }

    private static func handle(_ number: Int32) {
        var action = sigaction()
        action.sa_flags = SA_RESTART
        action.__sigaction_handler.sa_handler = { number in
            let error = errno
            var byte = UInt8(truncatingIfNeeded: number)
            _ = write(signalPipe, &byte, 1)
            errno = error
        }
        sigaction(number, &action, nil)
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
