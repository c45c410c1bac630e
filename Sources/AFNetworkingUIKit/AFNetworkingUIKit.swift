// SPDX-License-Identifier: MIT

// Everything that `import AFNetworkingUIKit` gives a file: the names of AFNetworking for images, and what they stand
// for. A separate module, because it needs an image library. As in AFNetworking, names only.

@_exported public import AFNetworking
@_exported public import OperationNetworkingImages

/// AFNetworking's name of `ImageResponseSerializer`.
public typealias AFImageResponseSerializer = ImageResponseSerializer
/// AFNetworking's name of `ImageCache`, since 3.0.
public typealias AFImageCache = ImageCache
/// AFNetworking's name of `ImageRequestCache`.
public typealias AFImageRequestCache = ImageRequestCache
/// AFNetworking's name of `AutoPurgingImageCache`.
public typealias AFAutoPurgingImageCache = AutoPurgingImageCache
/// AFNetworking's name of `ImageDownloader`.
public typealias AFImageDownloader = ImageDownloader
/// AFNetworking's name of `ImageDownloadReceipt`.
public typealias AFImageDownloadReceipt = ImageDownloadReceipt
/// AFNetworking's name of `ImageDownloadPrioritization`.
public typealias AFImageDownloadPrioritization = ImageDownloadPrioritization
