// SPDX-License-Identifier: MIT

/// The blocking end of a `BufferedSink`: used on the sink's own queue only.
protocol ByteWriter: AnyObject {
    /// True if `begin` can drop what was written before. Constant; `begin` is not called when it is false.
    var canRestart: Bool { get }
    /// Prepares to write; called once.
    func open() throws
    /// Writes all the bytes, blocking as long as it takes.
    func write(_ bytes: UnsafeRawBufferPointer) throws
    /// Drops what was written: content begins from its first byte.
    func begin(_ representation: Representation?) throws
    /// Everything is written.
    func commit() throws
    /// Ends without success.
    func abandon()
}
