// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Glibc
internal import NetworkingSupport

/// A file, or a part of one, as a request's content: read ahead on a separate queue, a few buffers at a time.
// Sendable because the mutable field is touched on the network thread only.
package final class FileBodySource: BodySource, @unchecked Sendable {
    private let path: String
    private let offset: Int64
    private let length: Int64
    private let queue = DispatchQueue(label: "OperationNetworking.FileBodySource")
    /// Network thread.
    private var pump: BodyPump?

    /// - Parameters:
    ///   - path: A regular file.
    ///   - offset: Where in the file the content begins.
    ///   - length: Bytes to send. A file that ends before, or has changed its size since the transfer began to read
    ///     it, ends the transfer with an error.
    package init(path: String, offset: Int64 = 0, length: Int64) {
        self.path = path
        self.offset = offset
        self.length = length
    }

    package var contentLength: Int64? { length }

    package func open(wakeUp: @escaping @Sendable () -> Void) {
        pump?.close()
        pump = BodyPump(queue: queue, depth: 8, wakeUp: wakeUp) {
            FileProducer(path: path, offset: offset, length: length)
        }
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyRead { pump?.read(into: buffer) ?? .end }

    package func rewind(afterRefusal: Bool) -> Bool {
        close()
        return true
    }

    package func close() {
        pump?.close()
        pump = nil
    }
}

/// Reads the file; the pump's queue only.
private final class FileProducer: BodyProducer {
    private let path: String
    private var position: Int64
    private var left: Int64
    private var descriptor: Int32 = -1
    /// Size and modification time when the file was opened.
    private var state: (size: Int64, seconds: Int, nanoseconds: Int)?

    init(path: String, offset: Int64, length: Int64) {
        self.path = path
        position = offset
        left = length
    }

    deinit { finish() }

    func finish() {
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
        descriptor = -1
    }

    func produce(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        if descriptor < 0 { try open() }
        guard left > 0 else {
            try checkUnchanged()
            return 0
        }
        let wanted = Int(min(Int64(buffer.count), left))
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(wanted))
        guard let count = FileIO.fill(rest, from: descriptor, at: position) else {
            throw failure("could not be read")
        }
        position += Int64(count)
        left -= Int64(count)
        guard count == wanted else {
            throw BodySourceError("The file \(path) ended \(left) bytes short of what was announced.")
        }
        if left == 0 { try checkUnchanged() }
        return count
    }

    private func open() throws {
        guard position >= 0, left >= 0, position.addingReportingOverflow(left).overflow == false else {
            throw BodySourceError("The range of \(path) that is to be sent does not exist.")
        }
        // Non-blocking, so that a FIFO in the file's place is found out, not waited for.
        descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure("could not be opened") }
        let status = try status()
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw BodySourceError("\(path) is not a regular file: use a stream.")
        }
        guard Int64(status.st_size) >= position + left else {
            throw BodySourceError("The file \(path) has \(status.st_size) bytes, \(position + left) are needed.")
        }
        state = (Int64(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        _ = posix_fadvise(descriptor, off_t(position), off_t(left), Int32(POSIX_FADV_SEQUENTIAL))
    }

    /// Bytes from before and after a change make no file that ever was.
    private func checkUnchanged() throws {
        let status = try status()
        guard let state, Int64(status.st_size) == state.size, status.st_mtim.tv_sec == state.seconds,
            status.st_mtim.tv_nsec == state.nanoseconds
        else { throw BodySourceError("The file \(path) changed while it was sent.") }
    }

    private func status() throws -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("could not be examined") }
        return status
    }

    private func failure(_ what: String) -> BodySourceError {
        let code = errno
        return BodySourceError("The file \(path) \(what): \(String(cString: strerror(code))).", systemErrno: code)
    }
}
