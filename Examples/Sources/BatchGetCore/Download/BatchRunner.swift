// SPDX-License-Identifier: MIT

/// What downloads the entries of a manifest.
package protocol BatchRunner: Sendable {
    /// Downloads what is not there. Returns when every entry has come to its end.
    func run() async throws

    /// Cancels everything; partial files stay. `run()` returns once they are closed.
    func interrupt()
}
