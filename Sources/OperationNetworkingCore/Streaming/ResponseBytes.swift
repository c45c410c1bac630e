// SPDX-License-Identifier: MIT
internal import Foundation

/// The content of an operation's response byte by byte, as it comes. ``URLConnectionOperation/bytes`` makes it.
public struct ResponseBytes: AsyncSequence, Sendable {
    let access: ResponseStreamAccess

    /// An iterator. The first one to be asked for something gets the content; others throw
    /// ``ResponseStreamError/alreadyRead``.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: ResponseReader(access)) }

    /// Reads the bytes.
    public struct Iterator: AsyncIteratorProtocol {
        let reader: ResponseReader
        private var chunk: [UInt8] = []
        private var position = 0

        init(reader: ResponseReader) {
            self.reader = reader
        }

        /// The next byte. `nil` at the end of the response, when the operation has finished.
        ///
        /// - Throws: as ``ResponseChunks/Iterator/next()``.
        public mutating func next() async throws -> UInt8? {
            while position == chunk.count {
                guard let data = try await reader.next() else { return nil }
                chunk = [UInt8](data)
                position = 0
            }
            defer { position += 1 }
            return chunk[position]
        }
    }
}
