// SPDX-License-Identifier: MIT
internal import Foundation

/// A response's content on its way out of its codings to a handler that may pause. Network thread only.
final class DecodedContent {
    /// Bytes that are kept for a handler that pauses: as in libcurl.
    private static let maximumPending = 64 << 20

    private let decoder: ContentDecoder
    /// What the handler has not taken yet, decoded.
    private var pending = Data()
    /// Bytes that were decoded before the handler paused: libcurl brings them once more.
    private var repeated = 0

    init(_ codings: [ContentDecoder.Coding]) {
        decoder = ContentDecoder(codings)
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
        let skipped = min(repeated, bytes.count)
        let fresh = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(skipped))
        do {
            try decoder.decode(fresh) { piece in try take(decoded: piece, deliver) }
        } catch let ending as Ending {
            return ending.result
        } catch {
            return .fail(
                error as? TransferError
                    ?? TransferError(.cannotDecodeContent, message: "The content does not decode.", cause: error))
        }
        repeated -= skipped
        guard !pending.isEmpty else { return .accepted }
        repeated += bytes.count
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
