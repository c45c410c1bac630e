// SPDX-License-Identifier: MIT
public import OperationNetworkingImages

extension ImageCache {
    /// `add(_:withIdentifier:)`, as Objective-C has it.
    public func addImage(_ image: Image, withIdentifier identifier: String) { add(image, withIdentifier: identifier) }

    /// `removeImage(withIdentifier:)`, as Objective-C has it.
    @discardableResult
    public func removeImageWithIdentifier(_ identifier: String) -> Bool { removeImage(withIdentifier: identifier) }

    /// `image(withIdentifier:)`, as Objective-C has it.
    public func imageWithIdentifier(_ identifier: String) -> Image? { image(withIdentifier: identifier) }
}

extension AutoPurgingImageCache {
    /// `init(memoryCapacity:preferredMemoryUsageAfterPurge:)`, as AFNetworking has it.
    ///
    /// - Parameters:
    ///   - memoryCapacity: bytes beyond which images are thrown out.
    ///   - preferredMemoryCapacity: bytes that are left then.
    public convenience init(memoryCapacity: UInt64, preferredMemoryCapacity: UInt64) {
        self.init(
            memoryCapacity: Int(clamping: memoryCapacity),
            preferredMemoryUsageAfterPurge: Int(clamping: preferredMemoryCapacity))
    }
}
