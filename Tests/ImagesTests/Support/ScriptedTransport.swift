// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import NetworkingSupport

@testable import OperationNetworkingImages

/// Transfers that end when the test says so.
final class ScriptedTransport: ImageTransport {
    final class Transfer: ImageTransfer {
        typealias Completion = @Sendable (Result<ImageTransferResult, any Error>) -> Void

        private struct State {
            var completion: Completion?
            var isStarted = false
            var isCancelled = false
        }

        let request: URLRequest
        private let endsWhenCancelled: Bool
        private let state: Locked<State>

        init(_ request: URLRequest, endsWhenCancelled: Bool, _ completion: @escaping Completion) {
            self.request = request
            self.endsWhenCancelled = endsWhenCancelled
            state = Locked(State(completion: completion))
        }

        var isRunning: Bool { state.withLock { $0.isStarted && $0.completion != nil } }
        var isCancelled: Bool { state.withLock { $0.isCancelled } }

        func start() {
            state.withLock { $0.isStarted = true }
            if isCancelled, endsWhenCancelled { end(.failure(URLError(.cancelled))) }
        }

        func cancel() {
            state.withLock { $0.isCancelled = true }
            if isRunning, endsWhenCancelled { end(.failure(URLError(.cancelled))) }
        }

        func end(_ result: Result<ImageTransferResult, any Error>) {
            let completion = state.withLock { $0.completion.take() }
            completion?(result)
        }
    }

    let hasCache: Bool
    private let endsWhenCancelled: Bool
    private let all = Locked<[Transfer]>([])

    init(hasCache: Bool = false, endsWhenCancelled: Bool = true) {
        self.hasCache = hasCache
        self.endsWhenCancelled = endsWhenCancelled
    }

    var transfers: [Transfer] { all.withLock { $0 } }
    var running: [Transfer] { transfers.filter(\.isRunning) }

    func makeTransfer(
        for request: URLRequest, thumbnailSize: Int?, completion: @escaping Transfer.Completion
    ) -> any ImageTransfer {
        let transfer = Transfer(request, endsWhenCancelled: endsWhenCancelled, completion)
        all.withLock { $0.append(transfer) }
        return transfer
    }
}
