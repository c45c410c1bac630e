internal import Dispatch
internal import Glibc
internal import Synchronization

/// Turns signals that end a program into calls.
// Sendable because `sources` is touched on `queue` only, and the rest is behind a lock.
package final class SignalWatch: @unchecked Sendable {
    private let queue = DispatchQueue(label: "batchget.signals")
    private var sources: [any DispatchSourceSignal] = []
    private let received = Mutex<Int32?>(nil)

    package init() {}

    /// The first signal that came.
    package var signal: Int32? { received.withLock { $0 } }

    /// Watches for signals, but not for those that were ignored already, as `nohup` does it.
    ///
    /// - Parameters:
    ///   - first: called on a queue of its own when the first signal comes.
    ///   - again: called for every further one.
    package func begin(
        _ numbers: [Int32], first: @escaping @Sendable (Int32) -> Void, again: @escaping @Sendable (Int32) -> Void
    ) {
        queue.sync {
            for number in numbers where !Self.isIgnored(number) {
                let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
                source.setEventHandler { [self] in
                    let isFirst = received.withLock { received in
                        defer { received = received ?? number }
                        return received == nil
                    }
                    isFirst ? first(number) : again(number)
                }
                source.activate()
                Glibc.signal(number, SIG_IGN)
                sources.append(source)
            }
        }
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return false }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
            == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
