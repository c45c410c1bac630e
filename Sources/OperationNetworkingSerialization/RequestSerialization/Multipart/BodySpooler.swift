// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import Glibc
internal import NetworkingSupport
internal import NetworkingTransport

/// Writes a request's body stream to a file.
///
/// Runs on a separate queue, since reading the stream may wait.
final class BodySpooler: Sendable {
    // Safe because the stream is handed over to the queue; only `cancel()` may come from elsewhere, and it calls what
    // may be called from any thread.
    private nonisolated(unsafe) let stream: InputStream
    private let fileURL: URL
    /// nil: not known.
    private let expectedLength: Int64?

    /// Reads a replay where there can be one, so that `request` stays usable.
    init(request: URLRequest, fileURL: URL) throws {
        guard let stream = request.httpBodyStream else {
            throw RequestSerializationError(
                code: .bodyUnreadable, reason: "The request has no body stream to write to a file.", request: request)
        }
        guard fileURL.isFileURL else {
            throw RequestSerializationError(
                code: .badURL, reason: "Expected URL to be a file URL", failingURL: fileURL)
        }
        let replayable = stream as? any ReplayableBodyStream
        self.stream = replayable?.isReplayable == true ? try replayable?.makeReplay() ?? stream : stream
        self.fileURL = fileURL
        expectedLength = replayable?.contentLength
    }

    /// Calls `completion` with the number of bytes written, on the spooler's queue.
    func start(_ completion: @escaping @Sendable (Result<Int64, any Error>) -> Void) {
        DispatchQueue(label: "OperationNetworking.BodySpooler").async { [self] in
            completion(Result { try run() })
        }
    }

    func cancel() {
        (stream as? any InterruptibleInputStream)?.interrupt()
    }

    private func run() throws -> Int64 {
        let descriptor = Glibc.open(fileURL.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw notWritable(errno) }
        let result = Result { try copy(to: descriptor) }
        if case .failure = result { removePartialFile(descriptor) }
        // Some file systems tell only now that there was no space.
        if Glibc.close(descriptor) != 0, errno != EINTR, case .success = result {
            let code = errno
            unlink(fileURL.path)
            throw notWritable(code)
        }
        return try result.get()
    }

    private func copy(to descriptor: Int32) throws -> Int64 {
        if stream.streamStatus == .notOpen { stream.open() }
        defer { stream.close() }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        guard let bytes = buffer.bindMemory(to: UInt8.self).baseAddress else { return 0 }
        var total: Int64 = 0
        while true {
            let count = stream.read(bytes, maxLength: buffer.count)
            guard count >= 0, count <= buffer.count else {
                throw stream.failure
                    ?? RequestSerializationError(
                        code: .bodyUnreadable, reason: "The body stream could not be read to its end.",
                        failingURL: fileURL)
            }
            guard count > 0 else { break }
            try write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), to: descriptor)
            total += Int64(count)
        }
        if let expectedLength, total != expectedLength {
            throw RequestSerializationError(
                code: .bodyLengthMismatch,
                reason: "The body has \(total) bytes, not the \(expectedLength) that it declares.", failingURL: fileURL)
        }
        return total
    }

    private func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) throws {
        let code = BrokenPipes.write(bytes, to: descriptor)
        guard code == 0 else { throw notWritable(code) }
    }

    /// Removes what was written so far, unless the path names a device or a pipe.
    private func removePartialFile(_ descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
        unlink(fileURL.path)
    }

    private func notWritable(_ code: Int32) -> RequestSerializationError {
        RequestSerializationError(
            code: .fileNotWritable, reason: "The body could not be written to the file \(fileURL.path).",
            detail: String(cString: strerror(code)), failingURL: fileURL,
            underlyingError: POSIXFailure.error(code, path: fileURL.path))
    }
}
