// SPDX-License-Identifier: MIT
internal import Foundation

/// The content of an operation's response line by line, as it comes. ``URLConnectionOperation/lines`` makes it.
///
/// A line ends with LF, CRLF or CR, which are left out, or with the content. The text is UTF-8; what is not becomes U+FFFD.
public struct ResponseLines: AsyncSequence, Sendable {
    let access: ResponseStreamAccess

    /// Bytes that a line may have, without its end. 1 048 576 (1 MiB) by default. A longer one ends the sequence with
    /// ``ResponseStreamError/lineTooLong(limit:)``, and cancels the operation.
    public var maximumLineLength = 1 << 20

    init(access: ResponseStreamAccess) {
        self.access = access
    }

    /// An iterator. The first one to be asked for something gets the content; others throw
    /// ``ResponseStreamError/alreadyRead``.
    public func makeAsyncIterator() -> Iterator {
        Iterator(reader: ResponseReader(access), splitter: LineSplitter(limit: maximumLineLength))
    }

    /// Reads the lines.
    public struct Iterator: AsyncIteratorProtocol {
        let reader: ResponseReader
        var splitter: LineSplitter

        /// The next line. `nil` at the end of the response, when the operation has finished.
        ///
        /// - Throws: as ``ResponseChunks/Iterator/next()``.
        public mutating func next() async throws -> String? {
            do {
                while true {
                    if let line = try splitter.next() { return String(decoding: line, as: UTF8.self) }
                    guard let data = try await reader.next() else {
                        return splitter.finish().map { String(decoding: $0, as: UTF8.self) }
                    }
                    splitter.add(data)
                }
            } catch {
                reader.stop()
                throw error
            }
        }
    }
}
