// SPDX-License-Identifier: MIT
internal import NetworkingTransport

/// The work of a `BufferedSink` on its queue: decodes content, compares what comes again with what is written, and
/// hands the rest to the writer.
final class SinkOutput {
    /// The server sends from the beginning again what is written already: it is compared instead of written.
    private struct Repetition {
        var remaining: Int64
        var fingerprint = ContentFingerprint()
    }

    let writer: any ByteWriter
    /// Nil for content that comes as it is.
    private var decoder: ContentDecoder?
    /// Only for writers that cannot go back: what was written, and the check of what arrives once more. Both are of
    /// decoded content, because a server may compress it in another way the next time.
    private var fingerprint: ContentFingerprint?
    private var written: Int64 = 0
    private var repetition: Repetition?

    /// Bytes of decoded content that are taken; nil: any number.
    private let limit: Int64?
    /// Of the present content, decoded.
    private(set) var total: Int64

    init(_ writer: any ByteWriter, offset: Int64 = 0, limit: Int64? = nil) {
        self.writer = writer
        self.limit = limit
        total = offset
        fingerprint = writer.canRestart ? nil : ContentFingerprint()
    }

    var isRepeating: Bool { repetition != nil }

    /// The content of another response begins.
    func begin(_ representation: Representation?, as form: ContentForm) throws {
        decoder = form.makeDecoder()
        total = 0
        if fingerprint == nil {
            try writer.begin(representation)
        } else {
            repetition = written > 0 ? Repetition(remaining: written) : nil
        }
    }

    /// - Parameter isUnwanted: asked between pieces of decoded content, of which a few bytes may make very many.
    func write(_ bytes: UnsafeRawBufferPointer, isUnwanted: () -> Bool) throws {
        guard let decoder else { return try writeDecoded(bytes) }
        try decoder.decode(bytes) { piece in
            if isUnwanted() { throw StreamSinkError.discarded }
            try writeDecoded(piece)
        }
    }

    /// Everything has come.
    func commit() throws {
        try decoder?.finish()
        guard repetition == nil else { throw StreamSinkError.contentChanged }
        try writer.commit()
    }

    private func writeDecoded(_ bytes: UnsafeRawBufferPointer) throws {
        total &+= Int64(bytes.count)
        if let limit, total > limit {
            throw TransferError(
                .tooLarge, message: "the content exceeds maximumResponseBodySize, which is \(limit) bytes")
        }
        let fresh = try withoutRepetition(bytes)
        guard !fresh.isEmpty else { return }
        if fingerprint != nil {
            fingerprint?.update(fresh)
            written &+= Int64(fresh.count)
        }
        try writer.write(fresh)
    }

    /// Returns the part of `bytes` that is new.
    private func withoutRepetition(_ bytes: UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer {
        guard var present = repetition else { return bytes }
        let size = Int(min(Int64(bytes.count), present.remaining))
        present.fingerprint.update(UnsafeRawBufferPointer(rebasing: bytes.prefix(size)))
        present.remaining -= Int64(size)
        guard present.remaining == 0 else {
            repetition = present
            return UnsafeRawBufferPointer(rebasing: bytes.dropFirst(size))
        }
        guard present.fingerprint.value == fingerprint?.value else { throw StreamSinkError.contentChanged }
        repetition = nil
        return UnsafeRawBufferPointer(rebasing: bytes.dropFirst(size))
    }
}
