// SPDX-License-Identifier: MIT
package import Foundation

/// An input stream whose reads may wait long, and whose waits can be ended.
package protocol InterruptibleInputStream: InputStream {
    /// Ends a read that waits, and makes later ones fail. Called on any thread, also while another reads.
    func interrupt()
}
