// SPDX-License-Identifier: MIT
import Foundation
import OperationNetworking

extension Call {
    /// What a face's content should be.
    enum Expectation: Sendable {
        case bytes(Data)
        /// The face checks it itself.
        case checked
    }

    /// Counts a reply; a wrong one is a finding. `isDisturbed`: what it went through may have been invalidated.
    func judge(_ reply: Reply, _ expected: Data, isDisturbed: Bool) {
        var tally = Tally(requests: 1)
        switch reply {
        case .content(let data, let status):
            tally.bytes = data.count
            if let status, !isGood(status) {
                // A session's task tells a bad status as content.
                tally.failed = 1
                if !mustFail { ledger.found("status \(status) for \(answer.name)") }
            } else if mustFail {
                ledger.found("success, where content was cut off: \(answer.name), \(data.count) bytes")
            } else if data != expected {
                ledger.found("other content: \(answer.name): \(Self.difference(data, expected))")
            } else {
                tally.succeeded = 1
            }
        case .checked(let bytes):
            tally.bytes = bytes
            tally.succeeded = 1
            if mustFail { ledger.found("success, where content was cut off: \(answer.name)") }
        case .failure(let error as Unexpected):
            ledger.found("\(error): \(answer.name)")
        case .failure(let error):
            let isCancellation = Self.isCancellation(error)
            if isCancellation { tally.cancelled = 1 } else { tally.failed = 1 }
            if isCancellation, mayBeCancelled || isDisturbed { break }
            if isDisturbed, (error as? URLError)?.code == .resourceUnavailable { break }
            if !isCancellation, mustFail { break }
            ledger.found("failed: \(answer.name): \(error) \((error as NSError).userInfo)")
        }
        ledger.add(tally)
    }

    /// What was paused may have been continued by a range.
    private func isGood(_ status: Int) -> Bool {
        if case .paused = fate, status == 206 { return true }
        return status == 200
    }

    static func isCancellation(_ error: any Error) -> Bool {
        error is CancellationError || (error as NSError).code == NSURLErrorCancelled
    }

    static func difference(_ data: Data, _ expected: Data) -> String {
        let first = zip(data, expected).enumerated().first { $1.0 != $1.1 }?.offset
        return "\(data.count) bytes, \(expected.count) expected, "
            + (first.map { "differs at \($0)" } ?? "equal as far as both go")
    }
}
