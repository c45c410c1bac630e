// SPDX-License-Identifier: MIT
internal import COpenSSL

/// The contents of OpenSSL's error queue of the calling thread at the point of failure, oldest first.
package struct OpenSSLError: DescribedFailure, Sendable, Hashable {
    /// One entry of the queue.
    package struct Entry: Sendable, Hashable {
        /// The packed code, as `ERR_get_error` returns it.
        package let code: UInt
        /// "error:…", as `ERR_error_string_n` writes it.
        package let text: String
        /// `ERR_GET_LIB`.
        package let library: Int
        /// `ERR_GET_REASON`.
        package let reason: Int
    }

    package let entries: [Entry]

    package var description: String {
        entries.isEmpty ? "OpenSSL gave no reason" : entries.map(\.text).joined(separator: "; ")
    }

    /// Empties the calling thread's error queue into a value.
    static func drain() -> OpenSSLError {
        var entries: [Entry] = []
        while true {
            let code = ERR_get_error()
            if code == 0 { break }
            // More would be a defect of OpenSSL; what a server sends cannot make an error grow without bound.
            guard entries.count < 16 else { continue }
            let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer -> String in
                guard let start = buffer.baseAddress else { return "" }
                ERR_error_string_n(code, start, buffer.count)
                return String(cString: start)
            }
            entries.append(
                Entry(
                    code: UInt(code), text: text, library: Int(ERR_GET_LIB(code)), reason: Int(ERR_GET_REASON(code))))
        }
        return OpenSSLError(entries: entries)
    }

    /// Runs `body` and leaves the thread's error queue as it found it.
    ///
    /// libssl asks the queue whether a call failed: an entry left behind by a verification that succeeded in the end
    /// would turn the handshake's next "want read" into a failure.
    static func leavingQueueUntouched<Result, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        OpenSSLRuntime.prepare()
        ERR_set_mark()
        defer { ERR_pop_to_mark() }
        return try body()
    }
}
