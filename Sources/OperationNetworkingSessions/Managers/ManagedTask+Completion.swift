// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import FoundationNetworking
internal import OperationNetworkingCore

extension ManagedTask {
    /// The outcome of a task.
    struct Outcome: Sendable {
        // Safe because the transfer is over: neither the operation nor the serializer touches the object any more.
        nonisolated(unsafe) var object: Any?
        var data: Data?
        var fileURL: URL?
        var error: (any Error)?
    }

    /// Takes what a block gets piece by piece for the serializer, too.
    func collect(_ data: Data, for task: SessionTask) {
        let limit = task.operation?.memoryLimit ?? task.withState { $0.memoryLimit }
        let failure = withState { state -> URLError? in
            guard state.failure == nil else { return nil }
            let count = state.content?.count ?? 0
            guard data.count <= limit - count else {
                let failure = URLError(
                    .dataLengthExceedsMaximum, url: task.originalRequest?.url,
                    reason: "the content is longer than the \(limit) bytes that are kept in memory")
                state.failure = failure
                return failure
            }
            if state.content == nil { state.content = data } else { state.content?.append(data) }
            return nil
        }
        guard let failure else { return }
        task.operation?.cancel()
        task.failLoading(failure)
    }

    /// The transfer is over, and all events before the handler were reported: parses what the operation did not, and
    /// delivers.
    func complete(_ result: SessionTaskResult, of task: SessionTask, face: URLSessionTask) {
        let (failure, content, fileURL, blocks) = withState { state in
            state.isOver = true
            return (state.failure, state.content, state.fileURL, state.result)
        }
        // From here on the task has to be there for blocks that a subclass calls late.
        if let blocks, let face = task.dataFace(face) { blocks.setTask(face) }
        var outcome = Outcome(data: content ?? result.data, fileURL: fileURL, error: failure ?? result.error)
        let (isDownload, isParsed) = task.withState {
            ($0.download.isWanted, $0.interests.isDisjoint(with: [.responses, .data]))
        }
        if outcome.error != nil || isDownload {
            deliver(outcome, of: result, task, face: face)
        } else if isParsed, let operation = result.operation {
            // Before it was finished.
            (outcome.object, outcome.error) = operation.serializationResult
            deliver(outcome, of: result, task, face: face)
        } else {
            // As an operation has it: a response without content has empty content.
            outcome.data = outcome.data ?? Data()
            let transferred = outcome
            let origin = result.operation?.parsingOrigin ?? ""
            Runtime.current.parse(with: settings.serializer, for: origin) { [self] in
                var outcome = transferred
                do {
                    outcome.object = try settings.serializer.responseObject(
                        for: result.response, data: parsed(outcome.data, of: result, task))
                } catch {
                    outcome.object = (error as? ResponseSerializationError)?.responseObject
                    outcome.error = error.naming(task.originalRequest?.httpMethod)
                }
                deliver(outcome, of: result, task, face: face)
            }
        }
    }

    /// Returns the content that the serializer gets, as from an operation. A response to HEAD has no content that could
    /// be of a wrong type. A serializer that looks at the status only returns the content that there is.
    private func parsed(_ data: Data?, of result: SessionTaskResult, _ task: SessionTask) -> Data? {
        guard task.originalRequest?.httpMethod == "HEAD" else { return data }
        let status = (result.response as? HTTPURLResponse)?.statusCode
        let handsOut = status.flatMap { settings.operationSerializer.fastValidation(statusCode: $0) } == true
        return handsOut ? data : nil
    }

    private func deliver(
        _ outcome: Outcome, of result: SessionTaskResult, _ task: SessionTask, face: URLSessionTask
    ) {
        // What was given with the task goes once it was called, and not under the lock.
        let (handler, blocks, settings) = withState { state in
            defer {
                state.handler = .none
                state.result = nil
                state.outcome = outcome
            }
            return (state.handler, state.result, state.settings)
        }
        let needsNoResponse = blocks?.needsNoResponse ?? false
        if case .none = handler, settings.completionGroup == nil { return end(task, face) }
        let group = settings.completionGroup
        group?.enter()
        (task.operation?.runtime ?? Runtime.current).complete(on: settings.completionQueue ?? .sharedMain) { [self] in
            task.willTellEnd()
            switch handler {
            case .none: break
            case .object(let handler):
                let response = needsNoResponse ? URLResponse.unasked : result.responseOrNone(of: task)
                // A data task that became a download gives what a download gives.
                handler(response, outcome.fileURL ?? outcome.object, outcome.error)
            case .file(let handler): handler(result.responseOrNone(of: task), outcome.fileURL, outcome.error)
            }
            end(task, face)
            group?.leave()
        }
    }

    /// Lets the blocks of a verb have their task, whose transfer may be over already: invalidating a session cancels
    /// the tasks that were not resumed, too.
    func assign(_ blocks: TaskResult, of task: URLSessionDataTask) {
        let (isOver, settings) = withState { state in
            if !state.isOver { state.result = blocks }
            return (state.isOver, state.settings)
        }
        guard isOver else { return blocks.settle(task) }
        settings.completionGroup?.enter()
        let runtime = task.ownFace?.task.operation?.runtime ?? Runtime.current
        runtime.complete(on: settings.completionQueue ?? .sharedMain) {
            blocks.setTask(task)
            settings.completionGroup?.leave()
        }
    }

    private func end(_ task: SessionTask, _ face: URLSessionTask) {
        task.close()
        // From the face, since what waits for the main queue must hold no content.
        NotificationMailbox.shared.post(.networkingTaskDidComplete, object: face, on: .sharedMain) { object in
            (object as? URLSessionTask)?.ownFace?.task.managed?.completionInfo
        }
    }

    /// The user info of the notification of the end.
    private var completionInfo: [AnyHashable: Any]? {
        let (outcome, serializer, metrics) = withState { ($0.outcome, $0.settings.serializer, $0.metrics) }
        guard let outcome else { return nil }
        var info = CompletionInfo(serializer)
        if outcome.fileURL == nil { info.data = outcome.data }
        info.object = outcome.fileURL ?? outcome.object
        info.fileURL = outcome.fileURL
        info.error = outcome.error
        // Made here, since it costs more than all the rest of the notification.
        if let metrics, !metrics.exchanges.isEmpty { info.metrics = metrics.urlSessionTaskMetrics }
        return info.dictionary
    }
}
