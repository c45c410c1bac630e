internal import Foundation
internal import FoundationNetworking
internal import NetworkingSupport

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
}
