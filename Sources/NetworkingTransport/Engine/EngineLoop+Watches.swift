// SPDX-License-Identifier: MIT
internal import CCurl
internal import Glibc

/// Descriptors in the set that are not libcurl's.
extension EngineLoop {
    /// Calls `body` in each pass in which `event` holds for `descriptor`. Errno when it cannot be watched.
    func watch(_ descriptor: Int32, for event: DescriptorEvent, _ body: @escaping @Sendable () -> Void) -> Int32? {
        // Commands are carried out on the caller's thread when this one could not be started, or has ended.
        guard thread.isCurrent, !isShutDown, let poller else { return ESHUTDOWN }
        let interest =
            switch event {
            case .readable: EPOLLIN.rawValue
            // No read clears it: reported once for each occurrence.
            case .priority: EPOLLPRI.rawValue | EPOLLET.rawValue
            }
        guard poller.control(EPOLL_CTL_ADD, descriptor, interest, pool: Poller.watchPool) else { return errno }
        watches[descriptor] = body
        return nil
    }

    func unwatch(_ descriptor: Int32) {
        guard thread.isCurrent, watches.removeValue(forKey: descriptor) != nil else { return }
        _ = poller?.control(EPOLL_CTL_DEL, descriptor, 0, pool: Poller.watchPool)
    }

    /// After the batch of events, because what is called may end a watch, and its descriptor be closed.
    func handleWatches() {
        guard !readyWatches.isEmpty else { return }
        let ready = readyWatches
        readyWatches.removeAll(keepingCapacity: true)
        for descriptor in ready { watches[descriptor]?() }
    }
}
