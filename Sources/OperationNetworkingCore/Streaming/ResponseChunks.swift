// SPDX-License-Identifier: MIT
public import Foundation

/// The content of an operation's response in pieces, as they come. ``URLConnectionOperation/chunks`` makes it.
public struct ResponseChunks: AsyncSequence, Sendable {
    let access: ResponseStreamAccess

    /// An iterator. The first one to be asked for something gets the content; others throw
    /// ``ResponseStreamError/alreadyRead``.
    public func makeAsyncIterator() -> Iterator { Iterator(reader: ResponseReader(access)) }

    /// Reads the pieces.
    public struct Iterator: AsyncIteratorProtocol {
        let reader: ResponseReader

        /// The next piece, never empty. `nil` at the end of the response, when the operation has finished.
        ///
        /// - Throws: the operation's error, as a failure block would get it; ``ResponseStreamError``;
        ///   ``OperationDependencyError``, as ``HTTPRequestOperation/value()``.
        public mutating func next() async throws -> Data? { try await reader.next() }
    }
}
