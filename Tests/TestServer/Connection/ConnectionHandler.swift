// SPDX-License-Identifier: MIT
internal import Foundation
internal import NIOCore

/// One connection: reads requests, plays scripts. Lives on the channel's event loop.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// The request whose body is being read, or whose response is being played.
    private struct Exchange {
        var index: Int
        var isComplete = false
        var isAnswered = false
    }

    let core: ServerCore
    /// Set when the channel becomes active, nil again when it is closed.
    private(set) var context: ChannelHandlerContext?
    private(set) var number = 0
    private var tls: TLSSessionInfo?
    private var parser = RequestParser()
    private var exchange: Exchange?
    /// Writes that have succeeded at once, each in the course of the one before. A client that takes what is sent as fast
    /// as it comes would fill the stack with them.
    private var nesting = 0
    private static let deepestNesting = 16
    /// What is left of the script that is being played; nil: none is.
    var script: ArraySlice<ScriptStep>?

    init(core: ServerCore) {
        self.core = core
    }

    func note(_ info: TLSSessionInfo) {
        var info = info
        info.clientCertificate = tls?.clientCertificate
        tls = info
        if number > 0 { core.update(connection: number) { $0.tls = info } }
    }

    // MARK: Channel events

    func handlerAdded(context: ChannelHandlerContext) {
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        let loop = context.eventLoop
        let opened = core.connectionOpened { loop.execute { bound.value.endAbruptly() } }
        guard let opened else { return context.close(promise: nil) }
        number = opened
        self.context = context
    }

    func channelActive(context: ChannelHandlerContext) {
        if !core.greeting.isEmpty { play(core.greeting) }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        finish()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        finish()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Many clients close without close_notify: not worth a note.
        if error is TLSServerHandler.UncleanShutdown { return context.close(promise: nil) }
        if number > 0 { core.update(connection: number) { $0.errors.append("\(error)") } }
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard number > 0 else { return }
        let bytes = Data(unwrapInboundIn(data).readableBytesView)
        core.update(connection: number) { $0.receivedBytes += bytes.count }
        parser.append(bytes)
        readRequests()
    }

    private func finish() {
        guard context != nil else { return }
        context = nil
        script = nil
        core.connectionClosed(number)
    }

    /// Ends the connection as when the server's process dies.
    private func endAbruptly() {
        guard let context else { return }
        context.close(promise: nil)
        socketContext(context).close(promise: nil)
    }

    /// Where bytes and closing go past TLS.
    func socketContext(_ context: ChannelHandlerContext) -> ChannelHandlerContext {
        (try? context.pipeline.syncOperations.context(handlerType: TLSServerHandler.self)) ?? context
    }

    // MARK: Requests

    /// Takes in what has come. The next request waits until the response to the one before it is over.
    func readRequests() {
        while context != nil {
            if parser.isBetweenRequests, script != nil || exchange != nil { return }
            do {
                guard let event = try parser.next() else { return }
                take(event)
            } catch {
                core.update(connection: number) { $0.errors.append("\(error)") }
                return play([.send("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"), .close])
            }
        }
    }

    private func take(_ event: RequestParser.Event) {
        switch event {
        case .head(let method, let target, let version, let headers):
            var request = RecordedRequest(
                method: method, target: target, version: version, headers: headers, connection: number)
            request.tls = sessionInfo()
            exchange = Exchange(index: core.requestBegan(request))
            answer(request, at: .afterHead)
            if request.expectsContinue, exchange?.isAnswered == false, core.limits.answersExpectContinue {
                write(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")) {}
            }
        case .body(let data):
            guard let index = exchange?.index else { return }
            let limit = core.limits.recordedBody
            _ = core.update(request: index) {
                $0.bodyLength += data.count
                $0.body.append(data.prefix(max(0, limit - $0.body.count)))
            }
        case .end(let trailers):
            guard let index = exchange?.index else { return }
            let request = core.update(request: index) {
                $0.trailers = trailers
                $0.isComplete = true
            }
            exchange?.isComplete = true
            if exchange?.isAnswered == false {
                answer(request, at: .afterRequest)
            } else if script == nil {
                exchange = nil
            }
        }
    }

    private func answer(_ request: RecordedRequest, at moment: ScriptedResponse.Moment) {
        guard let response = core.response(to: request, at: moment) else { return }
        exchange?.isAnswered = true
        play(response.steps(answering: request))
    }

    /// Called when a script has come to its end.
    func scriptEnded() {
        script = nil
        if exchange?.isComplete == true { exchange = nil }
        readRequests()
    }

    private func sessionInfo() -> TLSSessionInfo? {
        guard tls != nil, let context else { return nil }
        let handler = try? context.pipeline.syncOperations.handler(type: TLSServerHandler.self)
        tls?.clientCertificate = handler?.peerCertificate
        let info = tls
        core.update(connection: number) { $0.tls = info }
        return info
    }

    // MARK: Writing

    /// Writes, and calls `next` when the kernel has taken everything, unless the connection is gone by then.
    func write(_ bytes: ByteBuffer, then next: @escaping () -> Void) {
        guard let context else { return }
        let count = bytes.readableBytes
        context.writeAndFlush(wrapOutboundOut(bytes)).assumeIsolated().whenSuccess { [self] in
            core.update(connection: number) { $0.sentBytes += count }
            guard nesting < Self.deepestNesting else {
                return context.eventLoop.assumeIsolated().execute { [self] in goOn(next) }
            }
            nesting += 1
            defer { nesting -= 1 }
            goOn(next)
        }
    }

    private func goOn(_ next: () -> Void) {
        if context != nil { next() }
    }
}
