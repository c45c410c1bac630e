// SPDX-License-Identifier: MIT
package import Foundation
internal import NIOCore
internal import NIOPosix

/// A TCP proxy in front of a server on this machine that does to a connection what networks do.
///
/// The first bytes of one direction pass as they are; from then on there is the fault. The other direction is relayed.
package final class FaultProxy: Sendable {
    package enum Fault: Sendable, Hashable, CaseIterable {
        /// What has come is passed on later.
        case latency
        /// It is passed on in pieces of a few bytes.
        case slices
        /// So many bytes a second are passed on, and no more.
        case limit
        /// Both sides get a TCP reset.
        case reset
        /// Nothing is passed on any more, not even the end.
        case blackhole
        /// The receiver is told that no more comes; what it sends still goes through.
        case halfClose
    }

    package enum Direction: Sendable {
        case toClient, toServer
    }

    package let port: Int
    private let listener: any Channel
    private let core: Core

    /// What all connections of a proxy share.
    fileprivate final class Core: Sendable {
        struct State {
            var channels: [ObjectIdentifier: any Channel] = [:]
            var passed = 0
        }
        let state = Monitor(State())
        let fault: Fault
        let direction: Direction
        let beginning: Int

        init(_ fault: Fault, _ direction: Direction, after beginning: Int) {
            self.fault = fault
            self.direction = direction
            self.beginning = beginning
        }

        func track(_ channel: any Channel) {
            state.withLock { $0.channels[ObjectIdentifier(channel)] = channel }
            channel.closeFuture.whenComplete { [self] _ in
                state.withLock { _ = $0.channels.removeValue(forKey: ObjectIdentifier(channel)) }
            }
        }
    }

    /// - Parameters:
    ///   - serverPort: of the server, on 127.0.0.1.
    ///   - beginning: bytes of the direction that pass before; with 0 the fault begins with the first of them.
    package init(to serverPort: Int, _ fault: Fault, _ direction: Direction = .toClient, after beginning: Int) throws {
        let core = Core(fault, direction, after: beginning)
        self.core = core
        listener = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            // Read when there is somebody to pass it on to.
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { client in
                Self.connect(client, to: serverPort, core)
            }
            .bind(host: "127.0.0.1", port: 0).wait()
        port = listener.localAddress?.port ?? 0
    }

    deinit {
        listener.close(promise: nil)
        for channel in core.state.withLock({ Array($0.channels.values) }) { channel.close(promise: nil) }
    }

    /// A URL of the server, by way of the proxy.
    package func url(_ path: String) -> URL {
        guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else {
            preconditionFailure("not a URL: \(path)")
        }
        return url
    }

    /// Connections that are open, counted on both sides.
    package var openConnectionCount: Int { core.state.withLock { $0.channels.count } }

    /// Bytes that were passed on in the direction with the fault.
    package var passedBytes: Int { core.state.withLock { $0.passed } }

    private static func connect(_ client: any Channel, to port: Int, _ core: Core) -> EventLoopFuture<Void> {
        core.track(client)
        return ClientBootstrap(group: client.eventLoop)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.autoRead, value: false)
            .connect(host: "127.0.0.1", port: port)
            .flatMapThrowing { server in
                core.track(server)
                let toServer = FaultyPipe(core, core.direction == .toServer ? core.fault : nil, target: server)
                let toClient = FaultyPipe(core, core.direction == .toClient ? core.fault : nil, target: client)
                try client.pipeline.syncOperations.addHandler(toServer)
                try server.pipeline.syncOperations.addHandler(toClient)
                for channel in [client, server] {
                    channel.setOption(ChannelOptions.autoRead, value: true).whenFailure { _ in }
                }
            }
    }
}

/// Passes what one channel receives on to another. Lives on the event loop of both.
private final class FaultyPipe: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// How much is passed on at once, and how often, once a slow fault has begun.
    private static let sliceSize = 997
    private static let bytesPerTick = 8192
    private static let tick = TimeAmount.milliseconds(4)
    private static let delay = TimeAmount.milliseconds(30)

    private let core: FaultProxy.Core
    private let fault: FaultProxy.Fault?
    private let target: any Channel
    private var passed = 0
    private var hasBegun = false
    /// What a slow fault holds back.
    private var pending = ByteBuffer()
    private var isTicking = false
    private var hasEnded = false

    init(_ core: FaultProxy.Core, _ fault: FaultProxy.Fault?, target: any Channel) {
        self.core = core
        self.fault = fault
        self.target = target
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        guard let fault else { return pass(bytes) }
        if !hasBegun {
            let size = min(bytes.readableBytes, core.beginning - passed)
            if let piece = bytes.readSlice(length: size), size > 0 { pass(piece) }
            guard passed == core.beginning, core.beginning > 0 || bytes.readableBytes > 0 else { return }
            hasBegun = true
            begin(fault, context)
        }
        switch fault {
        case .reset, .blackhole, .halfClose: return
        case .latency, .slices, .limit:
            pending.writeBuffer(&bytes)
            tick(context)
        }
    }

    private func begin(_ fault: FaultProxy.Fault, _ context: ChannelHandlerContext) {
        switch fault {
        case .latency, .slices, .limit, .blackhole: return
        case .halfClose: target.close(mode: .output, promise: nil)
        case .reset:
            for channel in [context.channel, target] {
                let options = channel as? any SocketOptionProvider
                options?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in channel.close(promise: nil) }
            }
        }
    }

    private func pass(_ bytes: ByteBuffer) {
        passed += bytes.readableBytes
        if fault != nil { core.state.withLock { $0.passed += bytes.readableBytes } }
        target.writeAndFlush(bytes, promise: nil)
    }

    /// Passes on what is due, as long as there is something.
    private func tick(_ context: ChannelHandlerContext) {
        guard !isTicking, pending.readableBytes > 0 else { return }
        isTicking = true
        let loop = context.eventLoop.assumeIsolated()
        let size =
            switch fault {
            case .slices: Self.sliceSize
            case .limit: Self.bytesPerTick
            default: Int.max
            }
        loop.scheduleTask(in: fault == .latency ? Self.delay : fault == .slices ? .microseconds(200) : Self.tick) {
            [self] in
            isTicking = false
            if let piece = pending.readSlice(length: min(size, pending.readableBytes)) { pass(piece) }
            if pending.readableBytes > 0 {
                tick(context)
            } else if hasEnded {
                target.close(mode: .output, promise: nil)
            }
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent { end() }
        context.fireUserInboundEventTriggered(event)
    }

    private func end() {
        hasEnded = true
        if hasBegun, fault == .blackhole || fault == .halfClose { return }
        if pending.readableBytes == 0 { target.close(mode: .output, promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !hasEnded { end() }
        // Of the other direction nothing can be passed on any more.
        if !(hasBegun && fault == .blackhole), pending.readableBytes == 0 { target.close(promise: nil) }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
