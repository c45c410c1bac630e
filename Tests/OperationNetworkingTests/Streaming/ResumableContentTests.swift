// SPDX-License-Identifier: MIT
import Foundation
import NetworkingTransport
import Testing

@testable import OperationNetworking

@Suite("Content shared by attempts", .timeLimit(.minutes(1))) struct ResumableContentTests {
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
