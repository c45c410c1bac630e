// SPDX-License-Identifier: MIT
internal import Foundation

/// A response's content on its way out of its codings to a handler that may pause. Network thread only.
final class DecodedContent {
    /// Bytes that are kept for a handler that pauses: as in libcurl.
    private static let maximumPending = 64 << 20

    /// Decoded bytes after which others have their turn: a few bytes may decode to very many.
    private static let turn = 1 << 20
    /// Coded bytes that are decoded at a time, at first, and at most after little has come of them. Formats with long
    /// runs make 100 KiB of four bytes, and codings on top of each other multiply.
    private static let (deflated, compact, stacked) = ((4096, Int.max / 2), (8, 256), (8, 8))

    private let decoder: ContentDecoder
    private let smallestPiece: Int
    private let largestPiece: Int
    /// True when the turn is over: the same bytes are to come again, although the handler did not pause.
    private(set) var hasYielded = false
    /// Decoded bytes that the handler has not taken yet.
    private var pending = Data()
    /// Bytes that were decoded before the handler paused: libcurl brings them once more.
    private var repeated = 0

    init(_ codings: [ContentDecoder.Coding]) {
        decoder = ContentDecoder(codings)
        let isCompact = codings.contains(.brotli) || codings.contains(.zstd)
        (smallestPiece, largestPiece) = codings.count > 1 ? Self.stacked : isCompact ? Self.compact : Self.deflated
    }

    /// Decodes a piece, and hands on what comes of it.
    ///
    /// - Returns: what the handler said; after `pause` the same bytes are to come again.
    func take(
        _ bytes: UnsafeRawBufferPointer, _ deliver: (UnsafeRawBufferPointer) -> ReceiveResult
    ) -> ReceiveResult {
        if !pending.isEmpty {
            let result = pending.withUnsafeBytes(deliver)
            guard case .accepted = result else { return result }
            pending = Data()
        }
        hasYielded = false
        let skipped = min(repeated, bytes.count)
        var rest = bytes.dropFirst(skipped)
        do {
            var (size, decoded) = (smallestPiece, 0)
            while !rest.isEmpty, pending.isEmpty, !hasYielded {
                let piece = rest.prefix(size)
                let before = decoded
                try decoder.decode(UnsafeRawBufferPointer(rebasing: piece)) { piece in
                    decoded += piece.count
                    try take(decoded: piece, deliver)
                }
                rest = rest.dropFirst(piece.count)
                size = decoded - before < Self.turn / 16 ? min(size * 2, largestPiece) : smallestPiece
                // A handler that pauses says itself when it goes on.
                hasYielded = decoded >= Self.turn && !rest.isEmpty && pending.isEmpty
            }
        } catch let ending as Ending {
            return ending.result
        } catch {
            return .fail(
                error as? TransferError
                    ?? TransferError(.cannotDecodeContent, message: "The content does not decode.", cause: error))
        }
        repeated -= skipped
        guard hasYielded || !pending.isEmpty else { return .accepted }
        repeated += bytes.count - rest.count
        return .pause
    }

    private func take(
        decoded piece: UnsafeRawBufferPointer, _ deliver: (UnsafeRawBufferPointer) -> ReceiveResult
    ) throws {
        if pending.isEmpty {
            let result = deliver(piece)
            switch result {
            case .accepted: return
            case .pause: break
            case .enough, .fail: throw Ending(result: result)
            }
        }
        guard piece.count <= Self.maximumPending - pending.count else {
            throw TransferError(
                .tooLarge,
                message: "More than \(Self.maximumPending) bytes of decoded content wait for the one who paused.")
        }
        pending.append(contentsOf: piece)
    }

    /// The handler wants no more.
    private struct Ending: Error {
        let result: ReceiveResult
    }

    /// The content has ended. Not nil: its codings have not.
    func finish() -> TransferError? {
        do throws(TransferError) {
            try decoder.finish()
            return nil
        } catch {
            return error
        }
    }
}

// Belongs to the network thread.
@available(*, unavailable)
extension DecodedContent: Sendable {}
