// SPDX-License-Identifier: MIT

/// The operation's life-cycle state. The raw values are AFNetworking's.
public enum OperationState: Int, Sendable, CaseIterable {
    /// Not running until `resume()`. The connection, if there was one, is closed.
    case paused = -1
    /// Not started, or resumed and waiting to be started again.
    case ready = 1
    /// Between `start()` and the end.
    case executing = 2
    /// Ended. Nothing changes any more.
    case finished = 3

    /// The key under which Foundation's queue learns of entering or leaving this state.
    var key: String {
        switch self {
        case .paused: "isPaused"
        case .ready: "isReady"
        case .executing: "isExecuting"
        case .finished: "isFinished"
        }
    }

    /// Returns true if an operation may go from this state to `next`.
    ///
    /// - Parameter isCancelled: a cancelled operation may end without having been executed, and a paused one that is
    ///   cancelled becomes ready again so that it can.
    func canTransition(to next: OperationState, isCancelled: Bool) -> Bool {
        switch (self, next) {
        case (.ready, .executing), (.ready, .paused): true
        case (.ready, .finished): isCancelled
        case (.executing, .paused), (.executing, .finished): true
        case (.paused, .ready): true
        case (.ready, .ready), (.executing, .executing), (.paused, .paused), (.finished, .finished): false
        case (.executing, .ready), (.paused, .executing), (.paused, .finished): false
        case (.finished, .paused), (.finished, .ready), (.finished, .executing): false
        }
    }
}
