// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

/// The content of an operation's response as its attempts share it: its place, and the representation it is part of.
// Sendable because everything mutable is touched on the network thread only, or before it knows the first attempt.
final class ResumableContent: @unchecked Sendable {
    /// The place where content goes; nil until a response counts, so that it can be chosen until then.
    private(set) var sink: (any ResponseSink)?
    /// The sink when it collects in memory: its data become `responseData`.
    private(set) var memory: MemorySink?
    /// The attempt that writes.
    private weak var writer: RequestAttempt?
    /// Of all attempts that have written; an attempt's number is greater than those of the ones before it.
    private var lastWriter: UInt = 0
    private let runtime: any OperationRuntime
    /// The request's stream with what it was handed to: more than one where redirects brought others.
    private var sources: [(stream: InputStream, source: StreamBodySource)] = []
    /// The contents that attempts have left which were paused before anything was sent: the source of each would close
    /// the stream that this one's has, too.
    private var left: [ResumableContent] = []
    /// True if what is here came from the cache.
    var beganWithStored = false
    /// The representation whose rest a resumed attempt asks for; nil: it has to start over. Made when it is asked for,
    /// since hardly any response is ever continued.
    var representation: Representation? {
        get {
            if let (head, method, time) = source {
                known = Representation(head: head, from: beginning?.url, method: method, receivedAt: time)
                source = nil
            }
            return known
        }
        set {
            known = newValue
            source = nil
        }
    }
    /// The response that the content began with; nil: that of an earlier run of the program.
    private(set) var beginning: (head: ResponseHead, url: URL?)?
    private var known: Representation?
    private var source: (head: ResponseHead, method: String, time: Double)?

    /// For a download this looks at the disk for a partial file of the same URL.
    ///
    /// - Parameter url: What is asked for; most requests need not say.
    init(configuration shared: URLConnectionOperation.SharedConfiguration, url: @autoclosure () -> URL?) {
        runtime = shared.value.runtime ?? Runtime.current
        guard let destination = shared.value.downloadDestination else { return }
        useFile(destination, PartialFile(destination, of: url()), shared.value)
    }

    /// The state of an archived operation that had received a part in memory.
    init(configuration: URLConnectionOperation.Configuration, resumed: Representation, content: Data) {
        runtime = configuration.runtime ?? Runtime.current
        known = resumed
        let memory = MemorySink(limit: configuration.memoryLimit, content: content)
        self.memory = memory
        sink = memory
    }

    /// The sink, chosen now if it was not before, and reporting to `events`.
    ///
    /// - Parameter url: What was asked for at first.
    func openSink(
        _ shared: URLConnectionOperation.SharedConfiguration, _ events: any ResponseSinkEvents,
        url: @autoclosure () -> URL?
    ) -> any ResponseSink {
        if let stream = shared.value.stream { _ = adopt(stream, shared.value, as: .plain, events: events) }
        let sink = self.sink ?? makeSink(shared, url: url)
        sink.open(events)
        return sink
    }

    /// The sink when a task reads it.
    var stream: ResponseStream? { sink as? ResponseStream }

    /// Content that was collected in memory goes to a stream from now on. False: it was not, or must be decoded there.
    ///
    /// - Parameter form: in which the rest comes.
    func adopt(
        _ stream: ResponseStream, _ configuration: URLConnectionOperation.Configuration, as form: ContentForm,
        events: any ResponseSinkEvents
    ) -> Bool {
        guard let memory, memory.canContinue else { return false }
        stream.setLimit(configuration.limits.maximumResponseBodySize)
        stream.open(events)
        stream.takeOver(memory, form)
        self.memory = nil
        sink = stream
        return true
    }

    private func makeSink(
        _ shared: URLConnectionOperation.SharedConfiguration, url: () -> URL?
    ) -> any ResponseSink {
        if let destination = shared.value.downloadDestination {
            // Chosen after the request was sent: too late to ask for the rest of a partial file.
            return useFile(destination, PartialFile(clean: destination, of: url()), shared.value)
        }
        if let stream = shared.value.outputStream {
            let sink = BufferedSink(
                writer: OutputStreamWriter(stream), limit: shared.value.limits.maximumResponseBodySize,
                // A stream of the user's may block until its reader reads, which a simulated thread would prevent.
                queue: DispatchQueue(label: "OperationNetworking.outputStream", autoreleaseFrequency: .workItem),
                on: LiveRuntime())
            self.sink = sink
            return sink
        }
        if let stream = shared.value.stream {
            stream.setLimit(shared.value.limits.maximumResponseBodySize)
            sink = stream
            return stream
        }
        let memory = MemorySink(limit: shared.value.memoryLimit)
        self.memory = memory
        sink = memory
        return memory
    }

    @discardableResult
    private func useFile(
        _ destination: DownloadDestination, _ partial: PartialFile,
        _ configuration: URLConnectionOperation.Configuration
    ) -> any ResponseSink {
        known = partial.representation
        let sink = BufferedSink(
            writer: DownloadWriter(destination, partial: partial), offset: partial.representation?.offset ?? 0,
            limit: configuration.limits.maximumResponseBodySize, queue: BufferedSink.nextFileQueue, on: runtime)
        self.sink = sink
        return sink
    }

    /// Content of a new representation begins.
    ///
    /// - Parameter time: when its head came, in seconds since 1970.
    func begin(
        _ head: ResponseHead, from url: URL?, method: String, receivedAt time: Double, as form: ContentForm
    ) {
        beginning = (head, url)
        source = (head, method, time)
        sink?.begin(memory == nil ? representation : nil, as: form)
    }

    /// A response was received and read, and another one is to take its place: content begins as if it were the first.
    func forgetResponse() {
        sink = nil
        memory = nil
        beginning = nil
        known = nil
        source = nil
    }

    /// Returns true if another attempt can be made of what is here: nothing was handed to a stream that could not be
    /// continued, and the request's own stream can be read again.
    func canBeRepeated(sending stream: InputStream?) -> Bool {
        if let stream, needsAnother(for: stream) { return false }
        guard let sink, !sink.canRestart, !sink.isUntouched else { return true }
        return sink.canContinue && representation != nil
    }

    /// Makes an attempt the one that writes. One before it stops here, should the news of its pause still be under way.
    /// So does `attempt`, if one after it has come first: what the network thread gives itself to do overtakes what
    /// other threads give it, such as the start of an attempt and the news of its pause.
    func claim(for attempt: RequestAttempt) {
        guard writer !== attempt else { return }
        guard attempt.number > lastWriter else { return attempt.end(by: .paused) }
        writer?.end(by: .paused)
        writer = attempt
        lastWriter = attempt.number
    }

    /// Drops the content, because the operation failed or was dropped. The attempt that writes stops here, should the
    /// news of its pause still be under way.
    ///
    /// - Parameter completion: runs when nothing is written any more.
    func discard(_ completion: (@Sendable () -> Void)? = nil) {
        writer?.end(by: .paused)
        guard let sink else {
            completion?()
            return
        }
        sink.discard(completion)
    }

    /// The same, from any thread.
    func discardSoon() {
        runtime.onNetworkThread { [self] in discard() }
    }

    /// Bytes of the whole representation, when known.
    var totalLength: Int64? { representation?.totalLength }

    /// The content received in memory so far, and the representation that it is a part of; nil when it could not be
    /// continued. Waits for the network thread, to which the content belongs.
    func snapshot() -> (content: Data, representation: Representation)? {
        guard !runtime.isNetworkThread else { return takeSnapshot() }
        let result = Locked<(content: Data, representation: Representation)?>(nil)
        let done = DispatchSemaphore(value: 0)
        runtime.onNetworkThread { [self] in
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

    /// True if it has the request's stream.
    var hasSource: Bool { !sources.isEmpty }

    /// Keeps another attempt's content, whose source has the same stream, for as long as this one is there.
    func keep(_ other: ResumableContent) { left.append(other) }

    /// Returns true if a request with this stream can be sent only with another one in its place.
    func needsAnother(for stream: InputStream) -> Bool {
        guard let source = source(of: stream), !source.isUntouched else { return false }
        return (stream as? any ReplayableBodyStream)?.isReplayable != true
    }

    /// The client gives this stream to be read, be it one that was read before.
    func forgetSource(of stream: InputStream) { sources.removeAll { $0.stream === stream } }

    private func source(of stream: InputStream) -> StreamBodySource? {
        sources.first { $0.stream === stream }?.source
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
        guard let source = source(of: stream) else {
            let handed = stream
            // The user gave the stream away with the request: from here on only the source reads it.
            nonisolated(unsafe) let stream = stream
            let source = StreamBodySource(stream: stream, contentLength: length, reopen: reopen)
            sources.append((handed, source))
            return source
        }
        // The transfer before failed in its handshake.
        if source.isUntouched { return source }
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
private final class ReplayMaker: Sendable {
    // Safe because a replayable stream's parts are immutable once it was handed over: making a replay does not touch
    // the stream's position.
    private nonisolated(unsafe) let stream: any ReplayableBodyStream

    init(_ stream: any ReplayableBodyStream) {
        self.stream = stream
    }

    func make() -> InputStream? {
        try? stream.makeReplay()
    }
}
