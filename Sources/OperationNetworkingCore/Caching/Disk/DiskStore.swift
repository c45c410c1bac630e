// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc
internal import NetworkingSupport

/// Responses in the files of a folder, which other processes, and other stores of this one, may have at the same time.
///
/// A file (a segment) has many responses, one behind the other. Each store adds to a segment that it alone has locked,
/// and reads all. The responses are found once, and after that by a look at names and times, so that a look-up of a
/// missing one reads nothing. A response is removed by a mark in its header, and its bytes are overwritten; room is
/// made by the removal of the oldest segment, after those of its responses that were used have moved to the newest.
///
/// After any failure (no permission, no space, a damaged file) a response counts as not there. The failure is not
/// reported.
final class DiskStore: Sendable {
    struct Place: Sendable {
        let segment: SegmentFolder.Name
        let offset: Int
        let header: RecordHeader
        /// True if it was used since it came here: then it gets another place when the segment is removed.
        var isUsed = false

        /// Returns true if it is where another one is.
        func isSame(as other: Place) -> Bool { segment == other.segment && offset == other.offset }
    }

    struct Segment: Sendable {
        var stamp: SegmentStamp
        /// The offset at which the last good response ends.
        var end = 0
        var keys: [CacheKey.Digest] = []
        /// True if another process may have changed it without a trace in `stamp`: the next look reads it again.
        var isStale = false
    }

    /// The state of the files, as far as it is known.
    struct State: Sendable {
        /// Nil before the first look, and if there is no folder.
        var folder: SegmentFolder?
        /// False: the files have not been looked at yet.
        var isOpen = false
        /// True while a look is under way.
        var isLooking = false
        /// In seconds of the runtime's uptime.
        var lastLook = -Double.infinity
        /// Changed by `put(_:)`, but for what is removed.
        var places: [CacheKey.Digest: Place] = [:]
        /// The keys of `places`, and some of what was there.
        private(set) var keys = KeysByResource<CacheKey.Digest>()
        var segments: [SegmentFolder.Name: Segment] = [:]
        var capacity: Int
        /// The time until which nothing is written, since the last write failed.
        var pauseEnd = -Double.infinity
        /// The number of responses that were read, for tests.
        var reads = 0
        /// The number of responses that were written, for tests.
        var writes = 0
        /// What was removed and may be in files that are not known yet. A look takes it into account.
        var missed = MissedRemovals()
        /// Called between what is read from a file and what comes of that, under the lock of the files; for tests.
        var interlude: (@Sendable () -> Void)?

        var size: Int { segments.values.reduce(0) { $0 + $1.stamp.size } }

        /// Notes the place of a response.
        ///
        /// - Returns: the place of the one that was under its key until now.
        @discardableResult
        mutating func put(_ place: Place) -> Place? {
            let key = place.header.key
            let old = places.updateValue(place, forKey: key)
            keys.insert(key)
            if keys.isOvergrown(for: places.count) { keys = KeysByResource(places.keys) }
            return old
        }

        /// True if a look may find responses that are not known now.
        private var mayMiss: Bool { !isOpen || isLooking || capacity == 0 }

        /// Forgets the place of a response.
        mutating func take(_ key: CacheKey.Digest) -> Place? {
            if mayMiss { missed.note(key) }
            return places.removeValue(forKey: key)
        }

        /// Forgets the places of all responses of a URL.
        mutating func take(_ resource: CacheKey.Resource) -> [Place] {
            if mayMiss { missed.note(resource) }
            var taken: [Place] = []
            for key in keys.take(resource) {
                if let place = places.removeValue(forKey: key) { taken.append(place) }
            }
            return taken
        }
    }

    /// The state that is changed under the lock of the files.
    struct Access {
        /// The segment that this store adds to.
        var current: (name: SegmentFolder.Name, file: Descriptor)?
        /// The time of the response written last, so that the next one is later.
        var time: UInt64 = 0
    }

    /// Seconds from one look at changes by other processes to the next.
    static let patience = 1.0
    /// Seconds without another try after something could not be written.
    static let pause = 5.0

    private let path: @Sendable () -> String?
    let state: Locked<State>
    /// Held while files are changed: a leaf but for `state`.
    let access = Locked(Access())

    /// - Parameters:
    ///   - capacity: bytes; 0: nothing is kept, and no file looked at.
    ///   - path: returns the folder, and is not called again after that; nil: there is no folder.
    init(capacity: Int, path: @escaping @Sendable () -> String?) {
        self.path = path
        state = Locked(State(capacity: max(0, capacity)))
    }

    /// Nil: there is no folder, or it has not been looked for yet.
    var folder: SegmentFolder? { state.withLock { $0.folder } }

    /// True if anything may be kept.
    var isThere: Bool { state.withLock { $0.capacity > 0 } }

    // MARK: Looking

    enum Answer { case present, absent, unknown }

    /// Does not read the disk.
    func holds(_ key: CacheKey.Digest) -> Answer {
        state.withLock { state in
            if state.capacity == 0 { return .absent }
            return state.isOpen ? state.places[key] == nil ? .absent : .present : .unknown
        }
    }

    var isKnownToBeEmpty: Bool { state.withLock { $0.capacity == 0 || $0.isOpen && $0.places.isEmpty } }

    /// True if it is time to `look()`.
    var isDue: Bool {
        let now = Runtime.current.uptime
        return state.withLock { $0.capacity > 0 && now - $0.lastLook >= Self.patience }
    }

    /// Bytes of all files.
    var size: Int {
        lookIfNeeded()
        return state.withLock { $0.size }
    }

    /// True if there may be files that have not been looked at yet.
    var needsLook: Bool { state.withLock { $0.capacity > 0 && !$0.isOpen } }

    func lookIfNeeded() {
        if needsLook { look() }
    }

    /// Finds the folder, if it is not known yet. Called with no lock held: a `URLCache` may be asked.
    func findFolder() {
        guard isThere, folder == nil, let path = path() else { return }
        state.withLock { $0.folder = SegmentFolder(path: path) }
    }

    /// The response under a key. Reads the disk.
    func response(for key: CacheKey.Digest) -> StoredResponse? {
        lookIfNeeded()
        guard let place = state.withLock({ $0.capacity > 0 ? $0.places[key] : nil }) else { return nil }
        guard let response = read(place) else {
            // Removed by another store, or damaged: not read again. But one that is about to move is found later.
            state.withLock { state in
                guard state.segments[place.segment] != nil, state.places[key]?.isSame(as: place) == true else { return }
                state.places[key] = nil
            }
            return nil
        }
        state.withLock { state in
            state.reads += 1
            state.places[key]?.isUsed = true
        }
        return response
    }

    private func read(_ place: Place) -> StoredResponse? {
        guard let file = folder?.open(place.segment, O_RDONLY), let size = file.stamp?.size, size > place.offset,
            let bytes = file.read(RecordHeader.length, at: place.offset),
            let header = RecordHeader(bytes, limit: size - place.offset), header.isLive, header.key == place.header.key,
            let record = file.read(header.recordLength, at: place.offset + RecordHeader.length),
            let content = file.readData(
                header.contentLength, at: place.offset + RecordHeader.length + header.recordLength),
            header.confirms(record: record, content: content)
        else { return nil }
        return StoredResponse(record: record, content: content)
    }

    /// Notes that a response was used, from memory or from the disk.
    func noteUse(of key: CacheKey.Digest) { state.withLock { $0.places[key]?.isUsed = true } }

    // MARK: Removing

    /// Forgets a response at once; its bytes are removed by `erase(_:)`, and are not found in the meantime.
    ///
    /// Where not all files are known, as before the first look, a look removes the bytes that it finds.
    func forget(_ key: CacheKey.Digest) -> Place? { state.withLock { $0.take(key) } }

    /// The same for all responses of a URL.
    func forget(_ resource: CacheKey.Resource) -> [Place] { state.withLock { $0.take(resource) } }

    /// Removes the bytes of a response.
    func erase(_ place: Place) { erase([place]) }

    /// Removes the bytes of responses. When it returns, a look that was under way has done that to what it found.
    func erase(_ places: [Place]) {
        access.withLock { _ in
            for place in places { mark(place, erases: true) }
        }
    }

    /// Marks a response as removed. Under the lock of the files.
    func mark(_ place: Place, erases: Bool) {
        let (folder, interlude) = state.withLock { ($0.folder, $0.interlude) }
        guard let file = folder?.open(place.segment, O_RDWR), let before = file.stamp,
            let bytes = file.read(RecordHeader.length, at: place.offset),
            let header = RecordHeader(bytes, limit: .max - place.offset), header.key == place.header.key,
            header.time == place.header.time
        else { return }
        interlude?()
        _ = file.write(RecordHeader.removal.bytes, at: place.offset + RecordHeader.removal.offset)
        if erases { overwrite(file, header, at: place.offset) }
        guard let after = file.stamp else { return }
        state.withLock { state in
            // A change by this store itself is no reason to look. But overwriting takes a while, in which another
            // process may have changed the file, too.
            if !erases, before.size == after.size, state.segments[place.segment]?.stamp == before {
                state.segments[place.segment]?.stamp = after
            } else {
                state.segments[place.segment]?.isStale = true
            }
        }
    }

    /// Overwrites a response, but for the part that is needed to find the next header.
    private func overwrite(_ file: Descriptor, _ header: RecordHeader, at start: Int) {
        let zeros = [UInt8](repeating: 0, count: 1 << 16)
        _ = file.write(Array(zeros.prefix(CacheKey.Digest.length)), at: start + RecordHeader.digestOffset)
        var offset = start + RecordHeader.length
        let end = start + header.totalLength
        while offset < end {
            guard file.write(Array(zeros.prefix(end - offset)), at: offset) else { return }
            offset += zeros.count
        }
    }

    /// Forgets all responses at once; their bytes are removed by `removeAll()`.
    func forgetAll() { state.withLock { $0.places = [:] } }

    /// Removes all there is.
    func removeAll() {
        findFolder()
        guard let folder else { return }
        access.withLock { access in
            for name in folder.names { folder.remove(name) }
            access.current = nil
            state.withLock { state in
                state.places = [:]
                state.segments = [:]
                state.isOpen = true
                state.missed = MissedRemovals()
            }
        }
    }

    /// Removes what was stored after a moment, in seconds since 1970.
    func removeAll(since seconds: Double) {
        look()
        let places = state.withLock { state in
            let places = state.places.filter { Double($0.value.header.time) / 1e9 > seconds }
            for key in places.keys { state.places[key] = nil }
            return places
        }
        for place in places.values { erase(place) }
    }
}
