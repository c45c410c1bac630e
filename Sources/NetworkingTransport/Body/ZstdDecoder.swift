// SPDX-License-Identifier: MIT
internal import CZstd

/// Decompresses Zstandard (RFC 8878) with a buffer of fixed size. Several frames make one content.
final class ZstdDecoder: CodingDecoder {
    private typealias Decoder = (library: on_zstd, state: UnsafeMutableRawPointer)

    /// The library's functions, looked up once; nil: it cannot be loaded.
    private static let library: on_zstd? = {
        var library = on_zstd()
        return on_zstd_load(&library) != 0 ? library : nil
    }()

    static var isAvailable: Bool { library != nil }

    private static let outputSize = 64 * 1024
    /// 8 MiB: what a content coding may ask of a client (RFC 9659).
    private static let windowLog: Int32 = 23
    /// Bytes that a frame's header has at most (RFC 8878, section 3.1.1.1).
    private static let headerLimit = 18

    private var progress = CodingProgress.untouched
    /// The first bytes of the present frame, as many as may be its header, that were decoded.
    private var header: [UInt8] = []
    /// Bytes of content that the present frame has given.
    private var frameCount: Int64 = 0
    /// A ZSTD_DCtx; nil before anything is decoded.
    private var decoder: Decoder?
    private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: ZstdDecoder.outputSize, alignment: 16)

    deinit {
        if let decoder { on_zstd_end(decoder.library, decoder.state) }
        output.deallocate()
    }

    func decode(_ bytes: UnsafeRawBufferPointer, into consume: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard !bytes.isEmpty else { return }
        let decoder = try begun()
        var input = on_zstd_input(bytes: bytes.baseAddress, count: 0, position: 0)
        while true {
            let start = input.position
            input.count = end(of: bytes, from: start)
            var space = on_zstd_output(bytes: output.baseAddress, count: output.count, position: 0)
            let result = on_zstd_continue(decoder.library, decoder.state, &space, &input)
            if let failure = on_zstd_failure(decoder.library, result) {
                throw TransferError.undecodable(as: "zstd", String(cString: failure))
            }
            if space.position > 0 { try consume(UnsafeRawBufferPointer(rebasing: output.prefix(space.position))) }
            progress = result == 0 ? .atEnd : .running
            frameCount += Int64(space.position)
            header += bytes[start..<input.position].prefix(Self.headerLimit - header.count)
            if result == 0 { try endFrame(decoder) }
            // A full buffer may not be all that there is, unless the frame is complete.
            let isFull = space.position == space.count && result != 0
            if input.position == bytes.count, !isFull { return }
        }
    }

    /// A frame is complete. The library compares its length with what its header says, but for one that it decodes
    /// piece by piece and that ends in an empty block.
    private func endFrame(_ decoder: Decoder) throws(TransferError) {
        let announced = header.withUnsafeBytes { on_zstd_content_size(decoder.library, $0.baseAddress, $0.count) }
        guard announced < 0 || announced == frameCount else {
            throw TransferError.undecodable(
                as: "zstd", "a frame says that it has \(announced) bytes, and has \(frameCount)")
        }
        header.removeAll(keepingCapacity: true)
        frameCount = 0
    }

    /// Returns the position up to which to decode next.
    ///
    /// The library (1.5.4) decodes a frame that is there as a whole in one go. It takes what it is given for the
    /// frame's beginning, also when it has a part of the header already: a frame within the rest would be decoded in
    /// its place. So a header that comes in pieces is given byte by byte.
    private func end(of bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        let rest = bytes.count - start
        let isSplit = !header.isEmpty || rest < Self.headerLimit
        return header.count < Self.headerLimit && isSplit ? min(start + 1, bytes.count) : bytes.count
    }

    func finish() throws(TransferError) {
        if case .running = progress { throw TransferError.undecodable(as: "zstd", "it ends early") }
    }

    private func begun() throws(TransferError) -> Decoder {
        if let decoder { return decoder }
        guard let library = Self.library else {
            throw TransferError.undecodable(as: "zstd", "libzstd.so.1 cannot be loaded")
        }
        guard let state = on_zstd_begin(library, Self.windowLog) else {
            throw TransferError.noMemory(for: "decoding the content")
        }
        let made = (library, state)
        decoder = made
        progress = .running
        return made
    }
}
