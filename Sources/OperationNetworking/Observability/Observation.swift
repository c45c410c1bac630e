// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

#if Logging
    internal import Logging
#endif
#if Metrics
    internal import Metrics
#endif
#if Tracing
    internal import Tracing
#endif

/// What swift-log, swift-metrics and swift-distributed-tracing are told of an operation, with the package traits `Logging`,
/// `Metrics` and `Tracing`. Without them it is empty, and none of its functions does anything.
struct Observation {
    #if Tracing
        /// Where the operation was made.
        let parent = ServiceContext.current
        var span: (any Span)?
    #endif
    #if Logging || Metrics
        /// When the first attempt began.
        var start: UInt64?
    #endif

    /// An operation, as those who collect such things want to know it. No user name, password, query or field.
    struct Facts {
        var method: String
        /// Without user name, password, query and fragment.
        var url: String
        var host: String
        var port: Int?
        var status: Int?
        var error: (any Error)?
        var attempts: Int
        var bytesReceived: Int64?

        /// What names the kind of an error, of which there are few.
        var errorType: String? {
            guard let error else { return status.flatMap { $0 >= 400 ? "\($0)" : nil } }
            let bridged = error as NSError
            return "\(bridged.domain) \(bridged.code)"
        }
    }
}

extension URLConnectionOperation {
    /// The first attempt begins.
    func beginObservation() {
        #if Tracing
            let facts = observedFacts
            let parent = lock.withLock { _observation.parent }
            let span = startSpan(facts.method, context: parent ?? .topLevel, ofKind: .client)
            span.attributes["http.request.method"] = facts.method
            span.attributes["url.full"] = facts.url
            span.attributes["server.address"] = facts.host
            if let port = facts.port { span.attributes["server.port"] = port }
            lock.withLock { _observation.span = span }
        #endif
        #if Logging || Metrics
            let now = MonotonicClock.now
            lock.withLock { _observation.start = now }
        #endif
    }

    /// The operation has finished. One that never began is of no interest.
    func endObservation() {
        #if Logging || Metrics || Tracing
            let facts = observedFacts
        #endif
        #if Tracing
            if let span = lock.withLock({ _observation.span.take() }) {
                if let status = facts.status { span.attributes["http.response.status_code"] = status }
                if facts.attempts > 1 { span.attributes["http.request.resend_count"] = facts.attempts - 1 }
                if let type = facts.errorType {
                    span.attributes["error.type"] = type
                    span.setStatus(SpanStatus(code: .error))
                }
                if let error = facts.error { span.recordError(error) }
                span.end()
            }
        #endif
        #if Logging || Metrics
            guard let start = lock.withLock({ _observation.start.take() }) else { return }
            let nanoseconds = Int64(clamping: MonotonicClock.now &- start)
        #endif
        #if Metrics
            var dimensions = [("http.request.method", facts.method)]
            if let status = facts.status { dimensions.append(("http.response.status_code", "\(status)")) }
            if let type = facts.errorType { dimensions.append(("error.type", type)) }
            Metrics.Timer(label: "http.client.request.duration", dimensions: dimensions).recordNanoseconds(nanoseconds)
            Counter(label: "http.client.requests", dimensions: dimensions).increment()
            if facts.attempts > 1 {
                Counter(label: "http.client.resends", dimensions: [("http.request.method", facts.method)])
                    .increment(by: facts.attempts - 1)
            }
            if let bytes = facts.bytesReceived {
                Recorder(label: "http.client.response.size", dimensions: dimensions).record(bytes)
            }
        #endif
        #if Logging
            guard let logger = NetworkEngine.logger else { return }
            var metadata: Logger.Metadata = [
                "http.request.method": "\(facts.method)", "url.full": "\(facts.url)",
                "duration_ms": "\(nanoseconds / 1_000_000)", "attempts": "\(facts.attempts)",
            ]
            if let status = facts.status { metadata["http.response.status_code"] = "\(status)" }
            if let type = facts.errorType { metadata["error.type"] = "\(type)" }
            logger.log(level: facts.errorType == nil ? .debug : .info, "request finished", metadata: metadata)
        #endif
    }

    /// Adds the fields by which a server knows what its work is part of, `traceparent` for one (W3C Trace Context).
    func addTraceFields(to headers: inout [HeaderField]) {
        #if Tracing
            guard let context = lock.withLock({ _observation.span?.context }) else { return }
            InstrumentationSystem.instrument.inject(context, into: &headers, using: HeaderFieldInjector())
        #endif
    }

    #if Logging || Metrics || Tracing
        var observedFacts: Observation.Facts {
            lock.withLock {
                let url = _request.url
                var shown = url.flatMap { URLComponents(url: $0.withoutUserInfo, resolvingAgainstBaseURL: true) }
                shown?.query = nil
                shown?.fragment = nil
                return Observation.Facts(
                    method: _request.httpMethod ?? "GET", url: shown?.string ?? "", host: url?.host ?? "",
                    port: url?.port, status: _reception.head?.statusCode, error: _reception.error,
                    attempts: (_reception.measured?.attempts.count ?? 0) + 1,
                    bytesReceived: _reception.measured?.timings.bytesReceived)
            }
        }
    #endif
}

#if Tracing
    private struct HeaderFieldInjector: Injector {
        func inject(_ value: String, forKey key: String, into headers: inout [HeaderField]) {
            guard key.isToken, !headers.contains(where: { $0.name.isFieldName(key) }) else { return }
            headers.append(HeaderField(key, value))
        }
    }
#endif
