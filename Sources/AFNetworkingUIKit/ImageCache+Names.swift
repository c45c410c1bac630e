// SPDX-License-Identifier: MIT
public import FoundationNetworking
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

// Two of AFNetworking's selectors spell the preposition in lower case, so the importer leaves them as they are.
extension ImageRequestCache {
    /// `shouldCache(_:for:withAdditionalIdentifier:)`, as Objective-C has it.
    public func shouldCacheImage(
        _ image: Image, forRequest request: URLRequest, withAdditionalIdentifier identifier: String?
    ) -> Bool {
        shouldCache(image, for: request, withAdditionalIdentifier: identifier)
    }

    /// `add(_:for:withAdditionalIdentifier:)`, as Objective-C has it.
    public func addImage(
        _ image: Image, forRequest request: URLRequest, withAdditionalIdentifier identifier: String?
    ) {
        add(image, for: request, withAdditionalIdentifier: identifier)
    }

    /// `removeImage(for:withAdditionalIdentifier:)`, as Objective-C and Swift have it.
    @discardableResult
    public func removeImageforRequest(_ request: URLRequest, withAdditionalIdentifier identifier: String?) -> Bool {
        removeImage(for: request, withAdditionalIdentifier: identifier)
    }

    /// `image(for:withAdditionalIdentifier:)`, as Objective-C and Swift have it.
    public func imageforRequest(_ request: URLRequest, withAdditionalIdentifier identifier: String?) -> Image? {
        image(for: request, withAdditionalIdentifier: identifier)
    }
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
