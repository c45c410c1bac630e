// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport

/// What a session's task is to its operation: its client, and the one that decides whether it may start.
package protocol SessionOperationOwner: AttemptClient {
    /// True if a question to the client was asked, which is not to be asked again.
    var wasAsked: Bool { get }
    /// Called before each start, by whatever starts the operation. False: the operation must not start.
    func operationWillStart(_ operation: SessionOperation) -> Bool
    func operationDidFinish(_ operation: SessionOperation)
    /// Asks about a response whose content is still to come. The owner calls `admit`, on any thread, or cancels the
    /// operation where the client wants none of it.
    func operation(
        _ operation: SessionOperation, received response: HTTPURLResponse?, admit: @escaping @Sendable () -> Void)
}

/// The operation of a session's task. It passes events and questions to the task, which has its client.
// Sendable because `owner` is set before other code has the operation.
package final class SessionOperation: HTTPRequestOperation, @unchecked Sendable {
    /// The task; nil for a copy, which is an operation like any other.
    private(set) var owner: (any SessionOperationOwner)?

    package convenience init(
        request: URLRequest, configuration: SharedConfiguration, serializer: HTTPResponseSerializer,
        owner: any SessionOperationOwner
    ) {
        self.init(request: request)
        self.owner = owner
        adopt(configuration)
        responseSerializer = serializer
    }

    override var attemptClient: (any AttemptClient)? { owner }

    /// Returns true if the response cannot be continued by a range. It would come again from its beginning, perhaps
    /// with other content, but a program that suspends a task relies on the beginning that it has received. Also true
    /// after a question to the client, which is not to be asked again.
    override func _holdsConnection(whilePausedAfter head: ResponseHead?) -> Bool {
        guard let owner else { return false }
        if owner.wasAsked { return true }
        // Its content cannot be read again for another request.
        if let body = _request.httpBodyStream, !(body is any ReplayableBodyStream) { return true }
        guard let head else { return false }
        return Representation(
            head: head, from: nil, method: _request.httpMethod ?? "GET", receivedAt: runtime.date.timeIntervalSince1970)
            == nil
    }

    /// False with a task, which has its own notifications: an observer that counts both kinds would count twice.
    override var postsNotifications: Bool { owner == nil }

    /// Also when the operation is started by hand, or by another queue than the session's.
    override package func start() {
        if let owner, !owner.operationWillStart(self) { return }
        super.start()
    }

    override func didFinish() { owner?.operationDidFinish(self) }

    override func judge(_ head: ResponseHead, decide: @escaping @Sendable (_ isAcceptable: Bool) -> Void) {
        guard let owner else { return super.judge(head, decide: decide) }
        owner.operation(self, received: response) { decide(true) }
    }
}

extension HTTPResponseSerializer {
    /// Accepts every response, as a session's task does. Shared, and never changed.
    package static let anyStatus: HTTPResponseSerializer = {
        let serializer = HTTPResponseSerializer()
        serializer.acceptableStatusCodes = nil
        return serializer
    }()
}
