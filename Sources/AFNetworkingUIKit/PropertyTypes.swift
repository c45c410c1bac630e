// SPDX-License-Identifier: MIT
public import OperationNetworking
public import OperationNetworkingImages

// Properties that have another type in AFNetworking. In a module that imports this one they hide the properties of the
// same names that `OperationNetworkingImages` has; a file that imports that module, too, gets its types.

extension AutoPurgingImageCache {
    /// `memoryCapacity` as AFNetworking's `UInt64`, in bytes.
    @_disfavoredOverload
    public var memoryCapacity: UInt64 { UInt64(hiddenMemoryCapacity) }

    /// `preferredMemoryUsageAfterPurge` as AFNetworking's `UInt64`, in bytes.
    @_disfavoredOverload
    public var preferredMemoryUsageAfterPurge: UInt64 { UInt64(hiddenPreferredMemoryUsageAfterPurge) }

    /// `memoryUsage` as AFNetworking's `UInt64`, in bytes.
    @_disfavoredOverload
    public var memoryUsage: UInt64 { UInt64(hiddenMemoryUsage) }
}

extension ImageDownloader {
    /// `sessionManager`, which is not optional in AFNetworking. A downloader that was made over operations has no
    /// session manager: reading this property then stops the program.
    @_disfavoredOverload
    public var sessionManager: HTTPSessionManager! { hiddenSessionManager }
}
