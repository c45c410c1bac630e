// SPDX-License-Identifier: MIT
internal import Dispatch
internal import Foundation
internal import NetworkingSupport

extension RequestOperationQueue {
    /// Takes an operation in, without starting anything.
    final func enqueue(_ operation: Operation) {
        if let operation = operation.schedulable {
            // From here on it reports to this queue; what it reports before `insert` is in the first snapshot.
            guard operation.attach(to: self) else { return }
            if operation.wantsListing {
                list(operation)
            } else if operation.wantsProxy {
                listProxy(for: operation)
            }
            operation.didAttach()
            if let request = operation as? URLConnectionOperation { Trace.step(.enqueue, request) }
            guard let token = insert(operation, isForeign: false) else { return }
            // It may have been cancelled and started by hand before it was here: its end is not reported again.
            guard !operation.isFinished else { return finish(operation) }
            let standing = DependencyGraph.didActivate(operation)
            apply(snapshot(of: operation, standing, token), to: operation, token)
        } else {
            // Foundation stops the process if it has the operation in a queue already.
            guard FoundationState(of: operation).isFree, !operation.isFinished, !operation.isExecuting,
                insert(operation, isForeign: true) != nil
            else { return }
            // Before its end can be reported.
            let proxy = listProxy(for: operation)
            guard DependencyGraph.adopt(operation, by: self) else {
                unlistProxy(for: operation)
                // Another queue's; the caller retains it, so nothing is released under the lock.
                return settle { _ = $0.remove(ObjectIdentifier(operation)) }
            }
            proxy.enclose(on: startQueue)
            refresh(foreign: operation)
        }
    }

    private func insert(_ operation: Operation, isForeign: Bool) -> SchedulerState.RefreshToken? {
        state.withLock { guarded in
            guard let token = guarded.scheduler.insert(operation, isForeign: isForeign) else { return nil }
            if guarded.keepAlive == nil { guarded.keepAlive = self }
            return token
        }
    }

    // MARK: - Snapshots of operations

    /// Takes a snapshot of an operation of the library, and acts on it.
    final func refresh(_ operation: any SchedulableOperation, because reason: SchedulerState.RefreshReason) {
        let id = ObjectIdentifier(operation)
        guard let token = state.withLock({ $0.scheduler.beginRefresh(id, because: reason) }) else { return }
        let standing = operation.dependencyNodeIfLoaded.map(DependencyGraph.standing(of:))
        apply(snapshot(of: operation, standing, token), to: operation, token)
    }

    /// The same for an operation Foundation runs.
    final func refresh(foreign operation: Operation) {
        let id = ObjectIdentifier(operation)
        guard let token = state.withLock({ $0.scheduler.beginRefresh(id, because: .change) }) else { return }
        let standing = DependencyGraph.standing(ofForeign: operation)
        let snapshot = SchedulerState.OperationSnapshot(
            isCancelled: operation.isCancelled, isOpen: standing.isOpen, rank: standing.rank)
        apply(snapshot, to: operation, token)
    }

    private func snapshot(
        of operation: any SchedulableOperation, _ standing: DependencyGraph.Standing?,
        _ token: SchedulerState.RefreshToken
    ) -> SchedulerState.OperationSnapshot {
        let own = operation.standing
        return SchedulerState.OperationSnapshot(
            isCancelled: own.isCancelled, isPaused: !own.wantsSlot, isOpen: standing?.isOpen ?? false,
            hasBegun: own.hasBegun,
            rank: own.isHeld ? .connected : max(own.priority, standing?.inherited ?? own.priority),
            host: token.asksForHost ? operation.schedulingOrigin : nil)
    }

    private func apply(
        _ snapshot: SchedulerState.OperationSnapshot, to operation: Operation, _ token: SchedulerState.RefreshToken
    ) {
        let id = ObjectIdentifier(operation)
        let hasWork = state.withLock { guarded in
            guarded.scheduler.apply(snapshot, to: id, token: token)
            return guarded.scheduler.hasWork
        }
        if hasWork { DrainLoop.run(self) }
    }

    // MARK: - Doing

    /// Returns the next action for `DrainLoop`; nil: there is nothing to do now.
    final func nextAction() -> SchedulerState.Action? {
        let (action, isParking) = state.withLock { guarded in
            let action = guarded.scheduler.next()
            guard guarded.scheduler.hasParked, !guarded.watchesCapacity else { return (action, false) }
            guarded.watchesCapacity = true
            return (action, true)
        }
        if isParking { CapacityWatch.add(self) }
        return action
    }

    /// More operations of a host may be able to make progress than before.
    final func capacityDidChange(of host: String?) {
        let hasWork = state.withLock { guarded in
            guarded.scheduler.capacityDidChange(of: host)
            return guarded.scheduler.hasWork
        }
        if hasWork { DrainLoop.run(self) }
    }

    final func perform(_ action: SchedulerState.Action) {
        switch action {
        case .start(let operation):
            if let request = operation as? URLConnectionOperation { Trace.step(.schedule, request) }
            if let own = operation.schedulable, own.startMayCallOut {
                let runtime = (own as? URLConnectionOperation)?.runtime ?? Runtime.current
                runtime.on(startQueue) { own.start() }
            } else {
                operation.start()
            }
        case .check(let operation):
            refresh(foreign: operation)
        case .handOver(let operation):
            handOver(operation)
        case .barrier(let block):
            Runtime.current.on(startQueue) {
                block?()
                self.barrierDidEnd()
            }
        }
    }

    private var startQueue: DispatchQueue {
        let label = name ?? "RequestOperationQueue"
        let quality = qualityOfService
        return state.withLock { guarded in
            if let queue = guarded.underlyingQueue ?? guarded.startQueue { return queue }
            let queue = DispatchQueue(label: label, qos: DispatchQoS(quality), attributes: .concurrent)
            guarded.startQueue = queue
            return queue
        }
    }

    private func handOver(_ operation: Operation) {
        guard let runner = state.withLock({ $0.proxies[ObjectIdentifier(operation)] })?.open() else { return }
        let isWaiting: @Sendable () -> Bool = {
            !operation.isReady && !operation.isExecuting && !operation.isFinished
        }
        guard isWaiting() else { return }
        // Its last upstream may be posting its end at this very moment, with Foundation's count to be lowered next. So
        // the slot is kept for a moment.
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10)) { [self] in
            if isWaiting() {
                state.withLock { $0.scheduler.detachForeign(ObjectIdentifier(operation)) }
                DrainLoop.run(self)
            }
            runner.lookAgain()
        }
    }

    private func barrierDidEnd() {
        settle { $0.endBarrier() }
        DrainLoop.run(self)
    }

    // MARK: - The end of operations

    /// Forgets a finished operation and lets the next one start.
    final func finish(_ operation: Operation) {
        let id = ObjectIdentifier(operation)
        settle { scheduler -> Operation? in scheduler.remove(id) }
        DrainLoop.run(self)
    }

    /// Makes a change that may leave the queue empty, and wakes the threads that wait for that. `change` returns an
    /// operation that finished.
    private func settle(_ change: (inout SchedulerState) -> Operation?) {
        let (removed, waiters, keepAlive, reports) = state.withLock { guarded in
            let removed = change(&guarded.scheduler)
            var reports = false
            if removed != nil, guarded.progress != nil {
                guarded.unreportedUnits += 1
                reports = !guarded.isReportingProgress
                guarded.isReportingProgress = true
            }
            guard guarded.scheduler.isEmpty else {
                return (removed, [DispatchSemaphore](), RequestOperationQueue?.none, reports)
            }
            let waiters = guarded.waiters
            guarded.waiters = []
            return (removed, waiters, guarded.keepAlive.take(), reports)
        }
        if reports { reportProgress() }
        if keepAlive != nil { clearListing() }
        for waiter in waiters { waiter.signal() }
        withExtendedLifetime((removed, keepAlive)) {}
    }

    private func settle(_ change: (inout SchedulerState) -> Void) {
        settle { scheduler -> Operation? in
            change(&scheduler)
            return nil
        }
    }

    /// One thread at a time writes to the `Progress`, outside the lock.
    private func reportProgress() {
        while true {
            let (units, progress): (Int64, Progress?) = state.withLock { guarded in
                let units = guarded.unreportedUnits
                guarded.unreportedUnits = 0
                if units == 0 { guarded.isReportingProgress = false }
                return (units, guarded.progress)
            }
            guard units > 0, let progress else { return }
            ProgressChanges.perform {
                if progress.totalUnitCount > 0 { progress.completedUnitCount += units }
            }
        }
    }
}

// MARK: - Reports

extension RequestOperationQueue: OperationScheduler {
    final func operationDidFinish(_ operation: any SchedulableOperation) {
        if operation.wantsProxy { unlistProxy(for: operation) }
        finish(operation)
    }
    final func operationDidNotStart(_ operation: any SchedulableOperation) {
        refresh(operation, because: .failedStart)
    }
    final func operationDidPause(_ operation: any SchedulableOperation) { refresh(operation, because: .change) }
    final func operationDidResume(_ operation: any SchedulableOperation) { refresh(operation, because: .wish) }
    final func operationDidCancel(_ operation: any SchedulableOperation) { refresh(operation, because: .wish) }
    final func operationDidBecomeReady(_ operation: any SchedulableOperation) { refresh(operation, because: .change) }

    final func operationDidLeaveHost(_ operation: any SchedulableOperation) {
        let id = ObjectIdentifier(operation)
        let hasWork = state.withLock { guarded in
            guarded.scheduler.leaveHostSlot(id)
            return guarded.scheduler.hasWork
        }
        if hasWork { DrainLoop.run(self) }
    }

    final func operationDidChange(_ operation: any SchedulableOperation) {
        DependencyGraph.priorityDidChange(operation)
        refresh(operation, because: .change)
    }

    /// The last upstream of a foreign operation ended, or it inherited a priority.
    final func foreignOperationDidChange(_ operation: Operation) { refresh(foreign: operation) }
    /// A foreign operation ended.
    final func foreignOperationDidFinish(_ operation: Operation) {
        unlistProxy(for: operation)
        if operation.dependencies.contains(where: { $0.schedulable == nil }) {
            state.withLock { $0.endedForeign.append(operation) }?.removeAllDependencies()
        }
        finish(operation)
    }
}

extension DispatchQoS {
    fileprivate init(_ quality: QualityOfService) {
        switch quality {
        case .userInteractive: self = .userInteractive
        case .userInitiated: self = .userInitiated
        case .utility: self = .utility
        case .background: self = .background
        case .default: self = .default
        @unknown default: self = .default
        }
    }
}
