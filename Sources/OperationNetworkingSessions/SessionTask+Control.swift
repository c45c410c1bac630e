// SPDX-License-Identifier: MIT
internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport
internal import NetworkingTransport
internal import OperationNetworkingCore

// The user's actions on a task. Each checks and assigns in one critical section, and then does what the machine
// answers.

extension SessionTask {
    func resume() {
        let (action, alarm) = withState { state in
            let action = state.machine.resume()
            let alarm = action == .proceed ? state.firstBody?.time.run(at: Runtime.current.uptime) : nil
            return (action, alarm)
        }
        setAlarm(alarm)
        // The client is called first: what follows may be the end already.
        if action == .begin || action == .proceed { client.taskDidResume(self) }
        perform(action)
        // Paused as the operation that it is, and not as the task.
        if action == .none, operation?.isPaused == true, withState({ $0.machine.state == .running }) {
            follow(.running)
        }
    }

    func suspend() {
        let action = withState { state in
            let action = state.machine.suspend()
            if action == .pause { state.firstBody?.time.stand(at: Runtime.current.uptime) }
            return action
        }
        perform(action)
        if action == .pause { client.taskDidSuspend(self) }
    }

    func cancel() {
        perform(withState { $0.machine.cancel() })
    }

    /// - Parameter handler: receives the data with which a later task can continue; nil: there are none.
    func cancel(byProducingResumeData handler: @escaping @Sendable (Data?) -> Void) {
        let (action, isWaiting) = withState { state in
            let action = state.machine.cancel()
            guard action == .stop, state.download.isWanted else { return (action, false) }
            state.download.leavePart(for: handler)
            return (action, true)
        }
        perform(action)
        // Not at once: the caller may hold a lock that the handler takes.
        if !isWaiting { Runtime.current.onBlockThread { handler(nil) } }
    }

    private func perform(_ action: SessionTaskMachine.Action) {
        switch action {
        case .none: break
        case .begin: begin()
        case .proceed: follow(.running)
        case .pause: follow(.suspended)
        case .stop: stop()
        }
    }

    /// Lets the request go on, or pauses it, and looks again: what another thread has done to the task since it was
    /// asked for may have been carried out before this.
    private func follow(_ state: URLSessionTask.State) {
        var followed = state
        while true {
            switch (withState { $0.loader }, followed) {
            case (.operation, .running): operation?.resume()
            case (.operation, _): operation?.pause()
            case (.foreign(let loader), .running): loader.proceed()
            case (.foreign(let loader), _): loader.pause()
            case (.failure, _), (nil, _): return
            }
            let present = withState { $0.machine.state }
            guard present != followed, present == .running || present == .suspended else { return }
            followed = present
        }
    }

    private func begin() {
        let (loader, session, operation) = withState { ($0.loader, $0.session, $0.operation) }
        guard let session else { return }
        keep(in: session)
        switch loader {
        case .operation:
            guard let operation else { return }
            guard needsFirstBody(operation) else { return session.operationQueue.addOperation(operation) }
            askForFirstBody(of: operation, in: session)
        case .foreign(let loader):
            prepare()
            loader.begin(self)
        case .failure(let error):
            prepare()
            end(error: error)
        case nil:
            break
        }
    }

    /// The session holds the face from now on.
    private func keep(in session: OperationURLSession) {
        if withState({ $0.hold.begin(in: session) }) { session.taskDidBegin(self) }
    }

    /// The same for a task that may not have begun. What is told of its end needs the session, which may have no other
    /// holder.
    private func keepSession() {
        if let session { keep(in: session) }
    }

    private func stop() {
        switch withState({ $0.loader }) {
        case .operation:
            guard let operation else { return }
            withState { $0.pump }?.stopWaiting()
            operation.cancel()
            // An operation that was not started ends when it is started.
            URLConnectionOperation.start([operation])
            giveUpQuestion()
        case .foreign(let loader):
            keepSession()
            prepareUnlessBegun()
            loader.stop()
            let error = URLError.cancelled(url: originalRequest?.url)
            if withState({ $0.download.isWanted }) {
                finishDownload(SessionTaskResult(error: error), errorContent: nil)
            } else {
                end(error: error)
            }
        case .failure(let error):
            keepSession()
            prepareUnlessBegun()
            end(error: error)
        case nil:
            break
        }
    }

    /// The operation is started: by the session, or by a caller that uses it as an operation.
    ///
    /// - Returns: whether it may begin. Not while another thread, which starts it as well, gets ready for that: what it
    ///   is to send is not there yet.
    func operationWillStart(_ operation: SessionOperation) -> Bool {
        let (isFirst, isReady, wasLetGo, begins, session) = withState { state in
            let isFirst = state.beginning == nil && !state.isGettingReady
            // The user had released the task. Not for a task that has ended, which releases its operation for good.
            let wasLetGo = isFirst && state.operation == nil && state.machine.state != .completed
            if wasLetGo { state.operation = operation }
            let begins = state.machine.noteBeginning()
            let isReady = !state.isGettingReady
            if isFirst { state.isGettingReady = true }
            return (isFirst, isReady, wasLetGo, begins, isFirst && !state.hold.isHeld ? state.session : nil)
        }
        if begins { client.taskDidResume(self) }
        guard isFirst else { return isReady }
        getReady(operation, wasLetGo, session)
        withState { $0.isGettingReady = false }
        return true
    }

    private func getReady(_ operation: SessionOperation, _ wasLetGo: Bool, _ session: OperationURLSession?) {
        // A task that the user had released is unknown to an invalid session.
        let isTooLate = wasLetGo && session?.refusesTasks == true
        if let session { keep(in: session) }
        let interests = prepare()
        if isTooLate {
            end(error: URLError.cancelled(url: originalRequest?.url))
            operation.cancel()
        }
        openUploadFile(for: operation)
        if !isCanceling, needsFirstBody(operation) {
            // Started as an operation: the delegate was not asked for the content.
            end(error: noFirstBody)
            operation.cancel()
        }
        if kind == .download {
            let destination = DownloadDestination(fileURL: downloadLocation)
            if let offset = withState({ $0.download.takeOffset() }) {
                PartialFile(clean: destination, of: operation.request.url).cut(to: offset)
            }
            operation.downloadDestination = destination
        } else if !interests.isDisjoint(with: [.responses, .data]) {
            let pump = SessionContentPump(
                operation.makeSessionStream(), collects: !interests.contains(.data), memoryLimit: operation.memoryLimit)
            withState { $0.pump = pump }
            pump.wait(for: self)
        }
    }

    /// The content of an upload is the file as it is now.
    private func openUploadFile(for operation: SessionOperation) {
        guard kind == .upload, let file = withState({ $0.uploadFile }) else { return }
        do throws(URLError) {
            let stream = try InputStream.body(ofFile: file, for: originalRequest?.url)
            withState { $0.traffic.expect(toSend: stream.contentLength ?? 0) }
            operation.setSessionBody(stream)
        } catch {
            end(error: error)
            operation.cancel()
        }
    }

    /// Asks what the client is interested in.
    @discardableResult
    private func prepare() -> ClientInterests {
        let interests = client.interests(of: self)
        let clock = SessionTaskClock()
        withState { state in
            state.interests = interests
            state.beginning = clock
        }
        return interests
    }

    /// Gets ready to report the end of a task that was never resumed.
    func prepareUnlessBegun() {
        if withState({ $0.beginning == nil }) { prepare() }
    }

    /// The place where a download's content is collected.
    var downloadLocation: URL {
        let new = SessionDownloadFile.newLocation()
        return withState { $0.download.place(or: new) }
    }
}
