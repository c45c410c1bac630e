// SPDX-License-Identifier: MIT

/// Takes content out of its codings, piece by piece and in bounded memory. For one thread at a time.
///
/// Exact: checks are checked, and content must end where a coding ends, which libcurl's own decoders do not look at. Several
/// gzip members, or frames of Zstandard, make one content.
package final class ContentDecoder {
    /// Outermost first: the last one applied is the first to be undone.
    private let stages: [Stage]

    private enum Stage {
        case decode(any CodingDecoder)
        /// Fails when content comes: a response without any may name whatever coding it wants.
        case unknown(String)
    }

    /// - Parameter codings: in the order in which they were applied.
    package init(_ codings: [Coding]) {
        stages = codings.reversed().map { coding in
            switch coding {
            case .gzip: .decode(Inflater(isGzip: true))
            case .deflate: .decode(Inflater(isGzip: false))
            case .brotli: .decode(BrotliDecoder())
            case .zstd: .decode(ZstdDecoder())
            case .other(let name): .unknown(name)
            }
        }
    }

    /// Decodes what follows.
    ///
    /// - Parameter output: gets the content in pieces that are valid during the call only.
    /// - Throws: a `TransferError`, or what `output` throws.
    package func decode(
        _ bytes: UnsafeRawBufferPointer, into output: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try decode(bytes, stage: 0, into: output)
    }

    /// The content has ended.
    ///
    /// - Throws: a `TransferError` when a coding has not; not for content of no bytes at all.
    package func finish() throws(TransferError) {
        for case .decode(let decoder) in stages { try decoder.finish() }
    }

    private func decode(
        _ bytes: UnsafeRawBufferPointer, stage index: Int, into output: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard !bytes.isEmpty else { return }
        guard index < stages.count else { return try output(bytes) }
        switch stages[index] {
        case .decode(let decoder):
            try decoder.decode(bytes) { try decode($0, stage: index + 1, into: output) }
        case .unknown(let name):
            throw TransferError(
                .cannotDecodeContent, message: "The content comes in the coding \"\(name)\", which was not asked for.")
        }
    }
}
