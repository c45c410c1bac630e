// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc
internal import NetworkingSupport

/// The search for changes that other processes have made to the files.
extension DiskStore {
    /// Lists the files, and reads those that are new or have changed.
    ///
    /// - Returns: the keys whose response has changed or is gone.
    @discardableResult
    func look() -> [CacheKey.Digest] {
        guard isThere else { return [] }
        let now = Runtime.current.uptime
        findFolder()
        guard let folder else {
            // There is nothing, and will be nothing.
            state.withLock { $0.didOpen(at: now) }
            return []
        }
        return access.withLock { access in look(folder, at: now, &access) }
    }

    private func look(_ folder: SegmentFolder, at now: Double, _ access: inout Access) -> [CacheKey.Digest] {
        let names = folder.isUsable ? folder.names : []
        let (known, interlude) = state.withLock { state in
            state.isLooking = true
            return (state.segments, state.interlude)
        }
        var changed: [CacheKey.Digest] = []
        for (name, segment) in known where !names.contains(name) {
            changed += forget(segment, called: name)
            if access.current?.name == name { access.current = nil }
        }
        for name in names.sorted() {
            guard let stamp = folder.stamp(name), stamp != known[name]?.stamp || known[name]?.isStale == true else {
                continue
            }
            changed += read(folder, name, known[name], interlude)
        }
        state.withLock { $0.didLook(at: now) }
        return changed
    }

    /// Forgets a segment that is gone.
    private func forget(_ segment: Segment, called name: SegmentFolder.Name) -> [CacheKey.Digest] {
        state.withLock { state in
            state.segments[name] = nil
            let gone = segment.keys.filter { state.places[$0]?.segment == name }
            for key in gone { state.places[key] = nil }
            return gone
        }
    }

    /// Reads all headers of a segment.
    private func read(
        _ folder: SegmentFolder, _ name: SegmentFolder.Name, _ known: Segment?, _ interlude: (@Sendable () -> Void)?
    ) -> [CacheKey.Digest] {
        guard let file = folder.open(name, O_RDONLY), let stamp = file.stamp else {
            return known.map { forget($0, called: name) } ?? []
        }
        let (places, end) = Self.places(in: file, name, size: stamp.size)
        interlude?()
        let (changed, removed) = state.withLock { state -> ([CacheKey.Digest], [Place]) in
            var (changed, removed): ([CacheKey.Digest], [Place]) = ([], [])
            var segment = Segment(stamp: stamp, end: end)
            var found: Set<CacheKey.Digest> = []
            for place in places {
                let key = place.header.key
                let present = state.places[key]
                let isSame = present?.isSame(as: place) == true
                // The program has removed it, and did not know where it is.
                if present == nil, state.missed.contains(key) {
                    removed.append(place)
                    continue
                }
                // Of two responses, the later one counts.
                guard present == nil || isSame || present.map({ $0.header.time < place.header.time }) == true else {
                    continue
                }
                found.insert(key)
                segment.keys.append(key)
                if isSame { continue }
                state.put(place)
                changed.append(key)
            }
            for key in known?.keys ?? [] where !found.contains(key) && state.places[key]?.segment == name {
                state.places[key] = nil
                changed.append(key)
            }
            state.segments[name] = segment
            return (changed, removed)
        }
        for place in removed { mark(place, erases: true) }
        return changed
    }

    /// The responses of a segment that are not removed, up to the first bytes that are no header of a whole one.
    static func places(in file: Descriptor, _ name: SegmentFolder.Name, size: Int) -> (places: [Place], end: Int) {
        var places: [Place] = []
        var offset = 0
        while size - offset >= RecordHeader.length, let bytes = file.read(RecordHeader.length, at: offset),
            let header = RecordHeader(bytes, limit: size - offset)
        {
            if header.isLive { places.append(Place(segment: name, offset: offset, header: header)) }
            offset += header.totalLength
        }
        return (places, offset)
    }
}

extension DiskStore.State {
    fileprivate mutating func didOpen(at now: Double) {
        isOpen = true
        lastLook = now
    }

    fileprivate mutating func didLook(at now: Double) {
        didOpen(at: now)
        isLooking = false
        // Removed from the files by now.
        missed = MissedRemovals()
    }
}
