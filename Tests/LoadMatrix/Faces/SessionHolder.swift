// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking
import TestServer

/// A session of a cell. When the last call that uses it has let go of it, it becomes invalid after its tasks' ends.
final class SessionHolder: Sendable {
    let session: OperationURLSession
    /// The same, as code sees it that knows Foundation's type only.
    var variable: URLSession { session }
    let delegate: SessionDelegate?
    /// Somebody is about to invalidate it.
    let isEnding = Guarded(false)

    init(_ context: CellContext, hasDelegate: Bool) {
        delegate = hasDelegate ? SessionDelegate(context.ledger, mayEndEarly: context.cell.weather == .invalidate) : nil
        session = OperationURLSession(
            configuration: context.makeConfiguration(), delegate: delegate,
            securityPolicy: context.securityPolicy)
    }

    deinit { session.finishTasksAndInvalidate() }
}

extension Replaceable where Object == SessionHolder {
    /// The session for the next call. In cells where sessions are invalidated, one that was replaced is.
    func nextSession(_ call: Call, mayInvalidate: Bool, _ weather: Weather) -> SessionHolder {
        let (holder, old) = next()
        if mayInvalidate, weather == .invalidate, let old {
            old.isEnding.withLock { $0 = true }
            if call.choice % 2 == 0 {
                old.session.invalidateAndCancel()
            } else {
                old.session.finishTasksAndInvalidate()
            }
        }
        return holder
    }
}

/// Collects what the tasks of a session are told.
final class SessionDelegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
    private struct Record {
        let call: Call
        /// The task may have been made of a session that was invalid by then: its delegate may be told nothing.
        let mayBeLate: Bool
        var data = Data()
        var isFile = false
        var ends = 0
    }

    /// The ends of tasks in a session that may be invalidated by others.
    private struct Ends {
        /// Tasks whose end somebody has.
        var known: Set<Int> = []
        /// Of tasks that were cancelled with their session before somebody expected anything of them.
        var early: [Int: any Error] = [:]
    }

    private let records = Guarded<[Int: Record]>([:])
    /// Nil: nobody but the caller ends a task.
    private let ends: Guarded<Ends>?
    private let ledger: Ledger
    private let invalidations = Guarded(0)
    private static let late = URLError(.resourceUnavailable)

    init(_ ledger: Ledger, mayEndEarly: Bool) {
        self.ledger = ledger
        ends = mayEndEarly ? Guarded(Ends()) : nil
    }

    func expect(_ task: URLSessionTask, _ call: Call, mayBeLate: Bool) {
        if mayBeLate, invalidations.withLock({ $0 }) > 0 { return call.answer.give(Self.late) }
        records.withLock { $0[task.taskIdentifier] = Record(call: call, mayBeLate: mayBeLate) }
        // It may have been cancelled in between.
        if let error = ends?.withLock({ $0.early.removeValue(forKey: task.taskIdentifier) }),
            records.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) != nil
        {
            return call.answer.give(error)
        }
        // It may have become invalid in between.
        if mayBeLate, invalidations.withLock({ $0 }) > 0,
            records.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) != nil
        {
            call.answer.give(Self.late)
        }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let record = records.withLock { records in
            records[dataTask.taskIdentifier]?.data.append(data)
            return records[dataTask.taskIdentifier]
        }
        if let record, record.call.fate == .cancelledInside { dataTask.cancel() }
        if record == nil { ledger.found("data after the end, or of an unknown task") }
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask,
        didFinishDownloadingTo location: URL
    ) {
        let data = try? Content.of(file: location)
        records.withLock { records in
            records[downloadTask.taskIdentifier]?.isFile = true
            records[downloadTask.taskIdentifier]?.data = data ?? Data()
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
    ) {
        let call = records.withLock { $0[task.taskIdentifier]?.call }
        completionHandler(call.map { InputStream(data: $0.upload) })
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let identifier = task.taskIdentifier
        let isFirst = ends?.withLock { $0.known.insert(identifier).inserted } ?? true
        guard isFirst else { return ledger.found("a second end") }
        guard let record = end(of: identifier, error) else { return }
        if let error { return record.call.answer.give(error) }
        if task is URLSessionDownloadTask, !record.isFile {
            return record.call.answer.give(Unexpected("no file"))
        }
        record.call.answer.give(
            .content(record.data, status: (task.response as? HTTPURLResponse)?.statusCode))
    }

    /// Nil: nobody expects anything of the task, or not yet.
    private func end(of identifier: Int, _ error: (any Error)?) -> Record? {
        if let record = records.withLock({ $0.removeValue(forKey: identifier) }) { return record }
        guard let ends, let error else {
            ledger.found("a second end, or that of an unknown task")
            return nil
        }
        ends.withLock { $0.early[identifier] = error }
        // Or it has come meanwhile.
        guard let record = records.withLock({ $0.removeValue(forKey: identifier) }) else { return nil }
        ends.withLock { _ = $0.early.removeValue(forKey: identifier) }
        return record
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        if invalidations.withLock({
            $0 += 1
            return $0
        }) > 1 {
            ledger.found("a session became invalid twice")
        }
        let left = records.withLock { records in
            defer { records = [:] }
            return Array(records.values)
        }
        for record in left where record.mayBeLate { record.call.answer.give(Self.late) }
        let lost = left.filter { !$0.mayBeLate }.map(\.call.answer.name)
        if !lost.isEmpty { ledger.found("a session became invalid before the end of \(lost)") }
    }
}
