// SPDX-License-Identifier: MIT
internal import Glibc

/// The reason that the kernel's routing tables could not be asked, or watched.
package enum NetlinkError: DescribedFailure, Equatable, Sendable {
    /// A system call failed.
    case system(call: String, errno: Int32)
    /// The kernel answered with an error.
    case refused(errno: Int32)
    /// A message that is cut off, or whose lengths contradict each other.
    case malformed
    /// The kernel did not answer, or not with what was asked for.
    case noAnswer

    package var description: String {
        switch self {
        case .system(let call, let errno): "\(call) failed: \(String(cString: strerror(errno)))"
        case .refused(let errno): "the kernel refused the question: \(String(cString: strerror(errno)))"
        case .malformed: "a message of the kernel's is damaged"
        case .noAnswer: "the kernel did not answer"
        }
    }
}
