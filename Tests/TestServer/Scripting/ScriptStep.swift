// SPDX-License-Identifier: MIT
package import Foundation

/// One thing a server does on a connection. A script is an array of these.
package enum ScriptStep: Sendable {
    /// Writes the bytes as they are. The next step begins when the kernel has taken them.
    case send(Data)
    /// Writes `count` bytes of a repeated pattern, in pieces, as fast as the client takes them.
    case sendPattern(count: Int)
    case wait(seconds: TimeInterval)
    /// Waits until the test opens the gate.
    case gate(Gate)
    /// Opens a gate: tells the test that the script has come this far.
    case open(Gate)
    /// Takes no more bytes from the client: its sends come to a standstill when the buffers are full. That the client
    /// goes away is not noticed either until `startReading`.
    case stopReading
    case startReading
    /// Shuts the sending direction down and stays open for reading.
    case closeSending
    /// Closes in good order (with TLS: after close_notify).
    case close
    /// Closes the TCP connection in good order, but without TLS close_notify, as in a truncation attack.
    case closeWithoutNotify
    /// Ends the connection with a TCP reset.
    case reset
    /// Does nothing any more until the client or the test ends the connection.
    case stall

    /// `send` for text.
    package static func send(_ text: String) -> ScriptStep { .send(Data(text.utf8)) }
}
