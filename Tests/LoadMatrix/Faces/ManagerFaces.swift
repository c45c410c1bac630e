// SPDX-License-Identifier: MIT
import Foundation
import OperationNetworking
import TestServer

extension Faces {
    static let managerFaces: [(name: String, make: Maker)] = [
        ("manager-get", { ManagerFace($0, .get) }),
        ("manager-post", { ManagerFace($0, .post) }),
        ("manager-multipart", { ManagerFace($0, .multipart) }),
    ]
}

/// The verbs of `HTTPRequestOperationManager`. In rough weather the manager is replaced, and calls of the old one go on.
struct ManagerFace: Face {
    enum Verb { case get, post, multipart }
    let verb: Verb
    let context: CellContext
    let manager: Replaceable<HTTPRequestOperationManager>

    init(_ context: CellContext, _ verb: Verb) {
        self.context = context
        self.verb = verb
        manager = Replaceable(context) { context.makeManager() }
    }

    var kind: CellContext.Kind { verb == .get ? .bytes : .echo }
    var isDisturbed: Bool { context.cell.weather == .invalidate }

    func expected(_ call: Call) -> Data {
        verb == .post ? Data("seed=\(call.seed)&size=\(call.size)".utf8) : call.upload
    }

    func reply(to call: Call) async -> Reply {
        let answer = call.answer
        let success: @Sendable (HTTPRequestOperation, Any?) -> Void = { operation, object in
            answer.give(.content(object as? Data ?? Data(), status: operation.response?.statusCode))
        }
        let failure: @Sendable (HTTPRequestOperation?, any Error) -> Void = { answer.give($1) }
        let multipart: @Sendable (HTTPRequestOperation, Any?) -> Void = { _, object in
            let part = call.upload
            let body = object as? Data ?? Data()
            answer.give(
                part.isEmpty || body.range(of: part) != nil
                    ? .content(part, status: 200) : .content(body, status: 200))
        }
        let (current, old) = manager.next()
        // An invalidated manager's operations are cancelled.
        if context.cell.weather == .invalidate { old?.cancelAllOperations() }
        // The verbs enqueue: cancellation comes after that.
        let operation: HTTPRequestOperation?
        do {
            switch verb {
            case .get:
                operation = try current.makeOperation(
                    method: "GET", call.url.absoluteString, success: success, failure: failure)
            case .post:
                operation = try current.makeOperation(
                    method: "POST", call.url.absoluteString,
                    parameters: ["size": call.size, "seed": call.seed],
                    success: success, failure: failure)
            case .multipart:
                operation = try current.makeOperation(
                    method: "POST", call.url.absoluteString, parameters: ["name": "value"],
                    constructingBodyWith: {
                        $0.appendPart(
                            withFileData: call.upload, name: "file", fileName: "f",
                            mimeType: "application/octet-stream"
                        )
                    }, success: multipart, failure: failure)
            }
        } catch {
            answer.give(error)
            return await answer.value
        }
        guard let operation else { return await answer.value }
        return await call.drive(
            operation,
            Call.Controls(
                start: { current.enqueue($0) }, cancel: { $0.cancel() }, pause: { $0.pause() },
                resume: { $0.resume() })
        )
    }
}
