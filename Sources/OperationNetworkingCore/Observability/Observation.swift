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

/// The data of an operation for swift-log, swift-metrics and swift-distributed-tracing, with the package traits
/// `Logging`, `Metrics` and `Tracing`. Without them it is empty, and none of its functions does anything.
struct Observation {
    #if Tracing
        /// The context in which the operation was made.
        let parent = ServiceContext.current
        var span: (any Span)?
    #endif
    #if Logging || Metrics
        /// The time at which the first attempt began.
        var start: UInt64?
    #endif

    /// The target of an operation's request. No user name, password, query or fragment.
    struct Target {
        var url: String
        var host: String
        var port: Int?
    }

    /// The facts about an operation that logs, metrics and traces report.
    struct Facts {
        var method: String
        var status: Int?
        var error: (any Error)?
        var attempts: Int
        var bytesReceived: Int64?

        /// A name for the kind of an error, of which there are few.
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
            let (parent, method) = lock.withLock { (_observation.parent, _request.httpMethod ?? "GET") }
            let span = startSpan(method, context: parent ?? .topLevel, ofKind: .client)
            // Without a tracer, and for a span that the tracer leaves out, the attributes are not used.
            if span.isRecording {
                let target = observedTarget
                span.attributes["http.request.method"] = method
                span.attributes["url.full"] = target.url
                span.attributes["server.address"] = target.host
                if let port = target.port { span.attributes["server.port"] = port }
            }
            lock.withLock { _observation.span = span }
        #endif
        #if Logging || Metrics
            let now = MonotonicClock.now
            lock.withLock { _observation.start = now }
        #endif
        #if Tracing || Logging || Metrics
            // Cancelled meanwhile, and its end had nothing to tell.
            if lock.withLock({ _machine.state == .finished }) { endObservation() }
        #endif
    }

    /// The operation has finished. One that never began is of no interest.
    func endObservation() {
        #if Tracing
            if let span = lock.withLock({ _observation.span.take() }) {
                if span.isRecording { describeEnd(in: span) }
                span.end()
            }
        #endif
        #if Logging || Metrics
            guard let start = lock.withLock({ _observation.start.take() }) else { return }
            let nanoseconds = Int64(clamping: MonotonicClock.now &- start)
        #endif
        #if Metrics
            // Without a backend the measurements are not used.
            if !(MetricsSystem.factory is NOOPMetricsHandler) { measureEnd(after: nanoseconds) }
        #endif
        #if Logging
            if let logger = NetworkEngine.logger { logEnd(after: nanoseconds, with: logger) }
        #endif
    }

    #if Tracing
        private func describeEnd(in span: any Span) {
            let facts = observedFacts
            if let status = facts.status { span.attributes["http.response.status_code"] = status }
            if facts.attempts > 1 { span.attributes["http.request.resend_count"] = facts.attempts - 1 }
            if let type = facts.errorType {
                span.attributes["error.type"] = type
                span.setStatus(SpanStatus(code: .error))
            }
            if let error = facts.error { span.recordError(error) }
        }
    #endif

    #if Metrics
        private func measureEnd(after nanoseconds: Int64) {
            let facts = observedFacts
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
        }
    #endif

    #if Logging
        private func logEnd(after nanoseconds: Int64, with logger: Logger) {
            let facts = observedFacts
            let level = facts.errorType == nil ? Logger.Level.debug : .info
            guard logger.logLevel <= level else { return }
            var metadata: Logger.Metadata = [
                "http.request.method": "\(facts.method)", "url.full": "\(observedTarget.url)",
                "duration_ms": "\(nanoseconds / 1_000_000)", "attempts": "\(facts.attempts)",
            ]
            if let status = facts.status { metadata["http.response.status_code"] = "\(status)" }
            if let type = facts.errorType { metadata["error.type"] = "\(type)" }
            logger.log(level: level, "request finished", metadata: metadata)
        }
    #endif

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
                let status = _received.value.head?.statusCode
                // A refused status says itself what is wrong.
                let isRefused = status.map { $0 >= 400 } ?? false
                let refusal = isRefused ? nil : (self as? HTTPRequestOperation)?.knownSerializationFailure
                return Observation.Facts(
                    method: _request.httpMethod ?? "GET", status: status, error: _received.value.error ?? refusal,
                    attempts: (_received.value.measured?.attempts.count ?? 0) + 1,
                    bytesReceived: _received.value.measured?.timings.bytesReceived)
            }
        }

        var observedTarget: Observation.Target {
            let url = lock.withLock { _request.url }
            var shown = url.flatMap { URLComponents(url: $0.withoutUserInfo, resolvingAgainstBaseURL: true) }
            shown?.query = nil
            shown?.fragment = nil
            return Observation.Target(url: shown?.string ?? "", host: url?.host ?? "", port: url?.port)
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
