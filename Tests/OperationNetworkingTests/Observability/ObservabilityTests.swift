// SPDX-License-Identifier: MIT
#if Logging && Metrics && Tracing
    import Foundation
    import TestServer
    import Testing

    @testable import OperationNetworkingCore

    /// What the package traits `Logging`, `Metrics` and `Tracing` tell a program: `ObservationFixture`.
    @Suite("Log, metrics and traces", .timeLimit(.minutes(1))) struct ObservabilityTests {
        @Test("Requests are logged on request, counted, timed and traced, without secrets; the server gets the context")
        func program() throws {
            let server = try TestServer()
            let count = Tally()
            server.respond(to: "/a") { _ in count.increment() == 1 ? .status(503) : .ok("fine") }
            server.respond(to: "/fine", .ok("fine"))
            server.respond(to: "/broken", .status(500))
            let base = "http://ada:secret@127.0.0.1:\(server.port)"
            let data = try ExternalProgram(path: FixtureProgram.url("ObservationFixture").path).run([base])
            let output = String(decoding: data, as: UTF8.self)
            let lines = output.split(separator: "\n").map(String.init)
            let url = "http://127.0.0.1:\(server.port)"

            // One operation was logged in full, and two only if they failed.
            let logged = lines.filter { $0.hasPrefix("log ") }
            #expect(logged.filter { $0.hasPrefix("log trace ") && $0.contains("url.full=\(url)/fine") }.count >= 5)
            #expect(
                logged.filter { $0.hasPrefix("log debug request finished") } == [
                    "log debug request finished: attempts=1 http.request.method=GET http.response.status_code=200 "
                        + "url.full=\(url)/fine"
                ])
            #expect(
                logged.last == "log info request finished: attempts=1 error.type=500 http.request.method=GET "
                    + "http.response.status_code=500 url.full=\(url)/broken")

            let spans = lines.filter { $0.hasPrefix("span GET client ") }
            #expect(spans.count == 5 && lines.contains("open spans: 0"))
            let first = try #require(spans.first { $0.contains("/a\")") }, "\(spans)")
            #expect(first.hasPrefix("span GET client below work, ok:"), "\(first)")
            #expect(first.contains("resend_count=int64(1)") && first.contains("status_code=int64(200)"))
            #expect(spans.contains { $0.hasPrefix("span GET client below none, error:") && $0.contains("/broken\")") })
            let sent = server.requests.filter { $0.path == "/a" }
            #expect(sent.count == 2)
            for request in sent {
                let trace = try #require(request["in-memory-trace-id"])
                let span = try #require(request["in-memory-span-id"])
                #expect(first.hasSuffix("trace \(trace) id \(span)"))
            }

            #expect(
                lines.contains("counter http.client.requests http.request.method=GET http.response.status_code=200: 4"))
            #expect(
                lines.contains(
                    "counter http.client.requests http.request.method=GET http.response.status_code=500 error.type=500: 1"
                ))
            #expect(lines.contains("counter http.client.resends http.request.method=GET: 1"))
            #expect(lines.contains("timer http.client.request.duration: 4"))
            #expect(!output.contains("secret") && !output.contains("ada"))
        }

        @Test("Content that the serializer refuses is an error; a refused status is one by its number")
        func refusedContent() async throws {
            let server = try TestServer()
            server.respond(to: "/fine", .json("{}"))
            server.respond(to: "/text", .ok("text"))
            server.respond(to: "/cut", .json("{"))
            server.respond(to: "/broken", .json("{", status: 500))
            let types: [(path: String, type: String?)] = [
                ("/fine", nil), ("/text", "\(URLResponseSerializationErrorDomain) -1016"),
                ("/cut", "\(URLResponseSerializationErrorDomain) -1017"), ("/broken", "500"),
            ]
            for (path, type) in types {
                let operation = HTTPRequestOperation.make(server.url(path))
                operation.responseSerializer = JSONResponseSerializer()
                await operation.run()
                let facts = operation.observedFacts
                #expect(facts.errorType == type && facts.status == (path == "/broken" ? 500 : 200), "\(path)")
            }
            let unsent = HTTPRequestOperation.make()
            await unsent.run()
            #expect(unsent.observedFacts.errorType == "NSURLErrorDomain -1002")
        }
    }
#endif
