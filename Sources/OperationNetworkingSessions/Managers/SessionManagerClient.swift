// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import OperationNetworkingCore

/// Takes the events of a session manager's tasks directly, and passes them to the manager's blocks and to the tasks'
/// handlers. An event that no block needs is not even asked for.
///
/// A task's own delegate takes the place of the blocks, as it does that of a session's delegate. It does so for all
/// methods of the protocols that it conforms to, because it cannot be asked which of them it implements.
///
/// The session and its tasks hold it, not the manager: tasks go on when the manager is gone.
final class SessionManagerClient: SessionForwardingClient {
    let blocks = SessionBlocks()
    /// The queue on which blocks and progress are called, one at a time for each task.
    private let queue: OperationQueue
    /// Of all tasks, where the queue runs one operation at a time.
    private let mailbox = DeliveryMailbox()

    init(queue: OperationQueue) {
        self.queue = queue
    }

    func interests(of task: SessionTask) -> ClientInterests {
        let table = blocks.current.table
        // For the notification of the end.
        var interests: ClientInterests = .metrics
        if table.taskWillPerformRedirection != nil { interests.insert(.redirects) }
        if table.sessionDidReceiveChallenge != nil || table.authenticationChallengeHandler != nil {
            interests.insert(.challenges)
        }
        if table.taskDidSendBodyData != nil { interests.insert(.sending) }
        let reportsWriting = table.downloadTaskDidWriteData != nil || table.downloadTaskDidResume != nil
        switch task.kind {
        case .download:
            if reportsWriting { interests.insert(.writing) }
        case .data, .upload:
            if table.dataTaskDidReceiveResponse != nil {
                interests.insert(.responses)
                // It may become a download.
                if reportsWriting { interests.insert(.writing) }
            }
            if table.dataTaskDidReceiveData != nil { interests.insert(.data) }
            if table.dataTaskWillCacheResponse != nil { interests.insert(.caching) }
        }
        return interests.union(task.ownDelegateInterests)
    }

    func perform(for task: SessionTask, _ work: @escaping @Sendable () -> Void) {
        mailbox(of: task).deliver(on: queue, work)
    }

    /// Returns the mailbox of a task, which stays the same. On a queue that runs several operations at a time each task
    /// has its own.
    private func mailbox(of task: SessionTask) -> DeliveryMailbox {
        guard let managed = task.managed else { return mailbox }
        if let known = managed.withState({ $0.mailbox }) { return known }
        let new = queue.maxConcurrentOperationCount == 1 ? mailbox : DeliveryMailbox()
        return managed.withState { state in
            if let known = state.mailbox { return known }
            state.mailbox = new
            return new
        }
    }

    func delegate<Delegate>(_ type: Delegate.Type, of task: SessionTask) -> Delegate? {
        task.ownDelegate as? Delegate ?? blocks as? Delegate
    }

    // MARK: News

    func task(_ task: SessionTask, didReceive data: Data) {
        task.managed?.collect(data, for: task)
        tellDelegate(of: task, data)
    }

    func taskDidAdvance(_ task: SessionTask) {
        guard let managed = task.managed else { return }
        let (upload, download) = managed.withState { ($0.upload, $0.download) }
        guard upload != nil || download != nil else { return }
        let counts = task.counts
        tell(upload, counts.sent, of: counts.expectedToSend, task)
        tell(download, counts.received, of: counts.expectedToReceive, task)
    }

    private func tell(_ progress: TaskProgress?, _ count: Int64, of total: Int64, _ task: SessionTask) {
        guard let progress, progress.note(count, of: total > 0 ? total : -1) else { return }
        perform(for: task) { progress.update() }
    }

    func taskDidResume(_ task: SessionTask) {
        NotificationMailbox.shared.post(.networkingTaskDidResume, object: task.face, on: .sharedMain)
    }

    func taskDidSuspend(_ task: SessionTask) {
        NotificationMailbox.shared.post(.networkingTaskDidSuspend, object: task.face, on: .sharedMain)
    }
}

extension SessionTask {
    /// The task that the program was given, also when it became a download, until it is closed.
    func dataFace(_ face: URLSessionTask) -> URLSessionDataTask? {
        face as? URLSessionDataTask ?? withState { $0.formerFace } as? URLSessionDataTask
    }

    /// The data that the manager keeps about the task; nil for a task whose events do not go to the manager.
    var managed: ManagedTask? { context as? ManagedTask }
}
