internal import Foundation
internal import FoundationNetworking

extension URLConnectionOperation {
    /// A fresh operation with this one's request and configuration.
    func makeCopy() -> URLConnectionOperation {
        let (request, configuration) = lock.withLock { (_request, _sharedConfiguration) }
        var own = request
        if let stream = request.httpBodyStream as? any ReplayableBodyStream, let replay = try? stream.makeReplay() {
            own.httpBodyStream = replay
        }
        let copy = type(of: self).init(request: own)
        copy.lock.withLock {
            copy._sharedConfiguration = configuration
            // A stream is used by one operation only.
            if configuration.value.outputStream != nil { copy._configuration.outputStream = nil }
        }
        copy.name = name
        copy.queuePriority = queuePriority
        copy.qualityOfService = qualityOfService
        return copy
    }

    /// Starts an operation that nobody else will start: it was not started, and is in no queue.
    func startIfUnclaimed() {
        let isUnclaimed = lock.withLock {
            !_lifecycle.hasStarted && _scheduler == nil && !_mayBeInFoundationQueue
        }
        if isUnclaimed { start() }
    }
}
