// SPDX-License-Identifier: MIT
internal import Foundation
internal import OperationNetworking

// What becomes of entries.

extension Downloader {
    // MARK: One request

    func didEnd(_ index: Int, _ operation: HTTPRequestOperation, error: (any Error)?) {
        let outcome = outcome(of: index, error: error)
        let size = outcome == .done ? directory.size(of: entries[index]) : nil
        onEnd(board.end(index, outcome, bytes: size, statusCode: operation.response?.statusCode))
        settle(index, outcome)
    }

    private func outcome(of index: Int, error: (any Error)?) -> DownloadState {
        guard let error else { return .done }
        guard let cancelled = error as? URLError, cancelled.code == .cancelled else {
            return .failed(error.reason)
        }
        if let id = state.withLock({ $0.failedUpstreams[index] }) { return .cancelled(.dependency(id)) }
        // The library says which error of an upstream was the reason, not which upstream.
        if cancelled.userInfo[NSUnderlyingErrorKey] != nil, let reason = failedUpstream(of: index) {
            return .cancelled(reason)
        }
        return cancellation(of: index).map { .cancelled($0) } ?? .failed(cancelled.reason)
    }

    /// Why one that comes after others cannot be; nil: because of none of these.
    private func failedUpstream(of index: Int) -> DownloadState.Cancellation? {
        for id in entries[index].after {
            switch indices[id].map({ board[$0].state }) {
            case .failed?, .cancelled(.dependency)?: return .dependency(id)
            case .cancelled(.group(let failed))? where entries[index].group != nil:
                let isSameGroup = indices[id].map { entries[$0].group } == entries[index].group
                return isSameGroup ? .group(failed) : .dependency(id)
            case .cancelled(.group)?: return .dependency(id)
            default: continue
            }
        }
        return nil
    }

    private func cancellation(of index: Int) -> DownloadState.Cancellation? {
        let (isInterrupted, failedGroups) = state.withLock { ($0.isInterrupted, $0.failedGroups) }
        if let group = entries[index].group, let failed = failedGroups[group] { return .group(failed) }
        return isInterrupted ? .interrupted : nil
    }

    // MARK: Planned downloads

    func makeGate(_ index: Int, _ circumstances: PlannedDownload.Circumstances) -> GateOperation {
        let hold = GateHold()
        let download = PlannedDownload(entries[index], index: index, circumstances) { [self] end, bytes, statusCode in
            events.async { [self] in
                didEnd(index, end, bytes: bytes, statusCode: statusCode)
                hold.gate?.finish()
            }
        }
        // Whoever interrupted before found nothing to cancel.
        let isInterrupted = state.withLock { state in
            state.planned[index] = download
            return state.isInterrupted
        }
        if isInterrupted { download.cancel() }
        let gate = GateOperation { [self] in
            events.async { [self] in
                if let reason = failedUpstream(of: index) {
                    download.cancel()
                    state.withLock { state in
                        if case .dependency(let id) = reason { state.failedUpstreams[index] = id }
                    }
                } else {
                    board.begin(index, .active)
                    state.withLock { _ = $0.begun.insert(index) }
                }
                download.start()
            }
        }
        hold.gate = gate
        gate.name = entries[index].id
        return gate
    }

    private func didEnd(_ index: Int, _ end: PlannedDownload.End, bytes: Int64?, statusCode: Int?) {
        let outcome: DownloadState
        switch end {
        case .done: outcome = .done
        case .failed(let text): outcome = .failed(text)
        case .cancelled:
            let upstream = state.withLock { $0.failedUpstreams[index] }
            outcome = .cancelled(
                upstream.map { .dependency($0) } ?? failedUpstream(of: index) ?? cancellation(of: index) ?? .interrupted
            )
        }
        onEnd(board.end(index, outcome, bytes: bytes, statusCode: statusCode))
        let dependants = state.withLock { state -> [Downloader.Dependant] in
            state.planned[index] = nil
            state.begun.remove(index)
            let dependants = state.dependants.removeValue(forKey: index) ?? []
            guard !outcome.isSuccess, outcome != .cancelled(.interrupted) else { return [] }
            for dependant in dependants { state.failedUpstreams[dependant.index] = entries[index].id }
            return dependants
        }
        for dependant in dependants { dependant.operation.cancel() }
        settle(index, outcome)
    }

    // MARK: What follows for others

    private func settle(_ index: Int, _ outcome: DownloadState) {
        if places.release(host(of: index)) {
            for download in state.withLock({ state in state.begun.compactMap { state.planned[$0] } }) {
                download.placeBecameFree()
            }
        }
        guard case .failed = outcome, options.cancelsGroupOnFailure, let group = entries[index].group else { return }
        let (batch, planned) = state.withLock { state in
            if state.failedGroups[group] == nil { state.failedGroups[group] = entries[index].id }
            return (state.groups[group], state.planned.values.filter { $0.entry.group == group })
        }
        batch?.cancel()
        for download in planned { download.cancel() }
    }
}

/// The gate of a planned download, for the block that ends it: neither can be made before the other.
// Sendable because `gate` is written once, before the gate is in a queue, and only read from then on.
private final class GateHold: @unchecked Sendable {
    weak var gate: GateOperation?
}
