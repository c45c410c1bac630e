// SPDX-License-Identifier: MIT
import Foundation
import OperationNetworking

extension Faces {
    static let dependencyFaces: [(name: String, make: Maker)] = [
        ("dependencies", { DependencyFace($0, $0.makeManager().operationQueue) }),
        ("dependencies-foundation-queue", { DependencyFace($0, OperationQueue()) }),
    ]
}

/// Operations that wait for one another: the last one is what the call is about, and what is cancelled or paused.
struct DependencyFace: Face {
    let manager: HTTPRequestOperationManager
    let queue: OperationQueue

    init(_ context: CellContext, _ queue: OperationQueue) {
        manager = context.makeManager()
        self.queue = queue
        queue.maxConcurrentOperationCount = context.cell.concurrency
    }

    func reply(to call: Call) async -> Reply {
        func make() -> HTTPRequestOperation {
            let operation = HTTPRequestOperation(request: call.request)
            manager.configure(operation)
            call.ledger.watch(operation, call.answer.name)
            return operation
        }
        let (queue, answer) = (queue, call.answer)
        let (first, last) = (make(), make())
        // What becomes of the first is not the call's: the same URL ends like the last one, or both are right.
        first.setCompletionBlockWithSuccess(nil, failure: nil)
        last.addDependency(first) { _, request in
            request.setValue("1", forHTTPHeaderField: "X-Prepared")
        }
        last.tell(answer)
        let reply = await call.drive(
            last,
            Call.Controls(
                start: { last in
                    if call.choice % 2 == 0 {
                        queue.addOperations([first, last], waitUntilFinished: false)
                    } else {
                        queue.addOperation(last)
                        queue.addOperation(first)
                    }
                },
                cancel: { $0.cancel() }, pause: { $0.pause() }, resume: { $0.resume() }))
        return reply
    }
}
