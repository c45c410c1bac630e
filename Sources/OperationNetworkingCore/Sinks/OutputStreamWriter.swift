// SPDX-License-Identifier: MIT
internal import Foundation
internal import NetworkingSupport

/// Writes to the `OutputStream` that the user set on the operation.
final class OutputStreamWriter: ByteWriter {
    private let stream: OutputStream

    init(_ stream: OutputStream) {
        self.stream = stream
    }

    /// An `OutputStream` offers no way back, not even one to a file.
    var canRestart: Bool { false }

    func open() throws {
        if stream.streamStatus == .notOpen { BrokenPipes.areErrors { stream.open() } }
        switch stream.streamStatus {
        case .error, .closed:
            throw stream.failure
                ?? StreamSinkError(reason: "the output stream cannot be opened, or was closed before")
        default:
            return
        }
    }

    /// Foundation's stream writes with write(2), to a pipe, too.
    func write(_ bytes: UnsafeRawBufferPointer) throws { try BrokenPipes.areErrors { try writeAll(bytes) } }

    private func writeAll(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let base = UnsafeRawBufferPointer(rebasing: rest).baseAddress else { return }
            let written = stream.write(base.assumingMemoryBound(to: UInt8.self), maxLength: rest.count)
            guard written > 0 else {
                throw stream.failure
                    ?? StreamSinkError(
                        reason: written == 0
                            ? "the output stream is full, \(rest.count) bytes are left"
                            : "the output stream does not take more bytes and gives no reason")
            }
            rest = rest.dropFirst(min(written, rest.count))
        }
    }

    func begin(_ representation: Representation?) throws {
        throw StreamSinkError.contentChanged
    }

    func commit() throws {
        BrokenPipes.areErrors { stream.close() }
        if stream.streamStatus == .error {
            throw stream.failure ?? StreamSinkError(reason: "the output stream failed when it was closed")
        }
    }

    func abandon() {
        BrokenPipes.areErrors { stream.close() }
    }
}

/// The reason that an output stream could not take the response's content.
struct StreamSinkError: Error, LocalizedError, CustomStringConvertible, _BridgedError {
    let reason: String
    var description: String { reason }
    var errorDescription: String? { reason }

    static let discarded = StreamSinkError(reason: "the operation ended before its content was written")
    static let contentChanged = StreamSinkError(
        reason: "after a pause the server sends other content from the beginning, and an output stream cannot be taken "
            + "back; use downloadDestination, which can")
}
