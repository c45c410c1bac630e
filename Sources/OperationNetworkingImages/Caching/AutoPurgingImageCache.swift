// SPDX-License-Identifier: MIT
internal import Dispatch
public import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

/// Images in memory, of which those used least recently go first when they take too much. AF 3:
/// `AFAutoPurgingImageCache`.
///
/// An image costs what its pixels take, four bytes each. Every call takes effect at once and as a whole: a caller that
/// asks after an image was added finds it. When the system is short of memory (`/proc/pressure/memory`, where the
/// kernel has it) all images are removed. One larger than the capacity is not kept.
///
/// ## Subclassing
/// Override ``shouldCache(_:for:withAdditionalIdentifier:)`` to keep some images out. A subclass restates
/// `@unchecked Sendable`.
// Sendable because all mutable state is behind `images`.
open class AutoPurgingImageCache: ImageRequestCache, @unchecked Sendable {
    /// Guarded by itself. By the bytes of the identifiers: what they look like does not matter, and comparing these
    /// takes no longer than they are.
    private let images: Locked<CostBoundCache<[UInt8], Image>>
    /// The number of bytes beyond which images are thrown out. 100 MiB by default. AF: `memoryCapacity`.
    public let memoryCapacity: Int
    /// The number of bytes that are left after images were thrown out. 60 MiB by default. AF:
    /// `preferredMemoryUsageAfterPurge`.
    public let preferredMemoryUsageAfterPurge: Int
    /// Set in initializers only.
    private var subscription: MemoryPressureMonitor.Subscription?

    /// An empty cache. AF: `initWithMemoryCapacity:preferredMemoryCapacity:`.
    ///
    /// - Parameters:
    ///   - memoryCapacity: bytes beyond which images are thrown out; 100 MiB by default.
    ///   - preferredMemoryUsageAfterPurge: bytes that are left then; 60 MiB by default, and at most the capacity.
    public init(memoryCapacity: Int = 100 << 20, preferredMemoryUsageAfterPurge: Int = 60 << 20) {
        let empty = CostBoundCache<[UInt8], Image>(
            capacity: memoryCapacity, preferredCostAfterPurge: preferredMemoryUsageAfterPurge)
        self.memoryCapacity = empty.capacity
        self.preferredMemoryUsageAfterPurge = empty.preferredCostAfterPurge
        images = Locked(empty)
        subscribe(to: .shared)
    }

    /// A cache with another monitor. Not designated: a designated initializer that is not public would keep other
    /// modules from subclassing the class.
    convenience init(memoryCapacity: Int, preferredMemoryUsageAfterPurge: Int, pressure: MemoryPressureMonitor) {
        self.init(memoryCapacity: memoryCapacity, preferredMemoryUsageAfterPurge: preferredMemoryUsageAfterPurge)
        subscribe(to: pressure)
    }

    private func subscribe(to pressure: MemoryPressureMonitor) {
        subscription = pressure.subscribe { [weak self] in
            // To release much memory takes a while.
            DispatchQueue.global(qos: .utility).async { [weak self] in self?.removeAllImages() }
        }
    }

    /// Bytes that the images take. AF: `memoryUsage`.
    public var memoryUsage: Int { images.withLock { $0.totalCost } }

    /// Adds an image, in place of the one with the same identifier.
    open func add(_ image: Image, withIdentifier identifier: String) {
        let key = Array(identifier.utf8)
        let removed = images.withLock { $0.insert(image, forKey: key, cost: image.memorySize) }
        // Released outside the lock.
        withExtendedLifetime(removed) {}
    }

    /// Removes an image. True if there was one.
    @discardableResult
    open func removeImage(withIdentifier identifier: String) -> Bool {
        let key = Array(identifier.utf8)
        return images.withLock { $0.removeValue(forKey: key) } != nil
    }

    /// Removes all images. True if there was one.
    @discardableResult
    open func removeAllImages() -> Bool {
        let removed = images.withLock { $0.removeAll() }
        return !removed.isEmpty
    }

    /// The image, which counts as used now.
    open func image(withIdentifier identifier: String) -> Image? {
        let key = Array(identifier.utf8)
        return images.withLock { $0.value(forKey: key) }
    }

    /// Returns true if an image that was downloaded is to be kept. True, unless overridden. To be overridden.
    open func shouldCache(
        _ image: Image, for request: URLRequest, withAdditionalIdentifier identifier: String?
    ) -> Bool { true }
}
