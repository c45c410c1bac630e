// SPDX-License-Identifier: MIT
internal import CBrotli

/// Decompresses Brotli (RFC 7932) with a buffer of fixed size, and a window of up to 16 MiB.
final class BrotliDecoder: CodingDecoder {
    private typealias Decoder = (library: on_brotli, state: UnsafeMutableRawPointer)

    /// The library's functions, looked up once; nil: it cannot be loaded.
    private static let library: on_brotli? = {
        var library = on_brotli()
        return on_brotli_load(&library) != 0 ? library : nil
    }()

    static var isAvailable: Bool { library != nil }

    private static let outputSize = 64 * 1024

    private var progress = CodingProgress.untouched
    /// A BrotliDecoderState; nil before anything is decoded.
    private var decoder: Decoder?
    private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: BrotliDecoder.outputSize, alignment: 16)

    deinit {
        if let decoder { on_brotli_end(decoder.library, decoder.state) }
        output.deallocate()
    }

    func decode(_ bytes: UnsafeRawBufferPointer, into consume: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard !bytes.isEmpty else { return }
        let decoder = try begun()
        var input = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var inputCount = bytes.count
        while true {
            if case .atEnd = progress {
                guard inputCount > 0 else { return }
                throw TransferError.undecodable(as: "br", "something follows its end")
            }
            var space = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
            var spaceCount = output.count
            let result = on_brotli_continue(decoder.library, decoder.state, &inputCount, &input, &spaceCount, &space)
            let produced = output.count - spaceCount
            if produced > 0 { try consume(UnsafeRawBufferPointer(rebasing: output.prefix(produced))) }
            switch result {
            case Int32(ON_BROTLI_SUCCESS): progress = .atEnd
            case Int32(ON_BROTLI_NEEDS_OUTPUT): break
            case Int32(ON_BROTLI_NEEDS_INPUT): return
            default: throw TransferError.undecodable(as: "br", "it is damaged")
            }
        }
    }

    func finish() throws(TransferError) {
        if case .running = progress { throw TransferError.undecodable(as: "br", "it ends early") }
    }

    private func begun() throws(TransferError) -> Decoder {
        if let decoder { return decoder }
        guard let library = Self.library else {
            throw TransferError.undecodable(as: "br", "libbrotlidec.so.1 cannot be loaded")
        }
        guard let state = on_brotli_begin(library) else { throw TransferError.noMemory(for: "decoding the content") }
        let made = (library, state)
        decoder = made
        progress = .running
        return made
    }
}
