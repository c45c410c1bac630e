// SPDX-License-Identifier: MIT

/// Which bytes of one file are asked for, of which of its places, and when: as a pure value.
///
/// The file is a row of **segments**. A request works on one segment, from its position to its end. When the length is known
/// and what comes can be put together with what else comes, a free request takes a segment that nobody works on, or cuts one
/// off from the segment of which most is missing.
///
/// | what happens                       | what follows                                                             |
/// |------------------------------------|--------------------------------------------------------------------------|
/// | the beginning; a place became free | requests, as many as there are segments, places and `split` allow        |
/// | a response that fits               | its content is written; its length and validator are known from then on  |
/// | the whole file, and nothing is had | it is the file, whatever was known before: it begins anew                |
/// | the whole file in place of a range | the place serves no ranges; if nobody else is at work, it begins anew    |
/// | another file than before           | of a mirror: it is not asked again; of all there is: everything anew     |
/// | a request ended well               | its segment is complete, and another one is looked for                   |
/// | a request was lost                 | the rest of its segment is asked for once more, of another place if any  |
/// | the same, of a place with others   | not so many requests to that place at once                               |
/// | a range is beyond the file's end   | another file than before, if nobody else is at work                      |
/// | a place refused, or lost too many  | it is not asked again                                                    |
/// | no place is left, nobody at work   | `fail`, with what happened last                                          |
/// | every segment is complete          | `complete`                                                               |
/// | another checksum than it should be | everything anew, if some of it is an earlier run's                       |
///
/// What is put together from several responses is known to be of one file: by a validator of one URL, sent as `If-Range`, or one
/// strong entity tag of several places that the list says to have one file, or by the checksum in the end; and by its length
/// always. A place that redirects elsewhere than before has another file, unless there is a checksum.
package struct DownloadPlan: Sendable {
    /// Bytes below which nothing is cut: more than one piece that may be on its way into the file.
    package static let leastSplitSize: Int64 = 128 << 10
    /// How often everything may begin anew.
    private static let maximumRestarts = 3

    private let settings: Settings
    private var sources: [Source]
    private var segments: [Segment]
    /// Requests under way, by number.
    private var workers: [Int: Request] = [:]
    private var nextNumber = 1
    private var restarts = 0
    private var failure: Failure?
    /// Bytes of the file, when known.
    package private(set) var total: Int64?
    /// How often what was there has been given up. What a note says of it is not true of what comes then.
    package private(set) var beginnings = 0
    /// Bytes that were there, at most, when it began anew: to have them once more is no progress.
    private var given: Int64 = 0
    /// Whether some of what is there is an earlier run's.
    package private(set) var isContinued = false
    private var isOver = false

    /// - Parameters:
    ///   - sourceCount: places, in the order in which they are preferred.
    ///   - remains: what an earlier run left; nil: nothing.
    package init(sourceCount: Int, settings: Settings, remains: Remains? = nil) {
        self.settings = settings
        sources = Array(repeating: Source(), count: sourceCount)
        segments = [Segment(0, nil)]
        guard let remains, remains.isSound, remains.validators.count == sourceCount,
            remains.resources.count == sourceCount,
            settings.size ?? remains.total == remains.total,
            settings.hasChecksum || remains.validators.contains(where: { $0 != nil })
        else { return }
        total = remains.total
        for index in sources.indices {
            sources[index].validator = remains.validators[index]
            sources[index].resource = remains.resources[index]
        }
        segments = []
        var begin: Int64 = 0
        for part in remains.parts {
            if part.lowerBound > begin { segments.append(Segment(begin, part.lowerBound)) }
            segments.append(Segment(part.lowerBound, part.upperBound, position: part.upperBound))
            begin = part.upperBound
        }
        if begin < remains.total || segments.isEmpty { segments.append(Segment(begin, remains.total)) }
        isContinued = received > 0
        join()
    }

    /// What the next run needs to go on; nil: it cannot.
    package var remains: Remains? {
        guard let total, settings.hasChecksum || sources.contains(where: { $0.validator != nil }) else { return nil }
        var parts: [Range<Int64>] = []
        for segment in segments where segment.position > segment.start {
            if let last = parts.last, last.upperBound == segment.start {
                parts[parts.count - 1] = last.lowerBound..<segment.position
            } else {
                parts.append(segment.start..<segment.position)
            }
        }
        return Remains(
            total: total, parts: parts, validators: sources.map(\.validator), resources: sources.map(\.resource))
    }

    /// Bytes that are there.
    package var received: Int64 { segments.reduce(0) { $0 + $1.position - $1.start } }

    private var isComplete: Bool { total != nil && segments.allSatisfy(\.isComplete) }

    // MARK: Inputs

    /// What to do now.
    ///
    /// - Parameter hasPlace: whether there is a place for one more request of a place of the file's, by index, beside the one
    ///   request that every file has.
    package mutating func next(hasPlace: (_ source: Int) -> Bool = { _ in true }) -> [Action] {
        guard !isOver else { return [] }
        if isComplete, let total {
            isOver = true
            if let size = settings.size, size != total { return giveUp(.otherLength(total, size)) }
            return [.complete(total)]
        }
        var actions: [Action] = []
        while workers.count < max(1, settings.split), let source = nextSource(hasPlace),
            let segment = freeSegment(for: source)
        {
            actions.append(.request(begin(segment, source)))
        }
        guard workers.isEmpty else { return actions }
        isOver = true
        return [.fail(failure ?? .lost("there is no place to download it from", mayPass: false))]
    }

    /// A response has begun.
    package mutating func didReceive(_ head: Head, of number: Int) -> Verdict {
        guard let request = workers[number], let index = segment(of: number) else { return .refuse(.stale) }
        switch head.statusCode {
        case 200, 206: break
        case 416: return .refuse(.changed)
        default: return .refuse(.status(head.statusCode, "the server answered with the status \(head.statusCode)"))
        }
        let length = head.totalLength
        if let length, let size = settings.size, length != size { return .refuse(.otherLength(length, size)) }
        let isWhole = head.statusCode == 200
        guard isWhole || request.range != nil else { return .refuse(.otherRange) }
        if isWhole, request.range == nil, segments.count == 1 {
            // Nothing else is there, or under way. What was said of the file before, its length above all, may have been
            // said of another one.
            beginAnew(by: number, request.source)
        } else {
            guard isSame(head, as: request) else { return .refuse(.changed) }
            if isWhole, request.range != nil {
                sources[request.source].servesRanges = false
                guard workers.count == 1 else { return .refuse(.noRanges) }
                // What was there is had once more: that is quicker than asking again.
                beginAnew(by: number, request.source)
            } else {
                guard total == nil || length == nil || length == total else { return .refuse(.changed) }
                guard isWhole || head.first == segments[index].position else { return .refuse(.otherRange) }
            }
        }
        learn(head, of: request.source)
        return .write
    }

    /// Where what comes next of a request belongs, and how much of it; nil: nowhere, the request has what it was for.
    package func room(of number: Int) -> (offset: Int64, count: Int64)? {
        guard let index = segment(of: number), segments[index].missing > 0 else { return nil }
        return (segments[index].position, segments[index].missing)
    }

    /// Bytes of a request are in the file, from where `room(of:)` said.
    ///
    /// - Returns: whether more of it are wanted.
    package mutating func didWrite(_ count: Int, of number: Int) -> Bool {
        guard let index = segment(of: number) else { return false }
        segments[index].position += min(Int64(count), segments[index].missing)
        return segments[index].missing > 0
    }

    /// A request has ended.
    ///
    /// - Parameters:
    ///   - failure: nil: its response is complete, or it has what it was for.
    ///   - attempts: that were made for it.
    /// - Returns: what to do, before `next` is asked.
    package mutating func didEnd(_ number: Int, _ failure: Failure?, attempts: Int = 1) -> [Action] {
        guard let request = workers.removeValue(forKey: number), let index = segment(of: number) else { return [] }
        segments[index].worker = nil
        if failure == nil, segments[index].end == nil {
            // Its end is that of the file.
            segments[index].end = segments[index].position
            total = segments[index].position
        }
        if failure == nil, segments[index].isComplete {
            sources[request.source].losses = 0
            return []
        }
        let reason = failure ?? .lost("the server sent less than it was asked for", mayPass: true)
        self.failure = reason
        return lose(request, index, reason, attempts: attempts)
    }

    /// The file has all its bytes, and they are not what the manifest says: everything is asked for once more, of every place.
    package mutating func didFailVerification() {
        isOver = false
        failure = nil
        restarts = 0
        workers = [:]
        startOver()
        given = 0
        sources = sources.map { _ in Source() }
    }

    // MARK: Requests

    /// The place that is asked next: of those that have what is needed the one with the fewest requests and losses.
    private func nextSource(_ hasPlace: (Int) -> Bool) -> Int? {
        let isFirst = workers.isEmpty
        return sources.indices
            .filter { index in
                guard !sources[index].isOut, active(at: index) < sources[index].limit ?? .max else { return false }
                return isFirst || (total != nil && servesParts(index) && isOneConfirmed && hasPlace(index))
            }
            .min { rank($0) < rank($1) }
    }

    private func rank(_ index: Int) -> (Int, Int, Int, Int) {
        (active(at: index), received > 0 && !servesParts(index) ? 1 : 0, sources[index].losses, index)
    }

    private func active(at source: Int) -> Int { workers.values.count { $0.source == source } }

    private var isOneConfirmed: Bool { sources.contains(where: \.isConfirmed) }

    /// Whether ranges of a place can be told to be of the same file: by its validator, by one of another place that is good for
    /// both, or by the checksum in the end.
    private func servesParts(_ index: Int) -> Bool {
        let source = sources[index]
        return source.servesRanges && (settings.hasChecksum || source.validator != nil || sharedTag != nil)
    }

    /// A strong entity tag of the file: on another server, too, it is that of the same file.
    private var sharedTag: String? {
        sources.lazy.compactMap(\.validator).first { $0.utf8.first == UInt8(ascii: "\"") }
    }

    /// A segment that nobody works on; else a part of somebody's.
    private mutating func freeSegment(for source: Int) -> Int? {
        if let index = segments.firstIndex(where: { $0.worker == nil && !$0.isComplete }) {
            guard segments[index].position > 0, !servesParts(source) else { return index }
            // Only the whole file can be had from there.
            guard workers.isEmpty else { return nil }
            startOver()
            return 0
        }
        guard let largest = segments.indices.max(by: { segments[$0].missing < segments[$1].missing }),
            let end = segments[largest].end
        else { return nil }
        let missing = segments[largest].missing
        // Evenly, when the whole is cut for the first time; in halves later.
        let wanted = segments.count == 1 ? Int64(max(2, settings.split)) : 2
        let parts = min(wanted, missing / max(settings.minimumSplitSize, Self.leastSplitSize))
        guard parts >= 2 else { return nil }
        let step = missing / parts
        let cuts = (1..<parts).map { segments[largest].position + step * $0 }
        segments[largest].end = cuts.first
        let added = zip(cuts, cuts.dropFirst() + [end]).map { Segment($0, $1) }
        segments.insert(contentsOf: added, at: largest + 1)
        return largest + 1
    }

    private mutating func begin(_ index: Int, _ source: Int) -> Request {
        let segment = segments[index]
        let isWhole = segment.position == 0 && segments.count == 1
        let request = Request(
            number: nextNumber, source: source, first: segment.position, end: isWhole ? nil : segment.end,
            validator: isWhole ? nil : sources[source].validator, losses: sources[source].losses)
        nextNumber += 1
        segments[index].worker = request.number
        workers[request.number] = request
        return request
    }

    private func segment(of number: Int) -> Int? { segments.firstIndex { $0.worker == number } }

    // MARK: What responses say

    /// Whether a response can be put together with what is there.
    private func isSame(_ head: Head, as request: Request) -> Bool {
        if !settings.hasChecksum, let known = sources[request.source].resource, known != head.resource { return false }
        guard let known = sources[request.source].validator else {
            return settings.hasChecksum || head.validator != nil && head.validator == sharedTag
        }
        // What it was asked for with (`If-Range`) a response need not say again.
        return head.validator.map { $0 == known } ?? (settings.hasChecksum || request.validator == known)
    }

    private mutating func learn(_ head: Head, of source: Int) {
        if let validator = head.validator { sources[source].validator = validator }
        sources[source].resource = head.resource
        sources[source].isConfirmed = true
        if !head.acceptsRanges { sources[source].servesRanges = false }
        guard let length = head.totalLength else { return }
        total = length
        for index in segments.indices where segments[index].end == nil { segments[index].end = length }
    }

    private mutating func lose(_ request: Request, _ index: Int, _ failure: Failure, attempts: Int) -> [Action] {
        let source = request.source
        let progress = segments[index].position - request.first
        switch failure {
        case .stale: break
        case .local: return giveUp(failure)
        case .changed: return changed(source)
        // Its ranges are not those that are asked for, but the whole file may be.
        case .otherRange where request.range != nil: sources[source].servesRanges = false
        case .otherLength, .otherRange: sources[source].isOut = true
        case .noRanges: break
        case .status(416, _) where request.range != nil && workers.isEmpty:
            // Nothing says that it is the same file, which has no such range: it is another one.
            return changed(source)
        case .later where active(at: source) > 0: sources[source].limit = active(at: source)
        case .later: sources[source].isOut = true
        case .status, .lost:
            if progress == 0, active(at: source) > 0 {
                // It answers others: it does not want so many at once.
                sources[source].limit = active(at: source)
            } else if segments[index].position - max(request.first, given) >= Self.leastSplitSize {
                sources[source].losses = 0
            } else {
                sources[source].losses += max(1, attempts)
            }
            if !failure.mayPass || sources[source].losses >= settings.maximumTries { sources[source].isOut = true }
        }
        join()
        return []
    }

    /// Lets those at work have what follows and nobody has begun, if their responses go on that far: a request less.
    private mutating func join() {
        var joined: [Segment] = []
        for segment in segments {
            guard let last = joined.last, let end = segment.end, segment.worker == nil, segment.isUntouched,
                last.end == segment.start, reaches(last, end)
            else {
                joined.append(segment)
                continue
            }
            joined[joined.count - 1].end = end
        }
        segments = joined
    }

    private func reaches(_ segment: Segment, _ end: Int64) -> Bool {
        guard let worker = segment.worker else { return true }
        guard let request = workers[worker] else { return false }
        return request.end.map { $0 >= end } ?? true
    }

    /// A place has another file than the one that is being put together.
    private mutating func changed(_ source: Int) -> [Action] {
        let othersHaveIt = sources.indices.contains { $0 != source && sources[$0].isConfirmed && !sources[$0].isOut }
        guard !othersHaveIt else {
            sources[source].isOut = true
            join()
            return []
        }
        restarts += 1
        guard restarts <= Self.maximumRestarts else { return giveUp(.changed) }
        let cancelled = workers.keys.sorted().map(Action.cancel)
        workers = [:]
        startOver()
        given = 0
        for index in sources.indices {
            sources[index].validator = nil
            sources[index].resource = nil
            sources[index].isConfirmed = false
            // Servers with different tags behind one name never have two ranges of one file: the last time it is in one piece.
            sources[index].servesRanges = restarts < Self.maximumRestarts
        }
        return cancelled
    }

    private mutating func startOver() {
        if received > 0 { beginnings += 1 }
        given = max(given, received)
        isContinued = false
        total = nil
        segments = [Segment(0, nil)]
    }

    /// The file is what the response to this request brings, which is the only one. Of other places it is not known any more
    /// whether they have the same.
    private mutating func beginAnew(by number: Int, _ source: Int) {
        startOver()
        segments[0].worker = number
        workers[number]?.first = 0
        workers[number]?.end = nil
        for index in sources.indices where index == source || !settings.hasChecksum {
            sources[index].validator = nil
            sources[index].resource = nil
            sources[index].isConfirmed = false
        }
    }

    private mutating func giveUp(_ failure: Failure) -> [Action] {
        isOver = true
        return workers.keys.sorted().map(Action.cancel) + [.fail(failure)]
    }
}
