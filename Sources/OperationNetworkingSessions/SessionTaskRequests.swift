// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking

/// The requests of a task: the first, redirected ones, and those that answer a challenge.
struct SessionTaskRequests: Sendable {
    /// The request that went out last, or that the client has changed. Nil: as the task's original one.
    private(set) var current: URLRequest?
    /// The client is asked what a request depends on, or has answered, and nothing has gone out since then.
    private(set) var isAsked = false
    private var count = 0

    mutating func noteQuestion() { isAsked = true }

    /// A request goes out. The first is not shown: the configuration has added to it what the user's has not.
    mutating func send(_ request: URLRequest) {
        isAsked = false
        count += 1
        if count > 1 { current = request }
    }

    /// A loader that is no operation goes on with another request.
    mutating func goOn(with request: URLRequest) { current = request }
}
