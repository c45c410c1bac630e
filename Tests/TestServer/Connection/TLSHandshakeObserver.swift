// SPDX-License-Identifier: MIT
internal import Foundation
internal import NIOCore

/// Sits between socket and TLS and reads what goes in clear: the ClientHello and the ServerHello (RFC 8446, 4.1).
///
/// The TLS library does not tell a server whether a session was resumed; the hellos do.
final class TLSHandshakeObserver: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let report: (TLSSessionInfo) -> Void
    private var info = TLSSessionInfo()
    private var received = HelloReader()
    private var sent = HelloReader()

    init(report: @escaping (TLSSessionInfo) -> Void) {
        self.report = report
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !received.isDone {
            received.append(unwrapInboundIn(data))
            if let hello = received.hello { readClientHello(hello) }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if !sent.isDone {
            sent.append(unwrapOutboundIn(data))
            if let hello = sent.hello { readServerHello(hello) }
        }
        context.write(data, promise: promise)
    }

    private func readClientHello(_ message: ByteBuffer) {
        var hello = message
        guard hello.readInteger(as: UInt16.self) != nil, hello.readSlice(length: 32) != nil,
            hello.readPrefixed(UInt8.self) != nil, hello.readPrefixed(UInt16.self) != nil,
            hello.readPrefixed(UInt8.self) != nil
        else { return }
        hello.forEachExtension { kind, content in
            var content = content
            if kind == 0, var names = content.readPrefixed(UInt16.self) {
                names.moveReaderIndex(forwardBy: 1)
                info.serverName = names.readPrefixed(UInt16.self).map { String(buffer: $0) }
            } else if kind == 16, var list = content.readPrefixed(UInt16.self) {
                while let name = list.readPrefixed(UInt8.self) { info.offeredProtocols.append(String(buffer: name)) }
            }
        }
        report(info)
    }

    /// TLS 1.3 resumes if the server chose a pre-shared key; before, if no certificate follows the ServerHello.
    private func readServerHello(_ message: ByteBuffer) {
        var hello = message
        var version = hello.readInteger(as: UInt16.self)
        guard hello.readSlice(length: 32) != nil, hello.readPrefixed(UInt8.self) != nil,
            hello.readSlice(length: 3) != nil
        else { return }
        var hasPreSharedKey = false
        hello.forEachExtension { kind, content in
            if kind == 41 { hasPreSharedKey = true }
            if kind == 43 { version = content.getInteger(at: content.readerIndex) }
        }
        info.version = version.flatMap(TLSSessionInfo.Version.init)
        info.isResumed = info.version == .v1_3 ? hasPreSharedKey : sent.followingMessage != HelloReader.certificate
        report(info)
    }
}

/// Puts the first handshake message of one direction together from TLS records.
private struct HelloReader {
    static let certificate: UInt8 = 11
    /// The body of the first handshake message, when it is complete.
    private(set) var hello: ByteBuffer?
    /// The type of the handshake message behind it, if it came along with it.
    private(set) var followingMessage: UInt8?
    private var isHopeless = false
    private var records = ByteBuffer()
    private var messages = ByteBuffer()

    var isDone: Bool { hello != nil || isHopeless }

    mutating func append(_ bytes: ByteBuffer) {
        records.writeImmutableBuffer(bytes)
        while let type = records.getInteger(at: records.readerIndex, as: UInt8.self),
            let length = records.getInteger(at: records.readerIndex + 3, as: UInt16.self)
        {
            guard type == 22 else {
                isHopeless = messages.readableBytes == 0
                break
            }
            guard records.readableBytes >= 5 + Int(length) else { break }
            records.moveReaderIndex(forwardBy: 5)
            if let content = records.readSlice(length: Int(length)) { messages.writeImmutableBuffer(content) }
        }
        let start = messages.readerIndex
        guard let header = messages.getInteger(at: start, as: UInt32.self) else { return }
        let length = Int(header & 0xff_ffff)
        guard let body = messages.getSlice(at: start + 4, length: length) else { return }
        // A HelloRetryRequest (its type is ServerHello too) goes before the real one; clients here need none.
        hello = body
        followingMessage = messages.getInteger(at: start + 4 + length)
    }
}

extension ByteBuffer {
    /// A run of bytes behind its own length.
    fileprivate mutating func readPrefixed<Length: FixedWidthInteger>(_ type: Length.Type) -> ByteBuffer? {
        readLengthPrefixedSlice(as: type)
    }

    fileprivate mutating func forEachExtension(_ body: (UInt16, ByteBuffer) -> Void) {
        guard var extensions = readPrefixed(UInt16.self) else { return }
        while let kind = extensions.readInteger(as: UInt16.self), let content = extensions.readPrefixed(UInt16.self) {
            body(kind, content)
        }
    }
}
