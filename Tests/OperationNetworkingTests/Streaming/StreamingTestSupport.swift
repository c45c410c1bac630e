// SPDX-License-Identifier: MIT
import Foundation
import NetworkingSupport
import TestServer

@testable import OperationNetworkingCore
@testable import OperationNetworkingSerialization

extension AsyncSequence {
    /// All elements, and the error that ended them.
    func collected() async -> (elements: [Element], error: (any Error)?) {
        var elements: [Element] = []
        do {
            for try await element in self { elements.append(element) }
            return (elements, nil)
        } catch {
            return (elements, error)
        }
    }
}

extension TestServer {
    /// Bytes of responses that the kernel has taken, once that is no more for a while.
    func bytesSentAtStandstill() async throws -> Int {
        var sent = -1
        try await eventually("a standstill") {
            let now = connections.map(\.sentBytes).reduce(0, +)
            defer { sent = now }
            try await Task.sleep(for: .milliseconds(100))
            return now > 0 && now == sent
        }
        return sent
    }
}

/// A sequence whose elements the test hands out: each waits until it is asked for.
struct HandedOut<Element: Sendable>: AsyncSequence, Sendable {
    let elements: [Element]
    var error: TimedOutWaiting?
    /// Elements asked for so far.
    let asked = Tally()

    struct Iterator: AsyncIteratorProtocol {
        var rest: ArraySlice<Element>
        let error: TimedOutWaiting?
        let asked: Tally

        mutating func next() async throws -> Element? {
            asked.increment()
            if rest.isEmpty, let error { throw error }
            return rest.popFirst()
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(rest: elements[...], error: error, asked: asked) }
}
