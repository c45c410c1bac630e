// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc
internal import NIOCore

extension ConnectionHandler {
    private static let patternPiece = ByteBuffer(bytes: ScriptedResponse.pattern(count: 251 * 256))

    func play(_ steps: [ScriptStep]) {
        script = steps[...]
        playNext()
    }

    private func playNext() {
        guard let context, script != nil else { return }
        guard let step = script?.popFirst() else { return scriptEnded() }
        switch step {
        case .send(let data):
            write(ByteBuffer(bytes: data)) { [self] in playNext() }
        case .sendPattern(let count):
            sendPattern(count)
        case .wait(let seconds):
            let delay = TimeAmount.nanoseconds(Int64(seconds * 1_000_000_000))
            context.eventLoop.assumeIsolated().scheduleTask(in: delay) { [self] in playNext() }
        case .gate(let gate):
            let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
            let loop = context.eventLoop
            gate.whenOpen { loop.execute { bound.value.playNext() } }
        case .open(let gate):
            gate.open()
            playNext()
        case .stopReading:
            setReading(false, context)
            playNext()
        case .startReading:
            setReading(true, context)
            playNext()
        case .closeSending:
            context.close(mode: .output).assumeIsolated().whenComplete { [self] _ in playNext() }
        case .close:
            context.close(promise: nil)
        case .closeWithoutNotify:
            socketContext(context).close(promise: nil)
        case .reset:
            let socket = socketContext(context)
            let lingering = (context.channel as? any SocketOptionProvider)?.setSoLinger(
                linger(l_onoff: 1, l_linger: 0))
            lingering?.assumeIsolated().whenComplete { _ in socket.close(promise: nil) }
        case .stall:
            break
        }
    }

    private func sendPattern(_ count: Int) {
        guard count > 0 else { return playNext() }
        let piece = Self.patternPiece
        let part = piece.getSlice(at: 0, length: min(count, piece.readableBytes)) ?? piece
        write(part) { [self] in sendPattern(count - part.readableBytes) }
    }

    private func setReading(_ isReading: Bool, _ context: ChannelHandlerContext) {
        context.channel.setOption(ChannelOptions.autoRead, value: isReading).whenFailure { _ in }
    }
}
