// SPDX-License-Identifier: MIT
internal import FoundationNetworking
internal import NetworkingSupport

/// The cache of an operation.
package enum CacheSetting {
    /// `URLCache.shared`, which is not made before it is needed: it makes a directory. None without a main bundle.
    case shared
    case cache(ResponseCache)
    case none

    package init(_ cache: URLCache?) {
        self = cache.map { .cache(.of($0)) } ?? .none
    }

    package var isThere: Bool {
        if case .none = self { false } else { true }
    }

    /// Returns true if a response may be stored under a key. Does not read the disk.
    ///
    /// - Parameter key: returns the key. Not called if the cache is known to be empty.
    func mayHold(_ key: () -> CacheKey?) -> Bool {
        guard let cache = cacheIfMade else { return isThere && key() != nil }
        // `isKnownToBeEmpty` also applies what the program has done to the cache.
        guard !cache.isKnownToBeEmpty else { return false }
        return key().map(cache.mayHold) ?? false
    }

    /// The cache; nil also while the shared one has not been needed.
    var cacheIfMade: ResponseCache? {
        switch self {
        case .shared: .sharedIfMade
        case .cache(let cache): cache
        case .none: nil
        }
    }

    /// The cache; nil: nothing is stored, and nothing looked up.
    package var cache: ResponseCache? {
        switch self {
        case .shared: RunningProgram.bundle == nil ? nil : .shared
        case .cache(let cache): cache
        case .none: nil
        }
    }
}
