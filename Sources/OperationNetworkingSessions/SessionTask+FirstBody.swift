// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import OperationNetworkingCore

// The content of a streamed upload, which the delegate gives before the operation begins. All of the task's time is
// counted from the question.

extension SessionTask {
    /// The question for the content, until it is answered.
    struct FirstBody: Sendable {
        var time: FirstBodyTime
        /// Answers the question: nothing came in time.
        let giveUp: @Sendable () -> Void
    }

    /// A streamed upload has its content from the delegate only.
    func needsFirstBody(_ operation: SessionOperation) -> Bool {
        guard kind == .upload, withState({ $0.uploadFile }) == nil else { return false }
        let request = operation.request
        return request.httpBody == nil && request.httpBodyStream == nil && request.httpMethod != "HEAD"
    }

    func askForFirstBody(of operation: SessionOperation, in session: OperationURLSession) {
        // Holds nothing: the time may be long, and the session holds the task.
        let once = FirstAnswer<Result<InputStream?, URLError>> { [weak self, weak operation, weak session] answer in
            guard let self, let operation, let session else { return }
            let question = withState { $0.firstBody.take() }
            switch answer {
            case .success(let stream?):
                operation.setSessionBody(stream)
                if let question {
                    operation.totalTimeout = max(question.time.left(at: Runtime.current.uptime), 0.001)
                }
                session.operationQueue.addOperation(operation)
            case .success(nil): endUnsent(operation, noFirstBody)
            case .failure(let error): endUnsent(operation, error)
            }
        }
        if let time = FirstBodyTime(limit: operation.totalTimeout) {
            setAlarm(
                beginQuestion(time) { [url = originalRequest?.url] in
                    let reason = "the delegate gave no stream for the upload's content within \(time.limit) s"
                    once.give(.failure(URLError(.timedOut, url: url, reason: reason)))
                })
        }
        client.task(self) { [self, operation, session] stream in
            // Held until the answer.
            withExtendedLifetime((self, operation, session)) { once.give(.success(stream)) }
        }
    }

    private func beginQuestion(
        _ time: FirstBodyTime, giveUp: @escaping @Sendable () -> Void
    ) -> FirstBodyTime.Alarm? {
        withState { state in
            state.firstBody = FirstBody(time: time, giveUp: giveUp)
            // Another thread may have suspended the task since it began.
            guard state.machine.state != .suspended else { return nil }
            return state.firstBody?.time.run(at: Runtime.current.uptime)
        }
    }

    func setAlarm(_ alarm: FirstBodyTime.Alarm?) {
        guard let alarm else { return }
        Runtime.current.after(alarm.delay) { [weak self] in self?.alarmDidGoOff(alarm.number) }
    }

    private func alarmDidGoOff(_ number: UInt) {
        let (look, giveUp) = withState { state in
            (state.firstBody?.time.look(number, at: Runtime.current.uptime) ?? .nothing, state.firstBody?.giveUp)
        }
        switch look {
        case .nothing: break
        case .later(let alarm): setAlarm(alarm)
        case .over: giveUp?()
        }
    }

    private func endUnsent(_ operation: SessionOperation, _ error: URLError) {
        prepareUnlessBegun()
        end(error: error)
        operation.cancel()
        URLConnectionOperation.start([operation])
    }

    /// The delegate has no content for a streamed upload.
    var noFirstBody: URLError {
        URLError(
            .requestBodyStreamExhausted, url: originalRequest?.url,
            reason: "nobody gave a stream for the upload's content: implement needNewBodyStream, and resume the task, "
                + "whose operation cannot ask")
    }
}
