// SPDX-License-Identifier: MIT

/// Request content that is produced while it is sent, without ever blocking the network thread.
///
/// `read` and `rewind` are called on the network thread only; implementations that must wait for their bytes do so
/// elsewhere and answer `.wait` meanwhile.
package protocol BodySource: AnyObject, Sendable {
    /// Bytes in all, or nil: unknown, sent chunked.
    var contentLength: Int64? { get }
    /// Called once before the first `read` of each attempt: begin to produce; `wakeUp` may be called from any thread
    /// when a source that answered `.wait` has something to say.
    func open(wakeUp: @escaping @Sendable () -> Void)
    /// Copies up to `buffer.count` bytes.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> BodyRead
    /// Goes back to the first byte, for another attempt. False: cannot.
    ///
    /// - Parameter afterRefusal: The server has said that it did not look at the request (RFC 9113, section 8.7). A source
    ///   may then deliver what it happens to have still of bytes that are to be had only once.
    func rewind(afterRefusal: Bool) -> Bool
    /// No more reads will come (the transfer ended, early or not): stop producing and release resources.
    func close()
}

/// The answer of a body source.
package enum BodyRead: Sendable {
    /// So many bytes, at least one.
    case bytes(Int)
    /// Nothing at present; `wakeUp` will be called.
    case wait
    /// All bytes have been delivered.
    case end
    case failed(any Error)
}
