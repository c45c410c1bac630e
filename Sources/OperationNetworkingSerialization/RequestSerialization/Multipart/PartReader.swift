// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc
internal import NetworkingSupport

/// Reads the bytes of one source, and sees to it that they are as many as were declared.
///
/// Used only by the reader of the body stream.
protocol PartReader: AnyObject {
    /// True if a read may have to wait for its bytes.
    var mayWait: Bool { get }
    /// Copies up to `buffer.count` bytes, at least one; 0: the source has ended as it should.
    ///
    /// - Parameter isCancelled: asked while waiting; true makes a waiting read give up.
    func read(into buffer: UnsafeMutableRawBufferPointer, isCancelled: () -> Bool) throws -> Int
    /// Releases what the source holds.
    func close()
}

/// Bytes in memory.
final class DataPartReader: PartReader {
    private let data: Data
    private var offset = 0

    init(_ data: Data) {
        self.data = data
    }

    let mayWait = false

    func read(into buffer: UnsafeMutableRawBufferPointer, isCancelled: () -> Bool) -> Int {
        let count = min(buffer.count, data.count - offset)
        guard count > 0 else { return 0 }
        data.withUnsafeBytes { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count])) }
        offset += count
        return count
    }

    func close() {}
}

/// A file, a FIFO or a device.
final class FilePartReader: PartReader {
    private let file: FilePart
    private let descriptor: Int32
    private var position: Int64 = 0
    private var isClosed = false

    init(_ file: FilePart) throws {
        self.file = file
        // Opening a FIFO must not wait for its writer; reading waits with `poll` instead.
        let flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | (file.length == nil ? O_NONBLOCK : 0)
        descriptor = Glibc.open(file.url.path, flags)
        guard descriptor >= 0 else { throw file.unreadable(errno) }
    }

    deinit {
        close()
    }

    var mayWait: Bool { file.length == nil }

    func read(into buffer: UnsafeMutableRawBufferPointer, isCancelled: () -> Bool) throws -> Int {
        guard let length = file.length else { return try readUnsized(into: buffer, isCancelled) }
        let remaining = length - position
        if remaining == 0 {
            var extra: UInt8 = 0
            guard try withUnsafeMutableBytes(of: &extra, { try readOnce(into: $0) }) == 0 else {
                throw file.changed(to: nil)
            }
            return 0
        }
        let wanted = Int(min(Int64(buffer.count), remaining))
        let count = try readOnce(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
        guard count > 0 else { throw file.changed(to: position) }
        position += Int64(count)
        return count
    }

    /// Waits until there is something to read, looking up now and then whether it is still wanted.
    private func readUnsized(
        into buffer: UnsafeMutableRawBufferPointer, _ isCancelled: () -> Bool
    ) throws -> Int {
        while !isCancelled() {
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = poll(&request, 1, 100)
            if ready < 0, errno != EINTR { throw file.unreadable(errno) }
            guard ready > 0 else { continue }
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            if errno != EAGAIN, errno != EINTR { throw file.unreadable(errno) }
        }
        throw file.unreadable(ECANCELED)
    }

    private func readOnce(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = FileIO.read(descriptor, into: buffer)
        guard count >= 0 else { throw file.unreadable(errno) }
        return count
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
    }
}

/// A caller's stream.
final class StreamPartReader: PartReader {
    private let stream: InputStream
    private let name: String
    private let length: Int64?
    private var position: Int64 = 0

    init(_ stream: InputStream, name: String, length: Int64?) {
        self.stream = stream
        self.name = name
        self.length = length
        if stream.streamStatus == .notOpen { stream.open() }
    }

    let mayWait = true

    func read(into buffer: UnsafeMutableRawBufferPointer, isCancelled: () -> Bool) throws -> Int {
        guard let length else { return try readOnce(into: buffer, count: buffer.count) }
        let remaining = length - position
        if remaining == 0 {
            // A stream that has nothing now is not asked for more than it promised: it might never answer.
            guard stream.hasBytesAvailable else { return 0 }
            var extra: UInt8 = 0
            guard try withUnsafeMutableBytes(of: &extra, { try readOnce(into: $0, count: 1) }) == 0 else {
                throw mismatch("it has more")
            }
            return 0
        }
        let count = try readOnce(into: buffer, count: Int(min(Int64(buffer.count), remaining)))
        guard count > 0 else { throw mismatch("it ended after \(position)") }
        position += Int64(count)
        return count
    }

    private func readOnce(into buffer: UnsafeMutableRawBufferPointer, count: Int) throws -> Int {
        guard let address = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
        let read = stream.read(address, maxLength: count)
        guard read >= 0, read <= count else {
            throw RequestSerializationError(
                code: .bodyUnreadable,
                reason: "The stream of the part \(name.debugDescription) could not be read while the form was sent.",
                underlyingError: stream.failure)
        }
        return read
    }

    private func mismatch(_ finding: String) -> RequestSerializationError {
        RequestSerializationError(
            code: .bodyLengthMismatch,
            reason: "The stream of the part \(name.debugDescription) is not as long as was stated.",
            detail: "It was stated to have \(length ?? 0) bytes, but \(finding); state its length, or -1 when unknown.")
    }

    func close() {
        stream.close()
    }
}
