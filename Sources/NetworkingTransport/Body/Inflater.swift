// SPDX-License-Identifier: MIT
internal import CZlib

/// Decompresses gzip (RFC 1952), zlib (RFC 1950) or bare deflate (RFC 1951) with a buffer of fixed size.
final class Inflater: CodingDecoder {
    private typealias Stream = (library: on_zlib, state: UnsafeMutablePointer<on_z_stream>)

    private static let outputSize = 64 * 1024
    /// zlib counts in 32 bits.
    private static let inputSize = 1 << 30
    /// Zeros that may follow a gzip member. Its tools fill blocks of tapes with them, some servers their buffers.
    private static let longestPadding = 64 * 1024

    private let isGzip: Bool
    private var progress = CodingProgress.untouched
    /// Deflate's first byte, until the second tells whether it has zlib's header.
    private var first: UInt8?
    /// Zeros behind the last member.
    private var padding = 0
    /// At one address as long as zlib works with it. Nil before it does.
    private var stream: Stream?
    private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: Inflater.outputSize, alignment: 16)

    /// - Parameter isGzip: false: zlib's format, or none.
    init(isGzip: Bool) {
        self.isGzip = isGzip
    }

    deinit {
        if let stream {
            on_inflate_end(stream.library, stream.state)
            stream.state.deallocate()
        }
        output.deallocate()
    }

    static var isAvailable: Bool { Zlib.library != nil }

    func decode(_ bytes: UnsafeRawBufferPointer, into output: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard !bytes.isEmpty else { return }
        var rest = bytes
        if stream == nil, isGzip {
            try begin(ON_INFLATE_GZIP)
        } else if stream == nil {
            guard let header = header(&rest) else { return }
            try begin(Self.isZlibHeader(header) ? ON_INFLATE_ZLIB : ON_INFLATE_RAW)
            try header.withUnsafeBytes { try inflate($0, into: output) }
        }
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.inputSize))
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
            try inflate(piece, into: output)
        }
    }

    /// The content has ended.
    func finish() throws(TransferError) {
        if case .running = progress { throw failure("it ends early") }
    }

    /// The first two bytes, taken from `bytes` and what came before. Nil: there is only one yet.
    private func header(_ bytes: inout UnsafeRawBufferPointer) -> [UInt8]? {
        var header = first.map { [$0] } ?? []
        let missing = bytes.prefix(2 - header.count)
        header += missing
        bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(missing.count))
        if header.count == 2 { return header }
        if let only = header.first {
            first = only
            progress = .running
        }
        return nil
    }

    /// RFC 1950, 2.2. Bare deflate does not begin like this: it would be a stored block with bits set in its padding.
    private static func isZlibHeader(_ bytes: [UInt8]) -> Bool {
        bytes[0] & 0x0F == 8 && bytes[0] >> 4 <= 7 && (Int(bytes[0]) << 8 | Int(bytes[1])) % 31 == 0
    }

    private func begin(_ format: Int) throws(TransferError) {
        guard let library = Zlib.library else { throw failure("zlib (libz.so.1) cannot be loaded") }
        let state = UnsafeMutablePointer<on_z_stream>.allocate(capacity: 1)
        state.initialize(to: on_z_stream())
        guard on_inflate_begin(library, state, Int32(format)) == Int32(ON_Z_OK) else {
            state.deallocate()
            throw TransferError.noMemory(for: "decoding the content")
        }
        stream = (library, state)
        progress = .running
    }

    private func inflate(
        _ bytes: UnsafeRawBufferPointer, into consume: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard let (library, stream) = stream else { return }
        stream.pointee.next_in = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_in = UInt32(bytes.count)
        while true {
            if case .atEnd = progress {
                skipPadding(of: stream)
                guard stream.pointee.avail_in > 0 else { return }
                guard isGzip else { throw failure("something follows its end") }
                guard on_inflate_reset(library, stream) == Int32(ON_Z_OK) else {
                    throw failure("zlib refused to go on")
                }
                progress = .running
            }
            stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_out = UInt32(output.count)
            let status = on_inflate_continue(library, stream)
            let isFull = stream.pointee.avail_out == 0
            let produced = output.count - Int(stream.pointee.avail_out)
            if produced > 0 { try consume(UnsafeRawBufferPointer(rebasing: output.prefix(produced))) }
            switch status {
            case Int32(ON_Z_STREAM_END): progress = .atEnd
            case Int32(ON_Z_OK): break
            case Int32(ON_Z_BUF_ERROR) where stream.pointee.avail_in == 0: return
            case Int32(ON_Z_MEM_ERROR):
                throw TransferError.noMemory(for: "decoding the content")
            default: throw failure(stream.pointee.msg.map { String(cString: $0) } ?? "zlib's code is \(status)")
            }
            if case .running = progress, stream.pointee.avail_in == 0, !isFull { return }
        }
    }

    private func skipPadding(of stream: UnsafeMutablePointer<on_z_stream>) {
        guard isGzip else { return }
        while stream.pointee.avail_in > 0, stream.pointee.next_in?.pointee == 0, padding < Self.longestPadding {
            stream.pointee.next_in = stream.pointee.next_in?.advanced(by: 1)
            stream.pointee.avail_in -= 1
            padding += 1
        }
    }

    private func failure(_ reason: String) -> TransferError {
        .undecodable(as: isGzip ? "gzip" : "deflate", reason)
    }
}
