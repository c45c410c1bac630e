// SPDX-License-Identifier: MIT
import Foundation
import NetworkingTransport
import Testing

@testable import OperationNetworkingCore

@Suite("Content shared by attempts", .timeLimit(.minutes(1))) struct ResumableContentTests {
    /// What the network thread starts in a pass begins before what other threads have started and paused.
    @Test("An attempt that was paused before it began does not stop the one after it")
    func overtaken() async {
        let operation = HTTPRequestOperation.make()
        let configuration = operation.presentConfiguration
        let content = ResumableContent(configuration: configuration, url: operation.request.url)
        let attempts = (1...2).map {
            RequestAttempt(
                operation: operation, number: $0, request: operation.request, target: nil,
                configuration: configuration, content: content)
        }
        let stops: [RequestAttempt.Stop?] = await withCheckedContinuation { continuation in
            Runtime.current.onNetworkThread {
                content.claim(for: attempts[1])
                content.claim(for: attempts[0])
                content.claim(for: attempts[1])
                continuation.resume(returning: attempts.map(\.stop))
            }
        }
        #expect(stops == [.paused, nil])
    }

    @Test("Nothing opens a stream again that was let go of while the news of a pause was under way")
    func discarded() async {
        let operation = HTTPRequestOperation.make()
        let access = ResponseStreamAccess(operation)
        let configuration = operation.presentConfiguration
        let content = ResumableContent(configuration: configuration, url: operation.request.url)
        let attempt = RequestAttempt(
            operation: operation, number: 1, request: operation.request, target: nil, configuration: configuration,
            content: content)
        let stop = await withCheckedContinuation { continuation in
            Runtime.current.onNetworkThread {
                content.claim(for: attempt)
                content.discard()
                continuation.resume(returning: attempt.stop)
            }
        }
        #expect(stop == .paused)
        #expect(!access.stream.holdsAttempt)
    }
}
