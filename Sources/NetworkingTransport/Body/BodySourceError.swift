// SPDX-License-Identifier: MIT

/// The reason that a file or a stream could not be sent.
package struct BodySourceError: DescribedFailure, Sendable {
    /// A message: the failure, its place and the remedy.
    package let description: String
    /// errno of the failed system call; 0: none.
    package let systemErrno: Int32
    /// The error that a stream reported.
    package let cause: (any Error)?

    init(_ description: String, systemErrno: Int32 = 0, cause: (any Error)? = nil) {
        self.description = description
        self.systemErrno = systemErrno
        self.cause = cause
    }
}
