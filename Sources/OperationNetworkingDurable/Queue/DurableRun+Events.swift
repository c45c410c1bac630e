// SPDX-License-Identifier: MIT
internal import Foundation
internal import OperationNetworkingCore

extension DurableRun {
    /// After an outcome is in the store.
    func tell(_ finished: Finished, _ fate: RecordedOutcome) async {
        let id = finished.outcome.lease.id
        switch fate {
        case .leaseLost: queue.streams.yield(.lost(id))
        case .recorded(let state, let others):
            if queue.streams.isWatched {
                switch state {
                case .succeeded: queue.streams.yield(.finished(id, result(finished, state)))
                case .failed: queue.streams.yield(.failed(id, result(finished, state)))
                case .cancelled: queue.streams.yield(.cancelled(id))
                case .scheduled, .ready:
                    if case .retry(let delay, _) = finished.outcome.disposition, let failure = finished.summary.failure
                    {
                        queue.streams.yield(.retried(id, failure, delay: delay))
                    }
                case .waiting, .running, .skipped: break
                }
            }
            for other in others { await tell(other) }
        }
    }

    /// A request that the store has ended.
    func tell(_ other: EndedRequest) async {
        guard queue.streams.isWatched else { return }
        switch other.state {
        case .skipped: queue.streams.yield(.skipped(other.id))
        case .cancelled: queue.streams.yield(.cancelled(other.id))
        case .failed:
            // What the store knows of it; a failure of the store is the next call's to report.
            guard let result = try? await queue.result(of: other.id) else { return }
            queue.streams.yield(.failed(other.id, result))
        case .waiting, .scheduled, .ready, .running, .succeeded: break
        }
    }

    private func result(_ finished: Finished, _ state: DurableRequest.State) -> DurableRequestResult {
        let (leased, summary) = (finished.running.leased, finished.summary)
        return DurableRequestResult(
            id: leased.lease.id, group: leased.group, state: state,
            failures: leased.failures + (state == .failed ? 1 : 0), statusCode: summary.status, fields: summary.fields,
            url: summary.url, content: summary.content, failure: summary.failure,
            context: (try? RequestContent.decode(leased.content))?.context)
    }
}
