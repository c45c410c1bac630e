// SPDX-License-Identifier: MIT

/// Makes frames of what the board says, and remembers what speeds are computed from.
package struct FrameMaker: Sendable {
    private var meters: [Int: RateMeter] = [:]
    private var total = RateMeter()
    private var begin: ContinuousClock.Instant?

    package init() {}

    /// - Parameters:
    ///   - statuses: all entries.
    ///   - time: of this frame; never before that of the last one.
    package mutating func frame(
        of statuses: [DownloadStatus], at time: ContinuousClock.Instant, isStopping: Bool = false
    ) -> ProgressFrame {
        let start = begin ?? time
        begin = start
        var received: Int64 = 0
        var active: [(index: Int, status: DownloadStatus)] = []
        var counts = (success: 0, failure: 0, cancelled: 0)
        for (index, status) in statuses.enumerated() {
            switch status.state {
            case .waiting: break
            case .checking, .active: active.append((index, status))
            case .done: counts.success += 1
            case .skipped: counts.success += 1
            case .failed: counts.failure += 1
            case .cancelled: counts.cancelled += 1
            }
            received += status.receivedBytes
        }
        total.note(received, at: time)
        let order = active.sorted {
            ($0.status.started ?? time, $0.index) < ($1.status.started ?? time, $1.index)
        }
        var present: [Int: RateMeter] = [:]
        let rows = order.map { index, status in
            var meter = meters[index] ?? RateMeter()
            meter.note(status.bytes, at: time)
            present[index] = meter
            return ProgressFrame.Row(
                name: status.entry.output, isCheck: status.state == .checking, bytes: status.bytes,
                totalBytes: status.totalBytes, rate: meter.rate)
        }
        meters = present
        return ProgressFrame(
            rows: rows, entryCount: statuses.count, successCount: counts.success, failureCount: counts.failure,
            cancelledCount: counts.cancelled, received: received, rate: total.rate, elapsed: time - start,
            isStopping: isStopping, overall: Overall(statuses))
    }
}

extension DownloadStatus {
    /// Bytes that came in this run.
    package var receivedBytes: Int64 {
        switch state {
        case .waiting, .checking, .skipped: 0
        case .active, .done, .failed, .cancelled: max(0, bytes - resumedFrom)
        }
    }
}
