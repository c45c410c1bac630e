// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

/// The operation of a session's task. It passes events and questions to the task, which has its client.
// Sendable because `task` is set before other code has the operation.
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

    /// Returns true if the response cannot be continued by a range. It would come again from its beginning, perhaps
    /// with other content, but a program that suspends a task relies on the beginning that it has received. Also true
    /// after a question to the client, which is not to be asked again.
    override func _holdsConnection(whilePausedAfter head: ResponseHead?) -> Bool {
        guard let task else { return false }
        if task.withState({ $0.isAsked }) { return true }
        // Its content cannot be read again for another request.
        if let body = _request.httpBodyStream, !(body is any ReplayableBodyStream) { return true }
        guard let head else { return false }
        return Representation(
            head: head, from: nil, method: _request.httpMethod ?? "GET", receivedAt: runtime.date.timeIntervalSince1970)
            == nil
    }

    /// False with a task, which has its own notifications: an observer that counts both kinds would count twice.
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
