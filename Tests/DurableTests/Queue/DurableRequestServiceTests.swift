// SPDX-License-Identifier: MIT
#if ServiceLifecycle
    import Foundation
    import Logging
    import OperationNetworking
    import ServiceLifecycle
    import TestServer
    import Testing

    @testable import OperationNetworkingDurable

    @Suite(.timeLimit(.minutes(1)))
    struct DurableRequestServiceTests {
        private let setup: DurableSetup

        init() throws {
            setup = try DurableSetup()
        }

        private func group(_ service: DurableRequestService) -> ServiceGroup {
            ServiceGroup(
                configuration: .init(
                    services: [service], gracefulShutdownSignals: [.sigusr2], logger: Logger(label: "tests")))
        }

        @Test func aSignalLetsEndWhatRuns() async throws {
            let gate = Gate()
            setup.server.respondToOthers { _ in .stalled(until: gate) }
            let queue = setup.queue { $0.maximumConcurrentRequests = 1 }
            let ids = [
                try await queue.add(setup.request("/first")), try await queue.add(setup.request("/second")),
            ]
            let services = group(DurableRequestService(queue))
            let run = Task { try await services.run() }
            _ = try await setup.server.nextRequest()
            #expect(kill(getpid(), SIGUSR2) == 0)
            // It waits for the one that runs, and begins no other.
            _ = try await eventually {
                queue.run.withLock { $0 }?.state.withLock { $0.phase }
            } until: {
                $0 == .draining
            }
            #expect(try await queue.result(of: ids[0])?.state == .running)
            gate.open()
            try await run.value
            #expect(try await queue.result(of: ids[0])?.state == .succeeded)
            #expect(try await queue.result(of: ids[1])?.state == .ready)
        }

        @Test func itWaitsForMoreUntilItIsShutDown() async throws {
            setup.server.respondToOthers { _ in .ok("x") }
            let queue = setup.queue()
            let services = group(DurableRequestService(queue))
            let run = Task { try await services.run() }
            for path in ["/a", "/b"] {
                let id = try await queue.add(setup.request(path))
                _ = try await eventually {
                    try await queue.result(of: id)?.state
                } until: {
                    $0 == .succeeded
                }
            }
            await services.triggerGracefulShutdown()
            try await run.value
        }

        @Test func whatTakesTooLongIsGivenBack() async throws {
            let gate = Gate()
            defer { gate.open() }
            setup.server.respondToOthers { _ in .stalled(until: gate) }
            let queue = setup.queue()
            let id = try await queue.add(setup.request("/stuck"))
            let services = group(DurableRequestService(queue, drainTimeout: 0.05))
            let run = Task { try await services.run() }
            _ = try await setup.server.nextRequest()
            await services.triggerGracefulShutdown()
            try await run.value
            #expect(try await queue.result(of: id)?.state == .ready)
        }
    }
#endif
