// SPDX-License-Identifier: MIT
package import Foundation

extension Stream {
    /// The error that the stream failed with; nil when it did not fail. Use this and not `streamError`: Foundation's
    /// streams on Linux stop the program when that is read from a stream without an error, for instance a closed one.
    package var failure: (any Error)? {
        streamStatus == .error ? streamError : nil
    }
}
