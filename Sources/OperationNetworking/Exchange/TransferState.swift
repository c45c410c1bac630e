internal import Dispatch
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport
internal import Synchronization

/// What the attempts of one operation share: where its content goes, and which representation it is a part of.
// Sendable because everything mutable is touched on the network thread only, or before the first attempt.
final class TransferState: @unchecked Sendable {
    /// Where content goes; nil until a response counts, so that it can be chosen until then.
    private(set) var sink: (any ResponseSink)?
    /// The sink when it collects in memory: whose data become `responseData`.
    private(set) var memory: MemorySink?
    /// The attempt that may write: events of an earlier one are dropped.
    private let activeAttempt = Atomic<UInt>(0)
    /// The first attempt finds nothing here, so nothing of an earlier one has to come to rest before it begins.
    private let firstAttempt = Atomic<UInt>(0)
    /// What the request's stream was handed to.
    private var usedSource: StreamBodySource?
    /// What a resumed attempt asks for the rest of; nil: it has to start over. Worked out when somebody asks, since
    /// hardly any response is ever continued.
    var representation: Representation? {
        get {
            if let (head, method) = source {
                known = Representation(head: head, method: method)
                source = nil
            }
            return known
        }
        set {
            known = newValue
            source = nil
        }
    }
    private var known: Representation?
    private var source: (head: ResponseHead, method: String)?

    /// For a download this looks at the disk for a partial file of the same URL.
    ///
    /// - Parameter url: What is asked for; most requests need not say.
    init(configuration: URLConnectionOperation.Configuration, url: @autoclosure () -> URL?) {
        guard let destination = configuration.downloadDestination else { return }
        useFile(destination, PartialFile(destination, of: url()))
    }

    /// The state of an archived operation that had received a part in memory.
    init(configuration: URLConnectionOperation.Configuration, resumed: Representation, content: Data) {
        known = resumed
        let memory = MemorySink(limit: configuration.maximumBufferedLength, content: content)
        self.memory = memory
        sink = memory
    }

    /// The sink, chosen now if it was not before, and reporting to `events`.
    ///
    /// - Parameter url: What was asked for at first.
    func openSink(
        _ configuration: URLConnectionOperation.Configuration, _ events: any ResponseSinkEvents, url: URL?
    ) -> any ResponseSink {
        let sink = self.sink ?? makeSink(configuration, url: url)
        sink.open(events)
        return sink
    }

    private func makeSink(_ configuration: URLConnectionOperation.Configuration, url: URL?) -> any ResponseSink {
        if let destination = configuration.downloadDestination {
            // Chosen after the request was sent: too late to ask for the rest of a partial file.
            return useFile(destination, PartialFile(clean: destination, of: url))
        }
        if let stream = configuration.outputStream {
            let sink = BufferedSink(writer: OutputStreamWriter(stream), label: "OperationNetworking.outputStream")
            self.sink = sink
            return sink
        }
        let memory = MemorySink(limit: configuration.maximumBufferedLength)
        self.memory = memory
        sink = memory
        return memory
    }

    @discardableResult
    private func useFile(_ destination: DownloadDestination, _ partial: PartialFile) -> any ResponseSink {
        known = partial.representation
        let sink = BufferedSink(
            writer: DownloadWriter(destination, partial: partial), offset: partial.representation?.offset ?? 0,
            label: "OperationNetworking.download")
        self.sink = sink
        return sink
    }

    /// Content of a new representation begins.
    func begin(_ head: ResponseHead, method: String, as form: ContentForm) {
        source = (head, method)
        sink?.begin(memory == nil ? representation : nil, as: form)
    }

    /// Makes an attempt the one that counts.
    func activate(_ attempt: UInt) {
        _ = firstAttempt.compareExchange(expected: 0, desired: attempt, ordering: .relaxed)
        activeAttempt.store(attempt, ordering: .releasing)
    }

    func isCurrent(_ attempt: UInt) -> Bool {
        activeAttempt.load(ordering: .acquiring) == attempt
    }

    func isFirst(_ attempt: UInt) -> Bool {
        firstAttempt.load(ordering: .relaxed) == attempt
    }

    /// What was received in memory so far, and what it is a part of; nil when it could not be continued. Waits for the
    /// network thread, whose the content is.
    func snapshot() -> (content: Data, representation: Representation)? {
        let engine = TransportEngine.shared
        guard !engine.isCurrentThread else { return takeSnapshot() }
        let result = Locked<(content: Data, representation: Representation)?>(nil)
        let done = DispatchSemaphore(value: 0)
        engine.perform { [self] in
            let snapshot = takeSnapshot()
            result.withLock { $0 = snapshot }
            done.signal()
        }
        done.wait()
        return result.withLock { $0 }
    }

    private func takeSnapshot() -> (content: Data, representation: Representation)? {
        guard let memory, let representation, memory.bytesAccepted > 0 else { return nil }
        return (memory.snapshot(), representation)
    }

    /// A source for the request's stream: the stream itself the first time, a replay of it later.
    ///
    /// - Throws: `URLError.requestBodyStreamExhausted` when the stream was sent once and cannot be sent again.
    func bodySource(for stream: InputStream, declaredLength: Int64?, url: URL?) throws -> StreamBodySource {
        let replayable = stream as? any ReplayableBodyStream
        let length = declaredLength ?? replayable?.contentLength
        let reopen: (@Sendable () -> InputStream?)? = replayable.flatMap { stream in
            guard stream.isReplayable else { return nil }
            let replay = ReplayMaker(stream)
            return { replay.make() }
        }
        guard let usedSource else {
            // The user gave the stream away with the request: from here on only the source reads it.
            nonisolated(unsafe) let stream = stream
            let source = StreamBodySource(stream: stream, contentLength: length, reopen: reopen)
            usedSource = source
            return source
        }
        // The transfer before failed in its handshake.
        if usedSource.isUntouched { return usedSource }
        guard let again = reopen?() else {
            throw URLError(
                .requestBodyStreamExhausted, url: url,
                reason: "the request's content has to be sent again, and its stream can be read only once; "
                    + "use data, a file or a multipart form instead")
        }
        nonisolated(unsafe) let replay = again
        return StreamBodySource(stream: replay, contentLength: length, reopen: reopen)
    }
}

/// Makes replays of a stream wherever one is needed.
// Sendable because a replayable stream's parts are immutable once it was handed over: making a replay does not touch
// the stream's position.
private final class ReplayMaker: @unchecked Sendable {
    private let stream: any ReplayableBodyStream

    init(_ stream: any ReplayableBodyStream) {
        self.stream = stream
    }

    func make() -> InputStream? {
        try? stream.makeReplay()
    }
}

/// A selected representation of a resource, as far as it tells whether the rest of it can be asked for later
/// (RFC 9110, sections 13.1.5 and 14).
struct Representation: Sendable, Equatable, Codable {
    /// A strong entity tag, or a date: what `If-Range` is sent with.
    var validator: String
    /// All bytes, when known.
    var totalLength: Int64?
    /// Bytes that are here already, when restored from an archive or a partial file.
    var offset: Int64 = 0
    /// Which resource it is of: a digest of the URL. Only with a partial file, which may be found by a request for another
    /// URL; a validator says nothing across resources.
    var resource: String?

    /// The representation of a complete answer to a GET; nil when it cannot be continued.
    init?(head: ResponseHead, method: String) {
        guard method == "GET", head.statusCode == 200,
            ContentDecoder.codings(of: head).isEmpty,
            head.firstValue(for: "Accept-Ranges")?.lowercased() != "none",
            let validator = Self.validator(of: head)
        else { return nil }
        self.validator = validator
        totalLength = head.contentLength
    }

    init(validator: String, totalLength: Int64?, offset: Int64) {
        self.validator = validator
        self.totalLength = totalLength
        self.offset = offset
    }

    /// A strong entity tag, else the modification date; weak tags do not promise equal bytes.
    private static func validator(of head: ResponseHead) -> String? {
        if let tag = head.firstValue(for: "ETag") {
            if tag.hasPrefix("\""), tag.count > 2 { return tag }
            if tag.hasPrefix("W/") { return nil }
        }
        return head.firstValue(for: "Last-Modified")
    }

    /// Whether a 206 is the continuation of this representation from `offset`.
    func isContinued(by head: ResponseHead, from offset: Int64) -> Bool {
        guard head.statusCode == 206, let range = ContentRange(head: head), range.first == offset else { return false }
        let present = head.firstValue(for: validator.hasPrefix("\"") ? "ETag" : "Last-Modified")
        if let present, present != validator { return false }
        if let known = totalLength, let total = range.total, known != total { return false }
        return true
    }
}

/// `Content-Range` (RFC 9110, section 14.4) in the unit of bytes.
struct ContentRange: Equatable {
    /// Nil in the answer to a range that cannot be satisfied.
    var first: Int64?
    var last: Int64?
    /// Nil when the server does not know it.
    var total: Int64?

    init?(head: ResponseHead) {
        guard let value = head.firstValue(for: "Content-Range") else { return nil }
        self.init(value)
    }

    init?(_ value: String) {
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let halves = parts[1].split(separator: "/", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        guard halves.count == 2 else { return nil }
        if halves[1] != "*" {
            guard let total = Int64(halves[1]), total >= 0 else { return nil }
            self.total = total
        }
        if halves[0] != "*" {
            let ends = halves[0].split(separator: "-").map { Int64($0.trimmingCharacters(in: .whitespaces)) }
            guard ends.count == 2, let first = ends[0], let last = ends[1], first >= 0, last >= first else {
                return nil
            }
            if let total, last >= total { return nil }
            self.first = first
            self.last = last
        }
    }
}
