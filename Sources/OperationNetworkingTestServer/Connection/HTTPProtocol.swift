// SPDX-License-Identifier: MIT

/// One side of a connection that speaks a version of HTTP. Confined to the server's thread.
protocol HTTPProtocol: AnyObject {
    /// True if it can take more of the bytes that come.
    var takesInput: Bool { get }
    func receive(_ bytes: UnsafeRawBufferPointer)
    /// The client sends nothing more.
    func inputEnded()
    /// Gives the connection what there is to send, as far as that is ready.
    func produce()
    /// The connection is closed, or about to be: nothing can be sent any more.
    func close()
}
