// SPDX-License-Identifier: MIT
import Foundation
import FoundationNetworking
import OperationNetworking

extension Faces {
    static let resumedFaces: [(name: String, make: Maker)] = [
        ("session-download-resumed", { ResumedFace($0) })
    ]
}

/// Downloads that are cancelled with resume data in the middle, and gone on with by another task, up to three times.
struct ResumedFace: Face {
    let context: CellContext
    let sessions: Replaceable<SessionHolder>

    init(_ context: CellContext) {
        self.context = context
        sessions = Replaceable(context) { SessionHolder(context, hasDelegate: false) }
    }

    var kind: CellContext.Kind { .slow }
    var isDisturbed: Bool { context.cell.weather == .invalidate }

    func reply(to call: Call) async -> Reply {
        let holder = sessions.nextSession(call, mayInvalidate: true, context.cell.weather)
        let (ledger, session) = (call.ledger, holder.session)
        return await call.run {
            var data: Data?
            for round in 1...3 {
                let part = Answer("part \(round) of \(call.url.absoluteString)", ledger)
                let handler: @Sendable (URL?, URLResponse?, (any Error)?) -> Void = {
                    url, response, error in
                    if let error { return part.give(error) }
                    guard let url, let data = try? Content.of(file: url) else {
                        return part.give(Unexpected("no file"))
                    }
                    part.give(.content(data, status: 200))
                }
                let task =
                    data.map { session.downloadTask(withResumeData: $0, completionHandler: handler) }
                    ?? session.downloadTask(with: call.request, completionHandler: handler)
                ledger.watch(task, call.answer.name)
                task.resume()
                if round < 3 {
                    await Call.sleep(1 + call.choice % 90_000)
                    data = await withCheckedContinuation { continuation in
                        task.cancel(byProducingResumeData: { continuation.resume(returning: $0) })
                    }
                }
                let reply = await part.value
                guard case .failure(let error) = reply, Call.isCancellation(error), round < 3 else {
                    return reply
                }
                if let kept = (error as NSError).userInfo["NSURLSessionDownloadTaskResumeData"] as? Data {
                    data = kept
                }
                try Task.checkCancellation()
            }
            throw Unexpected("no end")
        }
    }
}
