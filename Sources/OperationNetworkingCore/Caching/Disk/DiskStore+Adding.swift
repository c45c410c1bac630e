// SPDX-License-Identifier: MIT
internal import Foundation
internal import Glibc
internal import NetworkingSupport
internal import NetworkingTransport

/// Writing, and making room for it.
extension DiskStore {
    /// Parts of the capacity that a segment may have.
    private static let segments = 16
    private static let longestSegment = 4 << 20

    /// Bytes that are written at a time, unless one response has more.
    private static let longestPiece = 1 << 18

    /// Writes responses, each in place of the one that is there under its key. What cannot be written removes that one
    /// all the same: it must not be found later as if it were the last.
    ///
    /// - Returns: the number of responses that were written.
    @discardableResult
    func add(_ responses: [(key: CacheKey.Digest, response: StoredResponse)]) -> Int {
        lookIfNeeded()
        guard let folder else { return 0 }
        return access.withLock { access in
            let written = write(responses, folder, &access)
            guard written.count < responses.count else { return written.count }
            let isWritten = Set(written)
            for (key, _) in responses where !isWritten.contains(key) {
                if let old = forget(key) { mark(old, erases: true) }
            }
            return written.count
        }
    }

    /// - Returns: the keys of those that were written.
    private func write(
        _ responses: [(key: CacheKey.Digest, response: StoredResponse)], _ folder: SegmentFolder,
        _ access: inout Access
    ) -> [CacheKey.Digest] {
        let now = Runtime.current.uptime
        let (capacity, isPaused) = state.withLock { ($0.capacity, $0.pauseEnd > now) }
        guard !isPaused else { return [] }
        let longest = min(Self.longestSegment, capacity / Self.segments)
        var piece = Piece()
        for (key, response) in responses {
            // A long response is not copied, and is the only one of its piece.
            let isLong = response.content.count >= Self.longestPiece / 4
            if isLong, !write(&piece, nil, folder, capacity, longest, &access) { return piece.written }
            let start = piece.bytes.count
            access.time = nextTime(after: access.time, for: key)
            guard let header = RecordHeader.append(response, key: key, time: access.time, to: &piece.bytes),
                header.totalLength <= capacity
            else {
                piece.bytes.removeLast(piece.bytes.count - start)
                continue
            }
            if !isLong {
                piece.bytes += response.content
                // It does not fit in: those before are written without it.
                if start > 0, piece.bytes.count > min(longest, Self.longestPiece) {
                    let rest = Array(piece.bytes[start...])
                    piece.bytes.removeLast(rest.count)
                    if !write(&piece, nil, folder, capacity, longest, &access) { return piece.written }
                    piece.bytes = rest
                }
            }
            piece.headers.append(header)
            if isLong, !write(&piece, response.content, folder, capacity, longest, &access) { return piece.written }
        }
        _ = write(&piece, nil, folder, capacity, longest, &access)
        return piece.written
    }

    /// Returns a time later than that of all that is there under a key, also where the clock was set back.
    private func nextTime(after last: UInt64, for key: CacheKey.Digest) -> UInt64 {
        max(last &+ 1, (state.withLock { $0.places[key]?.header.time } ?? 0) &+ 1, Self.clock)
    }

    /// Nanoseconds since 1970.
    private static var clock: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec)
    }

    /// Responses one behind the other; a single long one is without its content.
    private struct Piece {
        var bytes: [UInt8] = []
        var headers: [RecordHeader] = []
        /// The keys of the responses that were written with the pieces before.
        var written: [CacheKey.Digest] = []
    }

    /// Writes a piece, and begins another.
    ///
    /// - Returns: true if it was written; if not, nothing more is written for a while.
    private func write(
        _ piece: inout Piece, _ content: Data?, _ folder: SegmentFolder, _ capacity: Int, _ longest: Int,
        _ access: inout Access
    ) -> Bool {
        guard !piece.headers.isEmpty else { return true }
        let isDone = append(piece, content ?? Data(), folder, capacity, longest, &access)
        if !isDone {
            let now = Runtime.current.uptime
            state.withLock { $0.pauseEnd = now + Self.pause }
        }
        piece = Piece(written: piece.written + (isDone ? piece.headers.map(\.key) : []))
        return isDone
    }

    private func append(
        _ piece: Piece, _ content: Data, _ folder: SegmentFolder, _ capacity: Int, _ longest: Int,
        _ access: inout Access
    ) -> Bool {
        let length = piece.bytes.count + content.count
        guard makeRoom(for: length, folder, capacity, &access),
            let target = current(folder, length, longest, &access)
        else { return false }
        let (file, end) = (target.file, target.end)
        guard file.write(piece.bytes, at: end),
            content.withUnsafeBytes({ file.write($0, at: end + piece.bytes.count) }), let stamp = file.stamp
        else {
            // A part of a response must not stay there.
            file.truncate(to: end)
            access.current = nil
            return false
        }
        let replaced = state.withLock { state in
            var replaced: [Place] = []
            var offset = end
            for header in piece.headers {
                let place = Place(segment: target.name, offset: offset, header: header)
                if let old = state.put(place) { replaced.append(old) }
                state.segments[target.name]?.keys.append(header.key)
                offset += header.totalLength
            }
            state.didAdd(length, to: target, stamp)
            state.writes += piece.headers.count
            return replaced
        }
        for old in replaced { mark(old, erases: false) }
        return true
    }

    /// A segment to add to.
    fileprivate struct Target {
        let name: SegmentFolder.Name
        let file: Descriptor
        let end: Int
        /// The stamp before anything is added.
        let stamp: SegmentStamp
    }

    /// Returns the segment to add to; nil: nothing can be added.
    private func current(
        _ folder: SegmentFolder, _ length: Int, _ longest: Int, _ access: inout Access
    ) -> Target? {
        if let (name, file) = access.current, let stamp = file.stamp,
            let end = state.withLock({ $0.segments[name]?.end }), end == 0 || end + length <= longest
        {
            return Target(name: name, file: file, end: end, stamp: stamp)
        }
        access.current = nil
        guard folder.make() else { return nil }
        // A segment left by a process that has ended.
        let room = state.withLock { state in
            state.segments.filter { $0.value.end + length <= longest }.keys.sorted().last
        }
        if let room, let file = folder.open(room, O_RDWR), file.lock(), let stamp = file.stamp {
            let end = Self.places(in: file, room, size: stamp.size).end
            // Whole, or with a last response that was not written to its end. What another process has added meanwhile
            // is found by the next look.
            if end == state.withLock({ $0.segments[room]?.end }), stamp.size == end || isTorn(file, end, stamp.size) {
                if stamp.size > end { file.truncate(to: end) }
                access.current = (room, file)
                return Target(name: room, file: file, end: end, stamp: stamp)
            }
        }
        // Where nothing was written yet, there is no time: the name must not be that of the oldest.
        let name = SegmentFolder.Name(time: max(access.time, Self.clock))
        guard let file = folder.open(name, O_RDWR | O_CREAT | O_EXCL), file.lock(), let stamp = file.stamp else {
            return nil
        }
        state.withLock { $0.segments[name] = Segment(stamp: stamp) }
        access.current = (name, file)
        return Target(name: name, file: file, end: 0, stamp: stamp)
    }

    /// Returns true if the bytes behind `end` are the beginning of a response, and not damaged.
    private func isTorn(_ file: Descriptor, _ end: Int, _ size: Int) -> Bool {
        guard size - end >= RecordHeader.length else { return true }
        return file.read(RecordHeader.length, at: end).flatMap { RecordHeader($0, limit: .max - end) } != nil
    }

    /// Removes the oldest segments until there is room for so many more bytes.
    private func makeRoom(
        for length: Int, _ folder: SegmentFolder, _ capacity: Int, _ access: inout Access
    ) -> Bool {
        while true {
            let (size, oldest) = state.withLock { ($0.size, $0.segments.keys.min()) }
            guard size + length > capacity else { return true }
            guard let oldest else { return length <= capacity }
            // Where there is to be nothing, nothing moves.
            removeSegment(oldest, folder, keepsUsed: capacity > 0, &access)
        }
    }

    /// Moves the used responses of a segment into the newest one, as far as there is room, and removes the segment.
    private func removeSegment(
        _ name: SegmentFolder.Name, _ folder: SegmentFolder, keepsUsed: Bool, _ access: inout Access
    ) {
        let isCurrent = access.current?.name == name
        let file = folder.open(name, O_RDONLY)
        // First: other processes never find a response in both segments.
        folder.remove(name)
        let (used, size, interlude) = state.withLock { state -> ([Place], Int, (@Sendable () -> Void)?) in
            let segment = state.segments.removeValue(forKey: name)
            let isKept = keepsUsed && file != nil && !state.segments.isEmpty
            var used: [Int: Place] = [:]
            for key in segment?.keys ?? [] {
                guard let place = state.places[key], place.segment == name else { continue }
                // Known until it has moved: a removal that comes meanwhile has to find it.
                if isKept, place.isUsed { used[place.offset] = place } else { state.places[key] = nil }
            }
            return (used.values.sorted { $0.offset < $1.offset }, segment?.stamp.size ?? 0, state.interlude)
        }
        if isCurrent { access.current = nil }
        guard let file, !used.isEmpty else { return }
        interlude?()
        // At least half of the segment's room is gained.
        move(used, from: file, atMost: size / 2, folder, &access)
        state.withLock { state in
            for place in used where state.places[place.header.key]?.segment == name {
                state.places[place.header.key] = nil
            }
        }
    }

    /// Moves responses into the newest segment, as many as so many bytes are enough for.
    private func move(
        _ places: [Place], from file: Descriptor, atMost room: Int, _ folder: SegmentFolder, _ access: inout Access
    ) {
        var rest = room
        for place in places where place.header.totalLength <= rest {
            guard let bytes = file.read(place.header.totalLength, at: place.offset),
                let target = current(folder, bytes.count, Self.longestSegment, &access),
                target.file.write(bytes, at: target.end), let stamp = target.file.stamp
            else { return }
            rest -= bytes.count
            let moved = Place(segment: target.name, offset: target.end, header: place.header)
            let isWanted = state.withLock { state in
                state.didAdd(bytes.count, to: target, stamp)
                guard state.places[place.header.key]?.isSame(as: place) == true else { return false }
                state.put(moved)
                state.segments[target.name]?.keys.append(place.header.key)
                return true
            }
            // Removed meanwhile.
            if !isWanted { mark(moved, erases: true) }
        }
    }

    /// Sets another capacity. Does not change the files.
    ///
    /// - Returns: true if it is less, so that `makeRoom()` may be needed.
    func setCapacity(_ capacity: Int) -> Bool {
        state.withLock { state in
            let old = state.capacity
            state.capacity = max(0, capacity)
            // Without capacity nothing is found, but the places stay as long as the files do: a removal has to reach
            // them, and with another capacity they are found again. Others may have changed the files by then.
            if old == 0 { state.isOpen = false }
            return state.capacity < old
        }
    }

    /// Removes what is more than the capacity.
    func makeRoom() {
        guard let folder else { return }
        let capacity = state.withLock { $0.capacity }
        access.withLock { access in _ = makeRoom(for: 0, folder, capacity, &access) }
    }
}

extension DiskStore.State {
    /// Notes that this store has added so many bytes to a segment, which has another stamp now.
    fileprivate mutating func didAdd(_ length: Int, to target: DiskStore.Target, _ stamp: SegmentStamp) {
        // The new stamp would hide what another process has changed before.
        if segments[target.name]?.stamp != target.stamp { segments[target.name]?.isStale = true }
        segments[target.name]?.stamp = stamp
        segments[target.name]?.end = target.end + length
    }
}
