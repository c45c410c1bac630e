// SPDX-License-Identifier: MIT
internal import NetworkingSupport

/// Takes the first of several answers to a question; the others are ignored.
package final class FirstAnswer<Answer>: Sendable {
    private let isGiven = Locked(false)
    private let take: @Sendable (Answer) -> Void

    package init(_ take: @escaping @Sendable (Answer) -> Void) {
        self.take = take
    }

    package func give(_ answer: Answer) {
        let isFirst = isGiven.withLock { isGiven in
            defer { isGiven = true }
            return !isGiven
        }
        if isFirst { take(answer) }
    }
}
