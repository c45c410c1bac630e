// SPDX-License-Identifier: MIT
package import OperationNetworking

// The module AFNetworkingUIKit has properties of the same names with AFNetworking's types. A module's own members hide
// those of the modules it imports, so this is how it gets at them.

extension AutoPurgingImageCache {
    /// `memoryCapacity`.
    package final var hiddenMemoryCapacity: Int { memoryCapacity }

    /// `preferredMemoryUsageAfterPurge`.
    package final var hiddenPreferredMemoryUsageAfterPurge: Int { preferredMemoryUsageAfterPurge }

    /// `memoryUsage`.
    package final var hiddenMemoryUsage: Int { memoryUsage }
}

extension ImageDownloader {
    /// `sessionManager`.
    package final var hiddenSessionManager: HTTPSessionManager? { sessionManager }
}
