// SPDX-License-Identifier: MIT
internal import NetworkingSupport

/// Tells of changes of links, addresses, routes and rules, by a netlink socket in the set of the network thread.
///
/// The socket is open while there are subscriptions.
package final class NetworkChangeMonitor: Sendable {
    package enum Event: Sendable {
        /// Something changed, perhaps several things.
        case changed
        /// Changes are no longer told: the subscription is void.
        case lost
    }

    package typealias Handler = @Sendable (Event) -> Void

    /// Ends with its release.
    package final class Subscription: Sendable {
        fileprivate let number: UInt64
        private let monitor: NetworkChangeMonitor

        fileprivate init(_ monitor: NetworkChangeMonitor, _ number: UInt64) {
            self.monitor = monitor
            self.number = number
        }

        /// True once changes are no longer told. It is so before the handler gets `lost`, which may be before the subscriber
        /// has the subscription: it asks when it keeps it.
        package var isVoid: Bool { monitor.state.withLock { $0.handlers[number] == nil } }

        deinit { monitor.unsubscribe(number) }
    }

    private struct State {
        var handlers: [UInt64: Handler] = [:]
        var lastNumber: UInt64 = 0
        var socket: NetlinkSocket?
    }

    /// The one that uses the engine of all operations.
    package static let shared = NetworkChangeMonitor(engine: .shared)

    /// Datagrams read before transfers have their turn; the rest comes in the next pass.
    private static let batchSize = 64

    private let engine: TransportEngine
    private let state = Locked(State())

    package init(engine: TransportEngine) {
        self.engine = engine
    }

    /// True while the socket is open.
    var isListening: Bool { state.withLock { $0.socket != nil } }

    /// Calls `handler` on the network thread, which it must not keep, after each change that happens after this call
    /// has returned.
    package func subscribe(_ handler: @escaping Handler) throws(NetlinkError) -> Subscription {
        let (number, opened) = try state.withLock { state throws(NetlinkError) -> (UInt64, NetlinkSocket?) in
            let opened = state.socket == nil ? try NetlinkSocket(hearsChanges: true) : nil
            if let opened { state.socket = opened }
            state.lastNumber += 1
            state.handlers[state.lastNumber] = handler
            return (state.lastNumber, opened)
        }
        if let opened { engine.perform { [self] in watch(opened) } }
        return Subscription(self, number)
    }

    private func unsubscribe(_ number: UInt64) {
        let closed = state.withLock { state -> (Handler?, NetlinkSocket?) in
            let handler = state.handlers.removeValue(forKey: number)
            return (handler, state.handlers.isEmpty ? state.socket.take() : nil)
        }
        guard let socket = closed.1 else { return }
        engine.perform { [engine] in engine.unwatch(socket.descriptor) }
    }

    /// On the network thread.
    private func watch(_ socket: NetlinkSocket) {
        // A caller that has unsubscribed meanwhile was quicker with the mailbox.
        guard state.withLock({ $0.socket === socket }) else { return }
        if engine.watch(socket.descriptor, { [self] in read(socket) }) != nil { lose(socket) }
    }

    /// On the network thread.
    private func read(_ socket: NetlinkSocket) {
        var buffer = [UInt8](repeating: 0, count: NetlinkSocket.bufferSize)
        var hasChanged = false
        do {
            for _ in 0..<Self.batchSize {
                guard let reception = try socket.receive(&buffer) else { break }
                switch reception {
                case .overrun: hasChanged = true
                case .datagram(let bytes): hasChanged = hasChanged || NetlinkMessage.tellsOfChange(bytes)
                }
            }
        } catch {
            engine.unwatch(socket.descriptor)
            lose(socket)
            return
        }
        guard hasChanged else { return }
        let handlers = state.withLock { $0.socket === socket ? Array($0.handlers.values) : [] }
        for handler in handlers { handler(.changed) }
    }

    private func lose(_ socket: NetlinkSocket) {
        let handlers = state.withLock { state -> [Handler] in
            guard state.socket === socket else { return [] }
            state.socket = nil
            defer { state.handlers = [:] }
            return Array(state.handlers.values)
        }
        for handler in handlers { handler(.lost) }
    }
}
