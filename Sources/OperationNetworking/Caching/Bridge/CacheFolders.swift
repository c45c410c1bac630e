// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import Glibc
internal import NetworkingSupport

/// Where the responses of caches are that have no folder of their own, and whose is which.
///
/// A `URLCache` of Foundation's class does not tell where its files are, and its own files are not to be read: what reads
/// them stops the process where they are damaged. So the library keeps the responses in a folder of its own, and leaves in
/// the cache an entry whose URL has the folder's name. By that entry the next process knows the folder again: not by
/// reading it, but by removing it, which makes the cache's files smaller if it was there, and storing it again. Who empties
/// the cache has removed the entry, too, whether the library was there or not.
enum CacheFolders {
    private static let directory = Locked<String?>(nil)

    /// What the program has set; nil: the user's folder for caches.
    static var chosen: String? {
        get { directory.withLock { $0 } }
        set { directory.withLock { $0 = newValue } }
    }

    /// Nil: the user has no folder for caches.
    private static var base: String? {
        if let chosen { return chosen }
        let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
        return caches.flatMap { $0.isFileURL ? $0.path + "/OperationNetworking" : nil }
    }

    /// Of caches of the library's own class that were given no folder.
    static var unnamed: String? {
        let program = (Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName).utf8.map { byte in
            byte == UInt8(ascii: "/") || byte == 0 ? UInt8(ascii: "_") : byte
        }
        // Not "." or "..".
        return base.map { $0 + "/programs/" + String(decoding: program, as: UTF8.self) + "-responses" }
    }

    // MARK: Of caches of Foundation's class

    private static let digits = 32
    /// Folders that caches may have; the others, not used for longer, are none's any more.
    private static let maximumCount = 128
    /// Seconds for which folders are tried, from the one used last: where Foundation has many files, each takes its time.
    private static let patience = 0.5

    /// What is left in a cache.
    struct Mark: Sendable {
        let folder: String
        /// Bytes that it is to Foundation.
        let inMemory: Int
        let onDisk: Int
    }

    /// The folder of a cache, which is marked with it; nil: it has no files, or there is no place for them. Reads and writes
    /// files.
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
        // Something else has become smaller at the same time: nothing is known, and nobody else's folder is to be found.
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
