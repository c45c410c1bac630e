// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import OperationNetworkingCore

/// The client with Foundation's semantics: completion handlers, and the delegates of session and task, on the session's
/// delegate queue, in order for each task.
///
/// A delegate of Foundation's that does not implement a method has a default one on Linux, and cannot be asked which it
/// implements: it is called for everything.
final class SessionDelegateClient: SessionForwardingClient {
    /// The handler that is called at a task's end in place of the delegate, and for response and content.
    enum Handler: Sendable {
        case data(@Sendable (Data?, URLResponse?, (any Error)?) -> Void)
        case download(@Sendable (URL?, URLResponse?, (any Error)?) -> Void)
        /// Not on the delegate queue, which the caller may hold up.
        case call(SessionCall)
    }

    /// The data that this client keeps with a task.
    private final class Context: Sendable {
        let hasHandler: Bool
        /// Released by its call, so that a handler that holds its task makes no lasting cycle.
        private let handler: Locked<Handler?>
        /// A task of a queue that runs several operations at a time has its own mailbox.
        let mailbox: DeliveryMailbox
        /// The handler, where it is one.
        let call: SessionCall?

        init(handler: Handler?, mailbox: DeliveryMailbox) {
            hasHandler = handler != nil
            call = if case .call(let call) = handler { call } else { nil }
            self.handler = Locked(handler)
            self.mailbox = mailbox
        }

        /// Takes the handler, to be called; nil: it was called, or the task has no handler.
        func takeHandler() -> Handler? { handler.withLock { $0.take() } }
    }

    /// Of all tasks, for a queue that runs one operation at a time.
    private let mailbox = DeliveryMailbox()

    func makeContext(handler: Handler?, queue: OperationQueue) -> any AnyObject & Sendable {
        Context(handler: handler, mailbox: queue.maxConcurrentOperationCount == 1 ? mailbox : DeliveryMailbox())
    }

    /// Runs work in order with the events of all tasks.
    func perform(on queue: OperationQueue, _ work: @escaping @Sendable () -> Void) {
        mailbox.deliver(on: queue, work)
    }

    private func context(of task: SessionTask) -> Context? { task.context as? Context }

    /// The task's own delegate, or the session's where that is not of the protocol.
    func delegate<Delegate>(_ type: Delegate.Type, of task: SessionTask) -> Delegate? {
        task.withState { $0.delegate } as? Delegate ?? task.session?.delegate as? Delegate
    }

    func interests(of task: SessionTask) -> ClientInterests {
        guard taskDelegate(of: task) != nil else {
            // One that only knows of the session is asked about connections.
            return task.session?.delegate == nil ? [] : .challenges
        }
        var interests = ClientInterests.ofTaskDelegates
        let context = context(of: task)
        if context?.call != nil, task.ownDownloadDelegate != nil { interests.insert(.writing) }
        guard context?.hasHandler != true else { return interests }
        if delegate((any URLSessionDataDelegate).self, of: task) != nil { interests.formUnion(.ofDataDelegates) }
        if delegate((any URLSessionDownloadDelegate).self, of: task) != nil { interests.insert(.writing) }
        return interests
    }

    func perform(for task: SessionTask, _ work: @escaping @Sendable () -> Void) {
        guard let session = task.session, let context = context(of: task) else { return }
        context.mailbox.deliver(on: session.delegateQueue, work)
    }

    func task(_ task: SessionTask, didFinishDownloadingTo location: URL, reply: @escaping @Sendable () -> Void) {
        let context = context(of: task)
        if let call = context?.call {
            call.keep(location)
            return reply()
        }
        if context?.hasHandler == true {
            // It is called with the task's end.
            task.keepDownload()
            return reply()
        }
        tell((any URLSessionDownloadDelegate).self, of: task, otherwise: reply) {
            if let face = task.face as? URLSessionDownloadTask {
                $0.urlSession($1, downloadTask: face, didFinishDownloadingTo: location)
            }
            reply()
        }
    }

    /// Gives the result to the caller at once. The metrics follow on the delegate queue.
    private func end(_ call: SessionCall, of task: SessionTask, _ result: SessionTaskResult) {
        task.willTellEnd()
        if let metrics = result.metrics {
            perform(for: task) { [self] in
                if let session = task.session, let delegate = taskDelegate(of: task) {
                    delegate.urlSession(session, task: task.face, didFinishCollecting: metrics.urlSessionTaskMetrics)
                }
                task.close()
            }
        } else {
            task.close()
        }
        call.end(result)
    }

    func task(_ task: SessionTask, didFinish result: SessionTaskResult) {
        if let call = context(of: task)?.call { return end(call, of: task, result) }
        perform(for: task) { [self] in
            defer { task.close() }
            guard let session = task.session, let context = context(of: task) else { return }
            let delegate = taskDelegate(of: task)
            task.willTellEnd()
            if let metrics = result.metrics?.urlSessionTaskMetrics {
                delegate?.urlSession(session, task: task.face, didFinishCollecting: metrics)
            }
            guard context.hasHandler else {
                delegate?.urlSession(session, task: task.face, didCompleteWithError: result.error)
                return
            }
            switch context.takeHandler() {
            case .data(let handle):
                handle(result.error == nil ? result.data ?? Data() : nil, result.response, result.error)
            case .download(let handle):
                handle(result.error == nil ? task.keptDownload : nil, result.response, result.error)
            case .call, nil: break
            }
        }
    }
}
