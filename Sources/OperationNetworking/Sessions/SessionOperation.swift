// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

/// The operation of a session's task: tells and asks the task, which has its client.
// Sendable because `task` is set before anybody else knows of the operation.
final class SessionOperation: HTTPRequestOperation, @unchecked Sendable {
    /// Nil for a copy, which is an operation like any other.
    private(set) var task: SessionTask?

    convenience init(
        request: URLRequest, configuration: SharedConfiguration, serializer: HTTPResponseSerializer, task: SessionTask
    ) {
        self.init(request: request)
        self.task = task
        adopt(configuration)
        responseSerializer = serializer
    }

    override var attemptClient: (any AttemptClient)? { task }

    /// What cannot be continued by a range would come again from its beginning, and perhaps with other content: who
    /// suspends a task counts on what its response has begun with. A client that was asked something is not asked again.
    override func _holdsConnection(whilePausedAfter head: ResponseHead?) -> Bool {
        guard let task else { return false }
        if task.withState({ $0.isAsked }) { return true }
        // Nobody has its content for another request.
        if let body = _request.httpBodyStream, !(body is any ReplayableBodyStream) { return true }
        guard let head else { return false }
        return Representation(
            head: head, from: nil, method: _request.httpMethod ?? "GET", receivedAt: runtime.date.timeIntervalSince1970)
            == nil
    }

    /// A task has notifications of its own: whoever counts both kinds would count twice.
    override var postsNotifications: Bool { task == nil }

    /// Also when the operation is started by hand, or by another queue than the session's.
    override func start() {
        if let task, !task.operationWillStart(self) { return }
        super.start()
    }

    override func didFinish() { task?.operationDidFinish(self) }

    override func judge(_ head: ResponseHead, decide: @escaping @Sendable (_ isAcceptable: Bool) -> Void) {
        guard let task else { return super.judge(head, decide: decide) }
        task.judge(response, admit: { decide(true) }, refuse: { task.cancel() })
    }
}

extension HTTPResponseSerializer {
    /// Accepts every response, as a session's task does. Shared, and never changed.
    static let anyStatus: HTTPResponseSerializer = {
        let serializer = HTTPResponseSerializer()
        serializer.acceptableStatusCodes = nil
        return serializer
    }()
}
