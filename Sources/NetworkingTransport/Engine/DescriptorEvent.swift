// SPDX-License-Identifier: MIT

/// The event that a descriptor is watched for.
package enum DescriptorEvent: Sendable {
    /// There is something to be read.
    case readable
    /// An exceptional condition, such as a threshold of the kernel's that was exceeded.
    case priority
}
