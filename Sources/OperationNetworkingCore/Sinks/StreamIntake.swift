// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingTransport

/// The first work of a `ResponseStream`'s reader on content: takes it out of its codings, in pieces of a bounded size,
/// and compares what a server sends once more with what was read.
final class StreamIntake {
    /// Bytes of decoded content that are enough for one piece.
    private static let pieceSize = 64 * 1024
    /// Coded bytes that are decoded at a time: each may make a thousand others.
    private static let codedStep = 512
    /// Decoded bytes of one such step, which no content that is meant to be read exceeds.
    private static let largestPiece = 4 << 20

    private let pieces = Pieces()
    private var output: SinkOutput?
    /// Content that waits, and where it goes on.
    private var raw = Data()
    private var offset = 0
    private var step = StreamIntake.pieceSize
    private var wasRepeating = false

    /// Collects what comes out.
    private final class Pieces: ByteWriter {
        var data = Data()

        /// Always false: what was read cannot be taken back.
        var canRestart: Bool { false }

        func open() {}

        func write(_ bytes: UnsafeRawBufferPointer) throws {
            guard bytes.count <= StreamIntake.largestPiece - data.count else {
                throw TransferError(
                    .tooLarge,
                    message: "\(StreamIntake.codedStep) bytes of coded content or less make more than "
                        + "\(StreamIntake.largestPiece) bytes")
            }
            data.append(contentsOf: bytes)
        }

        func begin(_ representation: Representation?) throws { throw StreamSinkError.contentChanged }
        func commit() {}
        func abandon() {}
    }

    /// The content of a response begins.
    func begin(_ form: ContentForm, limit: Int64?) throws {
        let output = self.output ?? SinkOutput(pieces, limit: limit)
        self.output = output
        switch form {
        // What was collected in memory before there was a reader comes at once, and may be of any length.
        case .plain, .decoded: step = Self.pieceSize
        case .coded(let codings): step = codings.count == 1 ? Self.codedStep : 1
        }
        wasRepeating = true
        try output.begin(nil, as: form)
    }

    /// Takes content. Before it, `next()` has answered with nil.
    func add(_ data: Data) {
        raw = data
        offset = 0
    }

    /// Returns the next piece of what was taken; nil: that was all.
    func next() throws -> Data? {
        while offset < raw.count, pieces.data.count < Self.pieceSize {
            let size = min(step, raw.count - offset)
            let start = raw.startIndex + offset
            offset += size
            do {
                try raw[start..<start + size].withUnsafeBytes { try output?.write($0) { false } }
            } catch {
                raw = Data()
                offset = 0
                throw error
            }
        }
        if offset == raw.count {
            raw = Data()
            offset = 0
        }
        guard !pieces.data.isEmpty else { return nil }
        defer { pieces.data = Data() }
        return pieces.data
    }

    /// Bytes of the present content that have come out of its codings.
    var total: Int64 { output?.total ?? 0 }

    /// Everything was taken.
    func commit() throws { try output?.commit() }

    /// True if what was read of an earlier response has come again since this was last asked.
    var hasJustRepeated: Bool {
        guard wasRepeating, output?.isRepeating == false else { return false }
        wasRepeating = false
        return true
    }
}
