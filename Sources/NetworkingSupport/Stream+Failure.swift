// SPDX-License-Identifier: MIT
package import Foundation

extension Stream {
    /// Why the stream failed; nil when it did not. Ask this and not `streamError`: Foundation's streams on Linux stop the
    /// program when that is read from a stream without an error, a closed one for instance.
    package var failure: (any Error)? {
        streamStatus == .error ? streamError : nil
    }
}
