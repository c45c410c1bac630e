// SPDX-License-Identifier: MIT
import Foundation
import OperationNetworking
import TestServer

extension Faces {
    static let batchFaces: [(name: String, make: Maker)] = [
        ("batch", { BatchFace($0, isValue: false) }),
        ("batch-value", { BatchFace($0, isValue: true) }),
        ("batch-of-request-operations", { OldBatchFace($0) }),
    ]
}

/// Makes the members of batches, which are checked one by one, and counts how often each was told its end.
struct BatchMaker: Sendable {
    static let count = 5
    let manager: HTTPRequestOperationManager
    let ends = Guarded<[ObjectIdentifier: Int]>([:])

    func members(of call: Call) -> [HTTPRequestOperation] {
        (0..<Self.count).map { _ in
            let operation = HTTPRequestOperation(request: call.request)
            manager.configure(operation)
            return operation
        }
    }

    /// The one reply that all members have in common, or that of the first failure.
    static func reply(_ operations: [URLConnectionOperation], of call: Call) -> Reply {
        guard operations.count == count else {
            return .failure(Unexpected("\(operations.count) members"))
        }
        guard operations.allSatisfy(\.isFinished) else {
            return .failure(Unexpected("members have not ended"))
        }
        if let error = operations.lazy.compactMap(\.error).first { return .failure(error) }
        let contents = operations.map { $0.responseData ?? Data() }
        let odd = contents.first { $0 != Content.bytes(call.size, call.seed) }
        return .content(odd ?? contents[0], status: nil)
    }
}

/// `OperationBatch`.
struct BatchFace: Face {
    let maker: BatchMaker
    let isValue: Bool

    init(_ context: CellContext, isValue: Bool) {
        maker = BatchMaker(manager: context.makeManager())
        self.isValue = isValue
    }

    func reply(to call: Call) async -> Reply {
        let batch = OperationBatch(maker.members(of: call))
        let (answer, manager) = (call.answer, maker.manager)
        if isValue {
            return await call.drive(
                batch,
                .batch { batch in
                    manager.enqueue(batch)
                    Task { answer.give(BatchMaker.reply(await batch.value(), of: call)) }
                })
        }
        batch.completionQueue = manager.completionQueue
        batch.setCompletionBlock { answer.give(BatchMaker.reply($0, of: call)) }
        return await call.drive(batch, .batch { manager.enqueue($0) })
    }
}

extension Call.Controls where Object == OperationBatch {
    static func batch(_ start: @escaping @Sendable (OperationBatch) -> Void) -> Self {
        Self(start: start, cancel: { $0.cancel() }, pause: { $0.pause() }, resume: { $0.resume() })
    }
}

/// `batchOfRequestOperations`, whose operations are the caller's to enqueue.
struct OldBatchFace: Face {
    let maker: BatchMaker

    init(_ context: CellContext) { maker = BatchMaker(manager: context.makeManager()) }

    /// What is driven for a call.
    final class Members: Sendable {
        let operations: [HTTPRequestOperation]
        init(_ operations: [HTTPRequestOperation]) { self.operations = operations }
    }

    func reply(to call: Call) async -> Reply {
        let members = Members(maker.members(of: call))
        let (answer, queue) = (call.answer, maker.manager.operationQueue)
        return await call.drive(
            members,
            Call.Controls(
                start: { members in
                    let operations = URLConnectionOperation.batchOfRequestOperations(
                        members.operations, progressBlock: nil,
                        completionBlock: { answer.give(BatchMaker.reply($0, of: call)) })
                    queue.addOperations(operations, waitUntilFinished: false)
                },
                cancel: { for operation in $0.operations { operation.cancel() } },
                pause: { for operation in $0.operations { operation.pause() } },
                resume: { for operation in $0.operations { operation.resume() } }))
    }
}
