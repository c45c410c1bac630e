// SPDX-License-Identifier: MIT
internal import FoundationNetworking

/// Which cache an operation has.
enum CacheSetting {
    /// `URLCache.shared`, which is not made before somebody needs it: it makes a directory.
    case shared
    case cache(ResponseCache)
    case none

    init(_ cache: URLCache?) {
        self = cache.map { .cache(.of($0)) } ?? .none
    }

    var isThere: Bool {
        if case .none = self { false } else { true }
    }

    /// Whether it takes a look to know that nothing is stored. Does not read the disk.
    ///
    /// - Parameter key: under what; asked for where something is stored.
    func mayHold(_ key: () -> CacheKey?) -> Bool {
        guard let cache = cacheIfMade else { return isThere && key() != nil }
        // The first also looks what the program has done to it.
        guard !cache.isKnownToBeEmpty else { return false }
        return key().map(cache.mayHold) ?? false
    }

    /// Nil, too, while nobody has needed the shared one.
    var cacheIfMade: ResponseCache? {
        switch self {
        case .shared: .sharedIfMade
        case .cache(let cache): cache
        case .none: nil
        }
    }

    /// Nil: nothing is stored, and nothing looked up.
    var cache: ResponseCache? {
        switch self {
        case .shared: .shared
        case .cache(let cache): cache
        case .none: nil
        }
    }
}
