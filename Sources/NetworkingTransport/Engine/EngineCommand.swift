// SPDX-License-Identifier: MIT

/// A request to the engine, from another thread or from a callback on the network thread.
enum EngineCommand: Sendable {
    case start(Transfer)
    case cancel(Transfer)
    case resumeReceiving(Transfer)
    /// The body source of the given attempt can be read again.
    case resumeSending(Transfer, attempt: Int)
    case hold(Transfer)
    case release(Transfer)
    case perform(@Sendable () -> Void)
    /// The same, when nothing is left to read from the sockets, or after a few looks at them.
    case performAtRest(@Sendable () -> Void)
    /// The same, some 2 ms later, together with others of the kind.
    case performSoon(@Sendable () -> Void)
    /// `maximumConnectionsPerHost` has a new value.
    case limitChanged
    /// An origin of the admission table has another limit.
    case admit(origin: Int)
    /// There is a verdict on the server of a connection whose handshake waits for it.
    case decided(PeerVerificationContext)
    case shutdown
}
