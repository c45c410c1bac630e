// SPDX-License-Identifier: MIT

/// Undoes one content coding, piece by piece and in bounded memory. For one thread at a time.
protocol CodingDecoder: AnyObject {
    /// Decodes what follows.
    ///
    /// - Parameter output: gets the content in pieces that are valid during the call only.
    /// - Throws: a `TransferError`, or what `output` throws.
    func decode(_ bytes: UnsafeRawBufferPointer, into output: (UnsafeRawBufferPointer) throws -> Void) throws

    /// The content has ended.
    ///
    /// - Throws: a `TransferError` when the coding has not; not for content of no bytes at all.
    func finish() throws(TransferError)
}

/// The progress of a decoder in its stream.
enum CodingProgress {
    /// No byte has come.
    case untouched
    case running
    /// The stream, or one of several, is complete.
    case atEnd
}

extension TransferError {
    /// Content that is not in its coding.
    static func undecodable(as coding: String, _ reason: String) -> TransferError {
        TransferError(.cannotDecodeContent, message: "The content does not decode as \(coding): \(reason).")
    }
}
