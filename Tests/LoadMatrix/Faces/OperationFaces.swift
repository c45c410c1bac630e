// SPDX-License-Identifier: MIT
import Foundation
import OperationNetworking

extension Faces {
    static let operationFaces: [(name: String, make: Maker)] = [
        ("operation-alone", { OperationFace($0, .none, blocks: true) }),
        ("operation-completion-block", { OperationFace($0, .none, blocks: false) }),
        ("request-queue", { OperationFace($0, RequestOperationQueue(), blocks: true) }),
        ("foundation-queue", { OperationFace($0, OperationQueue(), blocks: true) }),
        ("foundation-queue-completion-block", { OperationFace($0, OperationQueue(), blocks: false) }),
        ("output-stream", { StreamFace($0) }),
        ("download-destination", { DestinationFace($0) }),
    ]
}

extension Call.Controls where Object: URLConnectionOperation {
    /// An operation that is started, or added to a queue.
    static func operation(_ queue: OperationQueue?) -> Self {
        Self(
            start: { if let queue { queue.addOperation($0) } else { $0.start() } },
            cancel: { $0.cancel() },
            pause: { $0.pause() }, resume: { $0.resume() })
    }
}

extension HTTPRequestOperation {
    /// Tells an answer what the blocks are told.
    func tell(
        _ answer: Answer,
        content: @escaping @Sendable (HTTPRequestOperation) -> Data? = { $0.responseData }
    ) {
        setCompletionBlockWithSuccess(
            { operation, _ in
                answer.give(.content(content(operation) ?? Data(), status: operation.response?.statusCode))
            },
            failure: { _, error in answer.give(error) })
    }
}

/// Operations by themselves, or in queues.
struct OperationFace: Face {
    let manager: HTTPRequestOperationManager
    let queue: OperationQueue?
    let hasBlocks: Bool
    let context: CellContext

    var isDisturbed: Bool { queue != nil && context.cell.weather == .invalidate }

    init(_ context: CellContext, _ queue: OperationQueue?, blocks: Bool) {
        self.context = context
        manager = context.makeManager()
        self.queue = queue
        hasBlocks = blocks
        queue?.maxConcurrentOperationCount = context.cell.concurrency
    }

    func reply(to call: Call) async -> Reply {
        let operation = HTTPRequestOperation(request: call.request)
        manager.configure(operation)
        let answer = call.answer
        if hasBlocks {
            operation.tell(answer)
        } else {
            operation.completionBlock = { [weak operation] in
                guard let operation else {
                    return answer.give(Unexpected("gone when its completion block ran"))
                }
                if let error = operation.error {
                    answer.give(error)
                } else {
                    answer.give(
                        .content(operation.responseData ?? Data(), status: operation.response?.statusCode))
                }
            }
        }
        if call.fate == .cancelledInside {
            operation.setDownloadProgressBlock { [weak operation] _, _, _ in operation?.cancel() }
        }
        await disturb()
        return await call.drive(operation, .operation(queue))
    }

    /// What happens to a whole queue.
    private func disturb() async {
        guard let queue, context.once(in: 40) else { return }
        switch context.cell.weather {
        case .invalidate: queue.cancelAllOperations()
        case .pause:
            queue.isSuspended = true
            await Call.sleep(500)
            queue.isSuspended = false
        default: break
        }
    }
}

/// Content that goes to an output stream.
struct StreamFace: Face {
    let manager: HTTPRequestOperationManager

    init(_ context: CellContext) { manager = context.makeManager() }

    func reply(to call: Call) async -> Reply {
        let operation = HTTPRequestOperation(request: call.request)
        manager.configure(operation)
        operation.outputStream = OutputStream.toMemory()
        operation.tell(call.answer) { operation in
            operation.outputStream?.property(forKey: .dataWrittenToMemoryStreamKey) as? Data
        }
        return await call.drive(operation, .operation(manager.operationQueue))
    }
}

/// Content that goes to a file.
struct DestinationFace: Face {
    let manager: HTTPRequestOperationManager
    let context: CellContext

    init(_ context: CellContext) {
        self.context = context
        manager = context.makeManager()
    }

    func reply(to call: Call) async -> Reply {
        let file = context.file(call)
        let operation = HTTPRequestOperation(request: call.request)
        manager.configure(operation)
        operation.downloadDestination = DownloadDestination(fileURL: file)
        operation.tell(call.answer) { _ in try? Content.of(file: file) }
        let reply = await call.drive(operation, .operation(manager.operationQueue))
        for end in ["", ".part", ".part.json"] {
            try? FileManager.default.removeItem(atPath: file.path + end)
        }
        return reply
    }
}
