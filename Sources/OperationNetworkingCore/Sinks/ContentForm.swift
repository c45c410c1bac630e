// SPDX-License-Identifier: MIT
internal import NetworkingTransport

/// In which form the content of a response comes to a sink.
enum ContentForm: Sendable {
    /// As it is to be kept.
    case plain
    /// In these codings, in the order in which they were applied: the sink decodes.
    case coded([ContentDecoder.Coding])
    /// Decoded by the engine, which keeps what it has begun to decode when it is paused, and fails when that is much.
    /// So the sink does not pause, and takes up to `limit` bytes in advance.
    case decoded(limit: Int)

    /// Makes the decoder of the content; nil: nothing has to be decoded.
    func makeDecoder() -> ContentDecoder? {
        if case .coded(let codings) = self { ContentDecoder(codings) } else { nil }
    }

    var isCoded: Bool {
        if case .coded = self { true } else { false }
    }
}

extension TransferError {
    /// Makes the error of a failed sink: an error of its content, or of the place where the content goes.
    init(sink error: any Error) {
        self =
            error as? TransferError
            ?? TransferError(.bodySink, message: "the response's content could not be written", cause: error)
    }
}
