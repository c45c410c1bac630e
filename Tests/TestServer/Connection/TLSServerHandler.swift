// SPDX-License-Identifier: MIT
internal import COpenSSL
internal import Foundation
internal import NIOCore
internal import TestTLS

/// The server's end of TLS in a channel: OpenSSL between two memory BIOs. Lives on the channel's event loop.
final class TLSServerHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The client has gone without saying so within TLS.
    struct UncleanShutdown: Error {}

    private enum State {
        case handshaking, open
        /// Our close_notify was sent, the client's is waited for.
        case closing
        /// Nothing goes through TLS any more.
        case closed
    }

    /// How long a client's close_notify is waited for.
    private static let closeTimeout = TimeAmount.milliseconds(500)

    private let ssl: OpaquePointer
    private let received: OpaquePointer
    private let toSend: OpaquePointer
    private var state = State.handshaking
    /// What is to be encrypted, up to where it is flushed.
    private var pending = MarkedCircularBuffer<(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)>(
        initialCapacity: 4)
    private var closePromise: EventLoopPromise<Void>?

    init(_ context: TLSServerContext) throws {
        (ssl, received, toSend) = try context.makeConnection()
    }

    deinit { SSL_free(ssl) }

    /// What the client has shown, DER.
    var peerCertificate: Data? {
        guard let certificate = SSL_get1_peer_certificate(ssl) else { return nil }
        defer { X509_free(certificate) }
        return try? DEREncoding.data { i2d_X509(certificate, $0) }
    }

    // MARK: From the client

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        _ = bytes.withUnsafeReadableBytes { BIO_write(received, $0.baseAddress, Int32($0.count)) }
        if state == .handshaking { shakeHands(context) }
        if state == .open || state == .closing { read(context) }
    }

    private func shakeHands(_ context: ChannelHandlerContext) {
        ERR_clear_error()
        let result = SSL_accept(ssl)
        guard result != 1 else {
            state = .open
            writePending(context)
            return
        }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: send(context, nil)
        default: fail(OpenSSLFailure("the handshake failed"), context)
        }
    }

    private func read(_ context: ChannelHandlerContext) {
        while state == .open || state == .closing {
            var buffer = context.channel.allocator.buffer(capacity: 16 * 1024)
            ERR_clear_error()
            let count = buffer.withUnsafeMutableWritableBytes { SSL_read(ssl, $0.baseAddress, Int32($0.count)) }
            guard count <= 0 else {
                buffer.moveWriterIndex(forwardBy: Int(count))
                if state == .open { context.fireChannelRead(wrapInboundOut(buffer)) }
                continue
            }
            switch SSL_get_error(ssl, count) {
            // Key updates and the like are answered.
            case SSL_ERROR_WANT_READ: return send(context, nil)
            case SSL_ERROR_ZERO_RETURN: return peerHasClosed(context)
            default: return fail(OpenSSLFailure("the client's records are broken"), context)
            }
        }
    }

    private func peerHasClosed(_ context: ChannelHandlerContext) {
        let isAnswered = state == .closing
        state = .closed
        if !isAnswered {
            SSL_shutdown(ssl)
            send(context, nil)
        }
        closeChannel(context)
    }

    private func fail(_ error: any Error, _ context: ChannelHandlerContext) {
        state = .closed
        // The alert.
        send(context, nil)
        context.fireErrorCaught(error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        let last = state
        state = .closed
        dropPending()
        closePromise?.succeed()
        closePromise = nil
        if last == .handshaking || last == .open { context.fireErrorCaught(UncleanShutdown()) }
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { dropPending() }

    // MARK: To the client

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        pending.append((unwrapOutboundIn(data), promise))
    }

    func flush(context: ChannelHandlerContext) {
        pending.mark()
        if state == .open { writePending(context) }
    }

    private func writePending(_ context: ChannelHandlerContext) {
        while pending.hasMark, let (bytes, promise) = pending.popFirst() {
            guard encrypt(bytes) else {
                let error = OpenSSLFailure("nothing can be written")
                promise?.fail(error)
                return fail(error, context)
            }
            write(toChannel: context, promise)
        }
        send(context, nil)
    }

    private func encrypt(_ bytes: ByteBuffer) -> Bool {
        bytes.withUnsafeReadableBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                ERR_clear_error()
                let count = SSL_write(
                    ssl, UnsafeRawBufferPointer(rebasing: rest).baseAddress, Int32(min(rest.count, 1 << 30)))
                guard count > 0 else { return false }
                rest = rest.dropFirst(Int(count))
            }
            return true
        }
    }

    /// Gives the channel what OpenSSL wants to be sent, and flushes.
    private func send(_ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        write(toChannel: context, promise)
        context.flush()
    }

    private func write(toChannel context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>?) {
        let count = BIO_ctrl_pending(toSend)
        var buffer = context.channel.allocator.buffer(capacity: count)
        let read = buffer.withUnsafeMutableWritableBytes { BIO_read(toSend, $0.baseAddress, Int32(count)) }
        if read > 0 { buffer.moveWriterIndex(forwardBy: Int(read)) }
        guard buffer.readableBytes > 0 || promise != nil else { return }
        context.write(wrapOutboundOut(buffer), promise: promise)
    }

    private func dropPending() {
        while let (_, promise) = pending.popFirst() { promise?.fail(ChannelError.ioOnClosedChannel) }
    }

    // MARK: The end

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        switch (mode, state) {
        case (.output, .open):
            pending.mark()
            writePending(context)
            SSL_shutdown(ssl)
            send(context, nil)
            context.close(mode: .output, promise: promise)
        case (.all, .open):
            pending.mark()
            writePending(context)
            guard state == .open else { return context.close(promise: promise) }
            state = .closing
            closePromise = promise
            SSL_shutdown(ssl)
            send(context, nil)
            context.eventLoop.assumeIsolated().scheduleTask(in: Self.closeTimeout) { [self] in
                if state == .closing { closeChannel(context) }
            }
        case (.all, .closing):
            if let promise { closePromise.setOrCascade(to: promise) }
        default:
            context.close(mode: mode, promise: promise)
        }
    }

    private func closeChannel(_ context: ChannelHandlerContext) {
        state = .closed
        dropPending()
        let promise = closePromise
        closePromise = nil
        context.close(promise: promise)
    }
}
