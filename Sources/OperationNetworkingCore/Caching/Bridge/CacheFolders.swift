// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import Glibc
internal import NetworkingSupport
internal import NetworkingTransport

/// The folders for the responses of caches that were given none, and the means to find each cache's folder again.
///
/// A `URLCache` of Foundation's class does not tell where its files are, and its files must not be read: Foundation
/// stops the process if they are damaged. So the library keeps the responses in a separate folder, and leaves in the
/// cache an entry whose URL has the folder's name. By that entry the next process finds the folder again. It does not
/// read the entry, but removes it, which makes the cache's files smaller if it was there, and stores it again. Emptying
/// the cache also removes the entry, whether the library is in use or not.
enum CacheFolders {
    private static let directory = Locked<String?>(nil)

    /// The folder that the program has set; nil: the user's folder for caches.
    static var chosen: String? {
        get { directory.withLock { $0 } }
        set { directory.withLock { $0 = newValue } }
    }

    /// The folder that contains all others; nil: the user has no folder for caches.
    private static var base: String? {
        if let chosen { return chosen }
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
        return caches.flatMap { $0.isFileURL ? $0.path + "/OperationNetworking" : nil }
    }

    /// The folder of caches of the library's class that were given none.
    static var unnamed: String? {
        let program = RunningProgram.bundle?.bundleIdentifier ?? RunningProgram.name
        return base.map { $0 + "/programs/" + folderName(ofProgram: program) }
    }

    /// The name of a program's folder: not "." or "..", and not longer than names may be.
    static func folderName(ofProgram name: String) -> String {
        let bytes = name.utf8.map { $0 == UInt8(ascii: "/") || $0 == 0 ? UInt8(ascii: "_") : $0 }
        return FileName.name(String(decoding: bytes, as: UTF8.self), with: "-responses")
    }

    // MARK: Of caches of Foundation's class

    private static let digits = 32
    /// The number of folders that caches may have; the others, not used for longer, are removed.
    private static let maximumCount = 128
    /// Seconds for which folders are tried, from the one used last: each takes time where Foundation has many files.
    private static let patience = 0.5

    /// The entry that is left in a cache.
    struct Mark: Sendable {
        let folder: String
        /// The bytes that Foundation counts for it.
        let inMemory: Int
        let onDisk: Int
    }

    /// Finds or makes the folder of a cache, which is marked with it; nil: the cache has no files, or there is no place
    /// for them. Reads and writes files.
    static func mark(of storage: URLCache) -> Mark? {
        guard let base = base.map({ $0 + "/caches" }), SegmentFolder(path: base).make(),
            let lock = Descriptor(base + "/lock", O_RDWR | O_CREAT), lock.waitForLock()
        else { return nil }
        return withExtendedLifetime(lock) {
            let names = names(in: base)
            if storage.currentDiskUsage > 0 {
                let start = Runtime.current.uptime
                for name in names {
                    guard Runtime.current.uptime - start < patience else { break }
                    guard let mark = knownMark(of: storage, base + "/" + name) else { continue }
                    // It was used just now.
                    utimes(mark.folder, nil)
                    return mark
                }
            }
            for name in names.dropFirst(maximumCount - 1) {
                try? FileManager.default.removeItem(atPath: base + "/" + name)
            }
            let name = (0..<4).flatMap { _ in
                withUnsafeBytes(of: UInt32.random(in: .min ... .max)) { Array($0) }
            }.hexadecimal
            let mark = mark(storage, folder: base + "/" + name)
            return mark.onDisk > 0 && SegmentFolder(path: mark.folder).make() ? mark : nil
        }
    }

    /// The folders, from that used last.
    private static func names(in base: String) -> [String] {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: base)) ?? []
        let names = all.filter { $0.utf8.count == digits && $0.utf8.allSatisfy { $0.isDigit || 0x61...0x66 ~= $0 } }
        return names.map { name -> (String, Int) in
            var status = stat()
            return (name, lstat(base + "/" + name, &status) == 0 ? Int(status.st_mtim.tv_sec) : 0)
        }.sorted { $0.1 > $1.1 }.map(\.0)
    }

    /// Nil: the cache is not marked with the folder.
    private static func knownMark(of storage: URLCache, _ folder: String) -> Mark? {
        let before = storage.currentDiskUsage
        storage.removeCachedResponse(for: request(folder))
        let removed = before - storage.currentDiskUsage
        guard removed > 0 else { return nil }
        let mark = mark(storage, folder: folder)
        if mark.onDisk == removed { return mark }
        // Something else has become smaller at the same time: the folder may be another cache's, and must not be used.
        storage.removeCachedResponse(for: request(folder))
        return nil
    }

    /// Leaves the mark in a cache that has none.
    static func mark(_ storage: URLCache, folder: String) -> Mark {
        let request = request(folder)
        // Twice under one key, Foundation would count it twice, and stop the program when it makes room.
        storage.removeCachedResponse(for: request)
        let (memory, disk) = (storage.currentMemoryUsage, storage.currentDiskUsage)
        if let url = request.url {
            let response = URLResponse(url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
            storage.storeCachedResponse(CachedURLResponse(response: response, data: Data()), for: request)
        }
        return Mark(
            folder: folder, inMemory: max(0, storage.currentMemoryUsage - memory),
            onDisk: max(0, storage.currentDiskUsage - disk))
    }

    private static func request(_ folder: String) -> URLRequest {
        let file = URL(fileURLWithPath: folder)
        return URLRequest(
            url: URL(string: "http://folder.operation-networking.invalid/\(file.lastPathComponent)") ?? file)
    }
}
