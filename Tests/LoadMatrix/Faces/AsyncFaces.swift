// SPDX-License-Identifier: MIT
import Foundation
import OperationNetworking

extension Faces {
    static let asyncFaces: [(name: String, make: Maker)] = [
        ("value", { AsyncFace($0, .value) }),
        ("data", { AsyncFace($0, .data) }),
        ("decoded", { AsyncFace($0, .decoded) }),
    ]
}

/// `value()`, `data()` and `decoded(_:)`: cancelled by the Swift task, or by the operation.
struct AsyncFace: Face {
    enum Method { case value, data, decoded }
    let method: Method
    let manager: HTTPRequestOperationManager

    init(_ context: CellContext, _ method: Method) {
        manager = context.makeManager()
        self.method = method
        if method == .decoded { manager.responseSerializer = JSONResponseSerializer() }
    }

    var kind: CellContext.Kind { method == .decoded ? .json : .bytes }

    func reply(to call: Call) async -> Reply {
        let operation = HTTPRequestOperation(request: call.request)
        manager.configure(operation)
        if call.choice % 3 == 0 { manager.operationQueue.addOperation(operation) }
        let (method, answer) = (method, call.answer)
        let await_: @Sendable (HTTPRequestOperation) async throws -> Reply = { operation in
            switch method {
            case .value: return .content(try await operation.value() as? Data ?? Data(), status: nil)
            case .data:
                let (data, response) = try await operation.data()
                return .content(data, status: response.statusCode)
            case .decoded:
                let payload = try await operation.decoded(Content.Payload.self)
                guard payload == Content.payload(call.size, call.seed) else {
                    throw Unexpected("another payload")
                }
                return .checked(bytes: payload.text.utf8.count)
            }
        }
        guard call.choice % 2 == 0 else {
            call.ledger.watch(operation, call.answer.name)
            return await call.run { try await await_(operation) }
        }
        return await call.drive(
            operation,
            Call.Controls(
                start: { operation in
                    Task { do { answer.give(try await await_(operation)) } catch { answer.give(error) } }
                },
                cancel: { $0.cancel() }, pause: { $0.pause() }, resume: { $0.resume() }))
    }
}
