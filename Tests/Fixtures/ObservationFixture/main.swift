// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking

// What a program sees of its requests with the package traits Logging, Metrics and Tracing, whose systems are set up once
// in a process. Asks the server at the URL for /a, /fine and /broken, and prints what it was told.
#if Logging && Metrics && Tracing
    import InMemoryTracing
    import Logging
    import Metrics
    import MetricsTestKit
    import Tracing

    struct LineHandler: LogHandler {
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let fields = (event.metadata ?? [:]).filter { $0.key != "duration_ms" }
            let text = fields.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: " ")
            print("log \(event.level) \(event.message): \(text)")
        }
    }

    func run(_ path: String, policy: RetryPolicy? = nil, pauses: Bool = false) async {
        guard let base = CommandLine.arguments.dropFirst().first, let url = URL(string: base + path) else { exit(2) }
        let operation = HTTPRequestOperation(request: URLRequest(url: url))
        operation.completionQueue = DispatchQueue(label: "fixture")
        operation.responseSerializer = HTTPResponseSerializer()
        operation.retryPolicy = policy
        if pauses {
            // Before it is sent.
            operation.setRedirectResponseBlock { operation, request, _ in
                operation.pause()
                operation.resume()
                return request
            }
        }
        operation.start()
        _ = try? await operation.value()
    }

    let metrics = TestMetrics()
    let tracer = InMemoryTracer()
    MetricsSystem.bootstrap(metrics)
    InstrumentationSystem.bootstrap(tracer)

    await withSpan("work") { _ in await run("/a?key=secret", policy: RetryPolicy(backoff: .none)) }
    var logger = Logger(label: "fixture") { _ in LineHandler() }
    logger.logLevel = .trace
    NetworkEngine.logger = logger
    await run("/fine?key=secret#secret")
    logger.logLevel = .info
    NetworkEngine.logger = logger
    await run("/fine")
    await run("/broken")
    await run("/fine", pauses: true)

    for span in tracer.finishedSpans {
        var facts: [String] = []
        span.attributes.forEach { facts.append("\($0)=\($1)") }
        let parent = tracer.finishedSpans.first { $0.spanID == span.spanContext.parentSpanID }?.operationName
        print(
            "span \(span.operationName) \(span.kind) below \(parent ?? "none"), \(span.status.map { "\($0.code)" } ?? "ok"):",
            facts.sorted().joined(separator: " "), "trace \(span.traceID) id \(span.spanID)")
    }
    print("open spans: \(tracer.activeSpans.count)")
    for counter in metrics.counters {
        let facts = counter.dimensions.map { "\($0.0)=\($0.1)" }.joined(separator: " ")
        print("counter \(counter.label) \(facts): \(counter.totalValue)")
    }
    for timer in metrics.timers where timer.values.allSatisfy({ $0 > 0 }) {
        print("timer \(timer.label): \(timer.values.count)")
    }
#else
    print("built without the traits")
    exit(3)
#endif
