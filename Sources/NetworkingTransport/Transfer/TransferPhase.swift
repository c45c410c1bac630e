// SPDX-License-Identifier: MIT

/// The phase of a transfer. The raw value is the end of a sentence that says when the transfer was given up.
package enum TransferPhase: String, Sendable {
    case nameLookup = "the host's name was being looked up"
    case connecting = "the connection was being made"
    case handshake = "the TLS handshake was under way"
    case sending = "the request was being sent"
    case waiting = "the server had the request and had not answered"
    case receiving = "the response was being received"
}
